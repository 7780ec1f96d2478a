import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import type { Options as PolicyOptions } from "../../src/compaction/PolicyOptions.ts"
import * as Agent from "../../src/layers/Agent.ts"
import type { RequestQuirks } from "../../src/layers/adapters/openAiChatRequest.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import { SessionId } from "../../src/services/SessionId.ts"
import { ModelAdapter } from "../../src/services/ModelAdapter.ts"
import type { ModelError } from "../../src/errors/ModelError.ts"
import type { CompactService } from "../../src/services/CompactService.ts"
import type { SessionEvent, SkippedEvent } from "../../src/session/SessionEvent.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"

/** The preset knows no window of this model: what is not told is unknown. */
export const route = { provider: "deepseek", model: "tested" }

/** About one token each for the provider, and for the estimator. */
export const words = (count: number, word = "word") => `${word} `.repeat(count)

/** A long message that the provider's own summary keeps only the first sentence of. */
export const long = (count: number, word = "ancient") => `Noted. ${words(count, word)}`

/** What was logged as a warning or worse, in place of a noisy console. */
export class Logged extends Context.Tag("effect-compaction/test/Logged")<
  Logged,
  { readonly warnings: Effect.Effect<ReadonlyArray<string>> }
>() {}

/** Every error that the adapter failed with, oldest first: what a caller must get, the same value. */
export class Failures extends Context.Tag("effect-compaction/test/Failures")<Failures, Array<ModelError>>() {}

const watched = Layer.effect(
  ModelAdapter,
  Effect.gen(function* () {
    const adapter = yield* ModelAdapter
    const failures = yield* Failures
    return {
      ...adapter,
      stream: (request) =>
        Stream.tapError(adapter.stream(request), (error) =>
          Effect.sync(() => failures.push(Cause.originalError(error)))
        )
    }
  })
)

const logged = Layer.unwrapEffect(
  Effect.sync(() => {
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) warnings.push(String(message))
    })
    return Layer.merge(
      Layer.succeed(Logged, { warnings: Effect.sync(() => [...warnings]) }),
      Logger.replace(Logger.defaultLogger, logger)
    )
  })
)

export interface Options extends Partial<SimulatedProvider.Options> {
  /** The window that the adapter is told; `null`: none. By default far more than any test sends, so that only the provider refuses. */
  readonly told?: number | null
  readonly policy?: PolicyOptions
  readonly system?: string
  readonly maxOutputTokens?: number
  readonly tools?: { readonly [name: string]: ToolRunner.Tool<never> }
  readonly log?: Layer.Layer<LogStore.LogStore>
  readonly quirks?: Partial<RequestQuirks>
  /** How often transient failures are tried again; by default never. */
  readonly retry?: { readonly times: number; readonly base: number }
}

/** All that sessions share: a real server, the adapter that talks to it over HTTP, a log, an agent, its tools. */
export const world = (options: Options = {}) => {
  const {
    log = LogStore.layerMemory,
    maxOutputTokens,
    policy = {},
    retry,
    system,
    told = 1_000_000,
    tools = {},
    quirks = {}
  } = options
  return Summarizer.layer.pipe(
    Layer.provideMerge(watched),
    Layer.provide(
      SimulatedProvider.layerAdapter({
        retry: retry ?? false,
        quirks,
        ...(told === null ? {} : { windows: { [route.model]: { window: told } } })
      })
    ),
    Layer.provideMerge(SimulatedProvider.layer({ window: 4_000, as: "deepseek", ...options })),
    Layer.provide(FetchHttpClient.layer),
    Layer.merge(ToolRunner.layer(tools)),
    Layer.merge(
      Agent.layer({
        ...route,
        ...(system === undefined ? {} : { system }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens })
      })
    ),
    Layer.merge(log),
    Layer.merge(Layer.orDie(CompactionPolicy.layer(policy))),
    Layer.provideMerge(Layer.sync(Failures, () => [])),
    Layer.provideMerge(logged)
  )
}

/** Opens the session for one use; used again it is reopened, by a new writer. */
export const inSession = <A, E, R>(effect: Effect.Effect<A, E, R>, id = "s") =>
  Effect.provide(effect, Session.layerOne(id))

