/**
 * Effect AI's `Chat` with a session's log behind it: it survives the process, and it stays inside its model's window.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as Chat from "@effect/ai/Chat"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Model from "@effect/ai/Model"
import * as Prompt from "@effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Options as PolicyOptions } from "../compaction/PolicyOptions.ts"
import type { PolicyInvalid } from "../errors/CompactionError.ts"
import type { LogWriteFailed, OpenError } from "../errors/SessionError.ts"
import { presetInfo } from "../layers/adapters/presetInfo.ts"
import * as CompactionPolicy from "../layers/CompactionPolicy.ts"
import * as ModelAdapter from "../layers/ModelAdapter.ts"
import * as Session from "../layers/Session.ts"
import { CompactService } from "../services/CompactService.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import type { LogStore } from "../services/LogStore.ts"
import { SessionId } from "../services/SessionId.ts"
import { Summarizer } from "../services/Summarizer.ts"
import { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as Route from "../session/Route.ts"
import * as ChatCalls from "./chatCalls.ts"
import * as ChatLog from "./chatLog.ts"
import * as ChatTurns from "./chatTurns.ts"
import * as modelSummary from "./modelSummary.ts"

/**
 * Effect AI's `Chat`, and the id of its session. What differs from it:
 *
 * - `history` is everything that was said, also what the model sees a summary of. Each change of it is written to the log: one
 *   that adds at the end adds messages, any other takes off the model's sight what it changed and says the rest anew. One
 *   that is made while a call runs is written when that call ends, behind its answer.
 * - A call that fails leaves the history as it was, whichever method it was, and however much of a stream had come: the same
 *   prompt can be asked again. Of a stream that was left or interrupted the text that had come stays.
 * - What a provider sealed (the signature of its thinking) goes back to it.
 * - Where its log cannot be written, or its session is used elsewhere, a call fails with `UnknownError`, whose cause says it.
 *
 * Calls wait for each other. A system message is sent where it was said; once that part is summarised, before all else.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Chat.Service {
  readonly id: string
}

/**
 * - `route`: which provider and model this is, for the price of its tokens and the words of its refusals. Absent, what they
 *   teach is learned all the same.
 * - `maxOutputTokens`: the output that the model's requests ask for, which belongs to the window too.
 * - `seed`: what a chat that holds nothing yet begins with: a prompt, or the `content` of another chat's export.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly route?: Route.Route
  readonly maxOutputTokens?: number
  readonly seed?: Prompt.RawInput
}

const encodeHistory = Schema.encode(Prompt.Prompt)
const encodeHistoryJson = Schema.encode(Prompt.FromJson)

const unencoded = (method: string) => (error: ParseError) =>
  AiError.MalformedOutput.fromParseError({ module: "CompactingChat", method, error })

/**
 * A chat over the services of a session, for as long as the session is open: `Sessions.use(id, CompactingChat.make())`,
 * `Session.layerWithoutLoop`. The policy, the summariser and the window are the session's.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  options?: Options
) => Effect.Effect<Service, OpenError | LogWriteFailed, Surface | TokenMeter | CompactService> = Effect.fnUntraced(
  function* (options: Options = {}) {
    const surface = yield* Surface
    const { rows } = yield* ErrorClassifier
    const session = Context.make(Surface, surface).pipe(
      Context.add(TokenMeter, yield* TokenMeter),
      Context.add(CompactService, yield* CompactService),
      Context.add(CompactionPolicy.CompactionPolicy, yield* CompactionPolicy.CompactionPolicy),
      Context.add(ErrorClassifier, { rows })
    )
    const created = yield* Effect.context<never>()
    const route = options.route ?? (yield* unknownRoute)
    const base: Envelope = {
      route,
      ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens })
    }
    const log = yield* ChatLog.make(surface)
    if (options.seed !== undefined && log.isNew()) yield* log.append(Prompt.make(options.seed).content)
    const turns = yield* ChatTurns.make(log, surface.id)

    const calls = ChatCalls.make({ surface, turns, route, rows, session, created, base })

    const exported = <A>(method: string, encode: (history: Prompt.Prompt) => Effect.Effect<A, ParseError>) =>
      Effect.suspend(() => Effect.mapError(encode(turns.history.current), unencoded(method)))

    return {
      id: surface.id,
      history: turns.history,
      export: exported("export", encodeHistory),
      exportJson: exported("exportJson", encodeHistoryJson),
      generateText: calls.whole("generateText"),
      generateObject: calls.whole("generateObject"),
      streamText: calls.streamText
    } as unknown as Service
  }
)

/** A model of Effect AI tells whose it is, where it is provided as a `Model`. */
const unknownRoute = Effect.map(Effect.serviceOption(Model.ProviderName), (provider): Route.Route => ({
  provider: Option.getOrElse(provider, () => "unknown"),
  model: "unknown"
}))

/**
 * - `window`: of the model, tokens. Absent, that of the route's preset; where there is none nothing is compacted before a
 *   provider refuses.
 * - `policy`: fields that differ from the defaults; absent, the `CompactionPolicy` in use.
 * - `summarizer`: who summarises; absent, the chat's model itself, asked without tools.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpenOptions extends Options {
  readonly window?: number
  readonly policy?: PolicyOptions
  readonly summarizer?: Layer.Layer<Summarizer>
}

/**
 * The chat of that id in a log store, a new one if there is none, for as long as the scope is open. One process at a time
 * has it: another gets `SessionLocked`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = (
  id: string,
  { policy, summarizer, window, ...options }: OpenOptions = {}
): Effect.Effect<
  Service,
  OpenError | LogWriteFailed | PolicyInvalid,
  LogStore | LanguageModel.LanguageModel | Scope.Scope
> =>
  Effect.gen(function* () {
    const route = options.route ?? (yield* unknownRoute)
    const { rows } = yield* ErrorClassifier
    const model = yield* LanguageModel.LanguageModel
    const known = window ?? presetInfo(route)?.window
    const session = Session.layerWithoutLoop.pipe(
      Layer.provide([
        Layer.succeed(SessionId, id),
        ModelAdapter.layerInfo((asked) =>
          known !== undefined && Route.equals(asked, route) ? { window: known } : undefined
        ),
        summarizer ?? Layer.succeed(Summarizer, modelSummary.make(model, rows))
      ])
    )
    const settings = policy === undefined ? Layer.empty : CompactionPolicy.layer(policy)
    const services = yield* Layer.build(Layer.provideMerge(session, settings))
    return yield* Effect.mapInputContext(make({ ...options, route }), (input: Context.Context<never>) =>
      Context.merge(input, services)
    )
  })

/**
 * The chat of that id as Effect AI's `Chat.Chat`: what uses that service goes on in another process where it stopped.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  id: string,
  options?: OpenOptions
): Layer.Layer<Chat.Chat, OpenError | LogWriteFailed | PolicyInvalid, LogStore | LanguageModel.LanguageModel> =>
  Layer.scoped(Chat.Chat, open(id, options))
