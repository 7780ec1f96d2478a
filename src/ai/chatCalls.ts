/**
 * The calls of a chat: each is a turn of its log and one request of its session.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Row } from "../errors/classifierRow.ts"
import { LogWriteFailed, SessionBusy } from "../errors/SessionError.ts"
import * as AnthropicPresets from "../layers/adapters/anthropicPresets.ts"
import type { Surface } from "../services/Surface.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Route } from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as ChatHistory from "./chatHistory.ts"
import type * as ChatLog from "./chatLog.ts"
import type * as ChatTurns from "./chatTurns.ts"
import * as rescuedCalls from "./rescuedCalls.ts"
import * as ResponseMessages from "./responseMessages.ts"
import { unseal } from "./sealedToolkit.ts"

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

/**
 * `session` are the session's services and settings; `created` is the context that the chat was made in, for what the
 * caller's own does not have; `base` is the envelope but for system texts and tools.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly surface: typeof Surface.Service
  readonly turns: ChatTurns.ChatTurns
  readonly route: Route
  readonly rows: ReadonlyArray<Row>
  readonly session: rescuedCalls.Call["session"]
  readonly created: Context.Context<never>
  readonly base: Envelope
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ base, created, route, rows, session, surface, turns }: Options) => {
  const bindsThinking = AnthropicPresets.bindsThinking(route.model)
  const seen = (nodes: SurfaceState.SurfaceState) =>
    bindsThinking ? ChatHistory.withoutStaleReasoning(SurfaceState.nodes(nodes)) : SurfaceState.messages(nodes)

  /** Writes nothing into a session that another turn or request is in. */
  const begin = (asked: ReadonlyArray<Prompt.Message>): Effect.Effect<void, ChatLog.WriteError | SessionBusy> =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* surface.occupy("request")
        const { suspendedTurn: turn } = yield* surface.state
        if (turn !== undefined) return yield* new SessionBusy({ session: surface.id, turn, state: "suspended" })
        yield* turns.begin(asked)
      })
    )

  /** A turn that is open, as one request. */
  const begun = (method: string, given: rescuedCalls.CallOptions) =>
    Effect.gen(function* () {
      const caller = yield* Effect.context<never>()
      const prepared = yield* rescuedCalls.prepare(given, base, [])
      yield* begin(Prompt.make(given.prompt).content).pipe(Effect.mapError((error) => asAiError(method, error)))
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
        promptOf: () => Effect.map(surface.state, (state) => ChatHistory.render(seen(state.surface), system))
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
        Effect.mapInputContext((input: Context.Context<LanguageModel.LanguageModel>) => Context.merge(created, input)),
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

  return { whole, streamText }
}