/** A session whose compaction is done by somebody else. */
export const layerSession = <R>(compact: Layer.Layer<CompactService, never, R>) =>
  AgentLoop.layer.pipe(
    Layer.provideMerge(compact),
    Layer.provideMerge(TokenMeter.layer),
    Layer.provideMerge(Surface.layer),
    Layer.provide(Layer.succeed(SessionId, "s"))
  )

export const provider = SimulatedProvider.SimulatedProvider

/** Adds to the provider's script. */
export const next = (...replies: ReadonlyArray<SimulatedProvider.Reply>) =>
  Effect.flatMap(provider, (server) => server.next(...replies))

/** What the provider was asked, as kind and outcome. */
export const asked = Effect.flatMap(provider, (server) =>
  Effect.map(server.requests, (requests) => requests.map(({ kind, outcome }) => `${kind} ${outcome}`))
)

/** Waits until the provider has seen request `index`, which it does not end by itself. */
export const arrived = (index: number) =>
  Effect.flatMap(provider, (server) =>
    server.requests.pipe(Effect.delay("2 millis"), Effect.repeat({ until: (requests) => requests.length > index }))
  )

/** The same, of the requests of one kind. */
export const arrivedOf = (kind: "conversation" | "summary", index: number) =>
  Effect.flatMap(provider, (server) =>
    server.requests.pipe(
      Effect.delay("2 millis"),
      Effect.repeat({ until: (requests) => requests.filter((request) => request.kind === kind).length > index })
    )
  )

/** The text of the provider's request `index`, as it came over the wire. */
export const sent = (index: number) =>
  Effect.flatMap(provider, (server) => Effect.map(server.requests, (requests) => requests[index]?.text ?? ""))

/** Events of one turn, in order. */
export const turnEvents = (prompt: string) =>
  Effect.map(Stream.runCollect(AgentLoop.prompt(prompt)), Chunk.toReadonlyArray)

/** The whole log of the session. */
export const history = Effect.flatMap(Surface.Surface, (surface) =>
  Effect.map(Stream.runCollect(surface.history(0)), Chunk.toReadonlyArray)
)

/** An event of the log in a few words. */
const line = (event: SessionEvent | SkippedEvent): string => {
  switch (event.type) {
    case "turn/start":
      return `${event.type} ${event.data.turn}`
    case "turn/end":
      return `${event.type} ${event.data.turn} ${event.data.outcome}${event.data.settled === true ? " settled" : ""}`
    case "step/start":
      return `${event.type} ${event.data.step}`
    case "step/end":
      return `${event.type} ${event.data.step} ${event.data.outcome}${event.data.settled === true ? " settled" : ""}`
    case "rescue/end":
      return `${event.type} ${event.data.outcome}`
    case "compaction/start":
      return `${event.type} ${event.data.trigger}`
    case "compaction/call":
      return `${event.type} ${event.data.outcome}`
    case "compaction/end":
      return `${event.type} ${event.data.outcome}${event.data.settled === true ? " settled" : ""}`
    case "message/user":
      return `${event.type} ${event.data.source}`
    case "message/tool-result":
      return `${event.type} ${event.data.callId}${event.data.isError === true ? " error" : ""}${event.data.replaces === undefined ? "" : " replaces"}`
    default:
      return event.type
  }
}

/** The log from event `from` of its lines on, without the openings of writers. */
export const logLines = Effect.map(history, (events) =>
  events.filter(({ type }) => type !== "session/opened").map(line)
)

/** The lines of the newest turn. */
export const turnLines = Effect.map(logLines, (lines) =>
  lines.slice(lines.findLastIndex((entry) => entry.startsWith("turn/start")))
)

/** The text of all that stands on the surface. */
export const onSurface = Effect.map(Surface.messages, (messages) => JSON.stringify(messages))

/** A tool that takes anything. */
export const tool = (run: ToolRunner.Tool<never>["run"]): ToolRunner.Tool<never> => ({
  schema: { parameters: { type: "object" } },
  run
})
