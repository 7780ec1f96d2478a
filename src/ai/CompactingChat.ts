/**
 * Effect AI's `Chat` with a session's log behind it: it survives the process, and it stays inside its model's window.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as Chat from "@effect/ai/Chat"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Options as PolicyOptions } from "../compaction/PolicyOptions.ts"
import type { PolicyInvalid } from "../errors/CompactionError.ts"
import { LogWriteFailed, type OpenError, SessionBusy } from "../errors/SessionError.ts"
import { presetOf } from "../layers/adapters/openAiChatPresets.ts"
import * as CompactionPolicy from "../layers/CompactionPolicy.ts"
import * as ModelAdapter from "../layers/ModelAdapter.ts"
import * as Session from "../layers/Session.ts"
import { CompactService } from "../services/CompactService.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import type { LogStore } from "../services/LogStore.ts"
import type { ModelRequest } from "../services/ModelAdapter.ts"
import { SessionId } from "../services/SessionId.ts"
import { Summarizer } from "../services/Summarizer.ts"
import { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as Route from "../session/Route.ts"
import * as ChatHistory from "./chatHistory.ts"
import * as ChatLog from "./chatLog.ts"
import * as ChatTurns from "./chatTurns.ts"
import * as modelSummary from "./modelSummary.ts"
import * as rescuedCalls from "./rescuedCalls.ts"
import * as ResponseMessages from "./responseMessages.ts"
import { unseal } from "./sealedToolkit.ts"

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
 * - `route`: which provider and model this is, for the price of its tokens and the words of its refusals.
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

/** What the session fails with, as a caller of a chat knows it. */
const asAiError = (method: string, error: ChatLog.WriteError | SessionBusy) =>
  new AiError.UnknownError({
    module: "CompactingChat",
    method,
    description: error.message,
    cause: error
  })

