/**
 * A provider on loopback: a real HTTP server that counts with a real vocabulary, enforces a window, reports usage with
 * its prefix cache, and refuses in the words of the provider that it imitates.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as OpenAiChat from "../layers/adapters/OpenAiChat.ts"
import type { ModelAdapter } from "../services/ModelAdapter.ts"
import * as Engine from "./simulated/engine.ts"
import type { ReportedUsage } from "./simulated/imitation.ts"
import type { Reply } from "./simulated/reply.ts"
import { listen } from "./simulated/server.ts"
import { vocabulary } from "./simulated/tokens.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export * from "./simulated/reply.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { ChatMessage, ChatRequest } from "./simulated/chatRequest.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { AskedSummary, Outcome } from "./simulated/engine.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { ReportedUsage } from "./simulated/imitation.ts"

/**
 * `keepBodies: false` for long replays, where the bodies of all requests together are large.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Engine.EngineOptions {
  readonly keepBodies?: boolean
}

/**
 * `inputTokens` is the provider's own count, tools included; `usage` what it reported. `text` is the body's text, empty
 * if bodies are not kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordedRequest {
  readonly index: number
  readonly kind: "conversation" | "summary"
  readonly outcome: Engine.Outcome | "open"
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  readonly byteLength: number
  readonly inputTokens: number
  readonly usage: ReportedUsage | undefined
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SimulatedProvider extends Context.Tag("effect-compaction/testing/SimulatedProvider")<
  SimulatedProvider,
  {
    /** For an adapter's `baseUrl`. */
    readonly baseUrl: string
    /** Everything that was asked, in the order of arrival. */
    readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
    /** Waits until this request, which may not have arrived yet, is over. */
    readonly settled: (index: number) => Effect.Effect<RecordedRequest>
    /** Adds to the script. A fault takes the next request of its kind; an answer the next that fits the window. */
    readonly next: (...replies: ReadonlyArray<Reply>) => Effect.Effect<void>
    /** How much of the script is left. */
    readonly remaining: Effect.Effect<number>
  }
>() {}

const reported = (outcome: Engine.Outcome, how: "complete" | "broken" | "abandoned"): Engine.Outcome =>
  how === "abandoned" ? "abandoned" : outcome

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const engine = Engine.make(options, yield* vocabulary)
  const requests: Array<RecordedRequest> = []
  const waiting = new Map<number, Deferred.Deferred<RecordedRequest>>()

  const overOf = (index: number) => {
    const known = waiting.get(index)
    if (known !== undefined) return known
    const made = Deferred.unsafeMake<RecordedRequest>(FiberId.none)
    waiting.set(index, made)
    return made
  }

  const { origin } = yield* listen((exchange) => {
    if (exchange.method !== "POST" || !exchange.path.endsWith("/chat/completions")) {
      return { status: 404, headers: {}, pieces: ["not found"], after: "end", over: () => {} }
    }
    const index = requests.length
    const decision = engine.decide(exchange.body, index)
    const record = (outcome: RecordedRequest["outcome"]): RecordedRequest => ({
      index,
      kind: decision.kind,
      outcome,
      status: decision.status,
      headers: exchange.headers,
      text: options.keepBodies === false ? "" : exchange.body,
      byteLength: Buffer.byteLength(exchange.body),
      inputTokens: decision.size?.input ?? 0,
      usage: decision.usage
    })
    requests.push(record("open"))
    return {
      ...decision,
      headers: { ...decision.headers, "x-request-id": `simulated-${index}` },
      over: (how) => {
        const settled = record(reported(decision.outcome, how))
        requests[index] = settled
        Deferred.unsafeDone(overOf(index), Effect.succeed(settled))
      }
    }
  })

  return SimulatedProvider.of({
    baseUrl: origin,
    requests: Effect.sync(() => [...requests]),
    settled: (index) => Effect.suspend(() => Deferred.await(overOf(index))),
    next: (...replies) => Effect.sync(() => engine.next(replies)),
    remaining: Effect.sync(engine.remaining)
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SimulatedProvider> =>
  Layer.scoped(SimulatedProvider, make(options))

/**
 * The adapter that talks to the simulated provider. Its windows are what it is told, which need not be the true one.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerAdapter = (
  options: Omit<OpenAiChat.Options, "provider" | "baseUrl"> & { readonly provider?: string } = {}
): Layer.Layer<ModelAdapter, never, SimulatedProvider | HttpClient.HttpClient> =>
  Layer.unwrapEffect(
    Effect.map(SimulatedProvider, ({ baseUrl }) => OpenAiChat.layer({ provider: "deepseek", ...options, baseUrl }))
  )
