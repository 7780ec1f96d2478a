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
import type * as Scope from "effect/Scope"
import * as AnthropicMessages from "../layers/adapters/AnthropicMessages.ts"
import * as OpenAiChat from "../layers/adapters/OpenAiChat.ts"
import type { ModelAdapter } from "../services/ModelAdapter.ts"
import { discover, type Discovery, type DiscoveryKind, type Lookup } from "./simulated/discovery.ts"
import * as Engine from "./simulated/engine.ts"
import type { EngineOptions } from "./simulated/engineOptions.ts"
import { imitations } from "./simulated/imitation.ts"
import { anthropicMessages } from "./simulated/anthropicMessages.ts"
import { chatCompletions } from "./simulated/chatCompletions.ts"
import { openaiResponses } from "./simulated/openaiResponses.ts"
import type { Protocol, ProtocolName, ReportedUsage } from "./simulated/protocol.ts"
import type { Reply } from "./simulated/reply.ts"
import { listen, type Reaction } from "./simulated/server.ts"
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
export type { Discovery, DiscoveryKind, Lookup } from "./simulated/discovery.ts"

/**
 * @since 0.1.0
 * @category errors
 */
export { CannotListen } from "./simulated/server.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { AskedSummary } from "./simulated/engineOptions.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { Outcome } from "./simulated/engine.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type { ProtocolName, ReportedUsage } from "./simulated/protocol.ts"

/**
 * `keepBodies: false` for long replays, where the bodies of all requests together are large. `discovery` is whose
 * endpoints tell of the models and their windows, and with which figures: the window that is stated, unless others are
 * given. Absent: the list that the imitated provider has. `port` 0 (the default): the system picks one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends EngineOptions {
  readonly keepBodies?: boolean
  readonly discovery?: DiscoveryKind | Discovery
  readonly port?: number
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
  readonly protocol: ProtocolName
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
    /** What was looked up about the models, in the order of arrival; none of it is among the requests. */
    readonly lookups: Effect.Effect<ReadonlyArray<Lookup>>
    /** Waits until this request, which may not have arrived yet, is over. */
    readonly settled: (index: number) => Effect.Effect<RecordedRequest>
    /** Adds to the script. A fault takes the next request of its kind; an answer the next that fits the window. */
    readonly next: (...replies: ReadonlyArray<Reply>) => Effect.Effect<void>
    /** How much of the script is left. */
    readonly remaining: Effect.Effect<number>
  }
>() {}

const protocols: ReadonlyArray<Protocol> = [chatCompletions, anthropicMessages, openaiResponses]

const reported = (outcome: Engine.Outcome, how: "complete" | "broken" | "abandoned"): Engine.Outcome =>
  how === "abandoned" ? "abandoned" : outcome

const finished = (status: number, body: unknown): Reaction => ({
  status,
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify(body)],
  after: "end",
  over: () => {}
})

const discoveryOf = ({ as, discovery, outputLimit, statedWindow, window }: Options) => {
  const given = typeof discovery === "string" ? { kind: discovery } : discovery
  const own = {
    kind: as,
    window: statedWindow === undefined ? window : statedWindow,
    models: imitations[as].models,
    ...(outputLimit === undefined ? {} : { maxOutputTokens: outputLimit })
  }
  return { ...own, ...given }
}

/**
 * The provider on `options.port`. It lives as long as the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const engine = Engine.make(options, yield* vocabulary)
  const requests: Array<RecordedRequest> = []
  const discovery = discoveryOf(options)
  const lookups: Array<Lookup> = []
  const waiting = new Map<number, Deferred.Deferred<RecordedRequest>>()

  const overOf = (index: number) => {
    const known = waiting.get(index)
    if (known !== undefined) return known
    const made = Deferred.unsafeMake<RecordedRequest>(FiberId.none)
    waiting.set(index, made)
    return made
  }

  const { origin } = yield* listen((exchange) => {
    const { body, headers, method, path } = exchange
    const protocol = method === "POST" ? protocols.find((known) => path.endsWith(known.path)) : undefined
    if (protocol === undefined) {
      lookups.push({ method, path, body })
      const found = discover(discovery, { method, path, body })
      return found === undefined
        ? finished(404, { error: { message: `there is nothing at ${method} ${path}`, type: "invalid_request_error" } })
        : finished(200, found)
    }
    const index = requests.length
    const decision = engine.decide({ protocol, headers, body, index })
    const record = (outcome: RecordedRequest["outcome"]): RecordedRequest => ({
      index,
      protocol: protocol.name,
      kind: decision.kind,
      outcome,
      status: decision.status,
      headers,
      text: options.keepBodies === false ? "" : body,
      byteLength: Buffer.byteLength(body),
      inputTokens: decision.size?.input ?? 0,
      usage: decision.usage
    })
    requests.push(record("open"))
    return {
      ...decision,
      headers: { ...decision.headers, [protocol.requestIdHeader]: `simulated-${index}` },
      over: (how) => {
        const settled = record(reported(decision.outcome, how))
        requests[index] = settled
        Deferred.unsafeDone(overOf(index), Effect.succeed(settled))
      }
    }
  }, options.port)

  return SimulatedProvider.of({
    baseUrl: origin,
    requests: Effect.sync(() => [...requests]),
    lookups: Effect.sync(() => [...lookups]),
    settled: (index) => Effect.suspend(() => Deferred.await(overOf(index))),
    next: (...replies) => Effect.sync(() => engine.next(replies)),
    remaining: Effect.sync(engine.remaining)
  })
})

/**
 * The same, where a port that cannot be had is a defect.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<SimulatedProvider["Type"], never, Scope.Scope> =>
  Effect.orDie(serve(options))

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

/**
 * The same for Anthropic messages.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerAnthropicAdapter = (
  options: Omit<AnthropicMessages.Options, "baseUrl"> = {}
): Layer.Layer<ModelAdapter, never, SimulatedProvider | HttpClient.HttpClient> =>
  Layer.unwrapEffect(Effect.map(SimulatedProvider, ({ baseUrl }) => AnthropicMessages.layer({ ...options, baseUrl })))