/** Errors as they were: those of the model and of its tools, the very values. */
const told = <E>(method: string, cause: Cause.Cause<E>): Cause.Cause<E | AiError.AiError> =>
  Cause.flatMap(cause, (error) => {
    const original = unseal(error)
    return Cause.fail(
      original instanceof LogWriteFailed || original instanceof SessionBusy ? asAiError(method, original) : original
    )
  })

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
    const route = options.route ?? unknownRoute
    const base: Envelope = {
      route,
      ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens })
    }
    const log = yield* ChatLog.make(surface)
    if (options.seed !== undefined && log.isNew()) yield* log.append(Prompt.make(options.seed).content)
    const turns = yield* ChatTurns.make(log, surface.id)

    /** A turn that is open, as one request. */
    const begun = (method: string, given: rescuedCalls.CallOptions) =>
      Effect.gen(function* () {
        const caller = yield* Effect.context<never>()
        const prepared = yield* rescuedCalls.prepare(given, base, [])
        yield* Effect.mapError(turns.begin(Prompt.make(given.prompt).content), (error) => asAiError(method, error))
        const system = turns.system()
        const envelope =
          system.length === 0
            ? prepared.envelope
            : { ...prepared.envelope, system: system.map(({ content }) => content).join("\n\n") }
        const call: rescuedCalls.Call = {
          method,
          envelope,
          by: { route, rows },
          session,
          caller,
          promptOf: ({ messages }: ModelRequest) => Effect.sync(() => ChatHistory.render(messages, system))
        }
        return { call, options: prepared.options }
      }) as Effect.Effect<
        { readonly call: rescuedCalls.Call; readonly options: rescuedCalls.CallOptions },
        unknown,
        LanguageModel.LanguageModel
      >

    const answered = (method: string, messages: ReadonlyArray<Prompt.Message>, interrupted = false) =>
      Effect.mapError(turns.answered(messages, interrupted), (error) => asAiError(method, error))

    const whole =
      (method: "generateText" | "generateObject") =>
      (given: rescuedCalls.CallOptions): Effect.Effect<rescuedCalls.Answer, unknown, LanguageModel.LanguageModel> =>
        Effect.gen(function* () {
          const model = yield* LanguageModel.LanguageModel
          const send = model[method] as unknown as (
            options: rescuedCalls.CallOptions
          ) => Effect.Effect<rescuedCalls.Answer, unknown>
          const { call, options } = yield* begun(method, given)
          const response = yield* rescuedCalls.whole(call, (prompt) => send({ ...options, prompt }))
          const said = ResponseMessages.make()
          for (const part of response.content as ReadonlyArray<Response.AnyPart>) said.add(part)
          yield* answered(method, said.messages())
          return response
        }).pipe(
          Effect.onError(() => turns.failed),
          turns.lock.withPermits(1),
          Effect.catchAllCause((cause) => Effect.failCause(told(method, cause))),
          Effect.mapInputContext((input: Context.Context<LanguageModel.LanguageModel>) =>
            Context.merge(created, input)
          ),
          Effect.withSpan(`CompactingChat.${method}`, { captureStackTrace: false, attributes: { session: surface.id } })
        )

    const streamText = (
      given: rescuedCalls.CallOptions
    ): Stream.Stream<Response.AnyPart, unknown, LanguageModel.LanguageModel> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          yield* Effect.uninterruptibleMask((restore) =>
            Effect.zipRight(
              restore(turns.lock.take(1)),
              Effect.addFinalizer(() => turns.lock.release(1))
            )
          )
          const model = yield* LanguageModel.LanguageModel
          const send = model.streamText as unknown as (
            options: rescuedCalls.CallOptions
          ) => Stream.Stream<Response.AnyPart, unknown>
          const said = ResponseMessages.make()
          let state: "open" | "answered" | "failed" = "open"
          // left, or interrupted: what has come of the answer stays
          yield* Effect.addFinalizer(() => {
            const partial = state === "open" ? said.partial() : []
            if (state === "answered") return Effect.void
            return partial.length === 0
              ? turns.failed
              : Effect.catchAllCause(turns.answered(partial, true), (cause) =>
                  Effect.logWarning(`session "${surface.id}": what had come of an answer was not written`, cause)
                )
          })
          const { call, options } = yield* begun("streamText", given)
          const written = Effect.suspend(() => {
            state = "answered"
            return answered("streamText", said.messages())
          })
          return rescuedCalls
            .streamed(call, (prompt) => send({ ...options, prompt }))
            .pipe(
              Stream.tap((part) => Effect.sync(() => said.add(part))),
              Stream.concat(Stream.drain(Stream.fromEffect(written))),
              Stream.tapErrorCause((cause) =>
                Effect.sync(() => {
                  if (!Cause.isInterruptedOnly(cause)) state = "failed"
                })
              )
            )
        })
      ).pipe(
        Stream.mapErrorCause((cause) => told("streamText", cause)),
        Stream.mapInputContext((input: Context.Context<LanguageModel.LanguageModel>) => Context.merge(created, input)),
        Stream.withSpan("CompactingChat.streamText", { captureStackTrace: false, attributes: { session: surface.id } })
      )

    const exported = <A>(method: string, encode: (history: Prompt.Prompt) => Effect.Effect<A, ParseError>) =>
      Effect.suspend(() => Effect.mapError(encode(turns.history.current), unencoded(method)))

    return {
      id: surface.id,
      history: turns.history,
      export: exported("export", encodeHistory),
      exportJson: exported("exportJson", encodeHistoryJson),
      generateText: whole("generateText"),
      generateObject: whole("generateObject"),
      streamText
    } as unknown as Service
  }
)

const unknownRoute: Route.Route = { provider: "unknown", model: "unknown" }

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
    const { route = unknownRoute } = options
    const { rows } = yield* ErrorClassifier
    const model = yield* LanguageModel.LanguageModel
    const known = window ?? presetOf(route.provider)?.windows[route.model]?.window
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
    return yield* Effect.mapInputContext(make(options), (input: Context.Context<never>) =>
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
