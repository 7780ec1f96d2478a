/**
 * Drives turns: the model, its tools, and compaction in between. `examples/agent.ts`, and with a person in between
 * `examples/approval.ts`.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { appending, type Draft } from "../compaction/drafts.ts"
import type { SessionState } from "../compaction/SessionState.ts"
import { closing, openingPrompt, openingResume } from "../compaction/turnRecords.ts"
import { type LogWriteFailed, NotSuspended, SessionBusy, type TurnError } from "../errors/SessionError.ts"
import { Agent } from "../services/Agent.ts"
import { AgentLoop, type State, type TurnEnd, type TurnEvent } from "../services/AgentLoop.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import { CompactService } from "../services/CompactService.ts"
import { ModelAdapter } from "../services/ModelAdapter.ts"
import { Surface } from "../services/Surface.ts"
import { TokenMeter } from "../services/TokenMeter.ts"
import { ToolRunner } from "../services/ToolRunner.ts"
import { TurnEvents } from "../services/TurnEvents.ts"
import * as Message from "../session/Message.ts"
import { causeRecord } from "./rescuedRequest.ts"
import { type Answers, lateAnswers, resultDrafts } from "./toolCalls.ts"
import type { Emit } from "./turnRequest.ts"
import { turnSteps } from "./turnSteps.ts"
import { turnStream } from "./turnStream.ts"

export { AgentLoop, type State, type TurnEnd, type TurnEvent } from "../services/AgentLoop.ts"

/** What a person or the application says. Anything else in its place is a bug of the caller. */
const fromUser = (input: string | Message.Message): Message.Message => {
  const message = typeof input === "string" ? Message.user(input) : input
  if (message.role !== "user")
    throw new Error(`a prompt or context is a user message, and this is of the role ${message.role}`)
  return message
}

/** How a turn's end is recorded. */
const endOf = (exit: Exit.Exit<TurnEnd, TurnError>) =>
  Exit.isSuccess(exit)
    ? { outcome: exit.value.outcome }
    : Cause.isInterrupted(exit.cause)
      ? { outcome: "interrupted" as const }
      : { outcome: "failed" as const, error: causeRecord(exit.cause) }

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<
  typeof AgentLoop.Service,
  never,
  Surface | TokenMeter | CompactService | Agent | ModelAdapter | ToolRunner | Scope.Scope
> = Effect.gen(function* () {
  const surface = yield* Surface
  const meter = yield* TokenMeter
  const compact = yield* CompactService
  const agent = yield* Agent
  const adapter = yield* ModelAdapter
  const tools = yield* ToolRunner
  const policy = yield* CompactionPolicy
  const { rows } = yield* ErrorClassifier
  const publish = yield* TurnEvents
  // closing the session's scope is an interruption of its turn
  const turns = yield* FiberSet.make()
  const steps = turnSteps({ surface, meter, compact, agent, adapter, tools, policy, rows })

  /** A turn from its first record to its last. `begin` gives the records that open it, or why it cannot begin. */
  const turn = <E>(
    begin: (state: SessionState) => Effect.Effect<(state: SessionState) => ReadonlyArray<Draft>, E>,
    emit: Emit
  ): Effect.Effect<TurnEnd, TurnError | E> =>
    Effect.scopedWith((scope) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* Scope.extend(surface.occupy("turn"), scope)
          const opening = yield* begin(yield* surface.state)
          // a manual compaction that runs is let end first
          yield* restore(surface.whenNoRun)
          const opened = yield* surface.commit(opening)
          const answers: Answers = new Map()
          const exit = yield* Effect.exit(restore(steps(answers, emit)))
          const closed = yield* Effect.exit(
            surface.commit((state) => closing(state, endOf(exit), resultDrafts(state.surface.unanswered, answers)))
          )
          // why the turn failed says more than that its end could not be written
          if (Exit.isSuccess(exit)) yield* closed
          else if (Exit.isFailure(closed)) {
            yield* Effect.logError(
              `session "${surface.id}": the end of turn ${opened.turn} was not written`,
              closed.cause
            )
          }
          if (Exit.isSuccess(exit)) yield* restore(emit(exit.value))
          return yield* exit
        })
      )
    ).pipe(Effect.withSpan("effect-compaction.turn", { attributes: { session: surface.id } }))

  const told =
    (emit: Emit): Emit =>
    (event) =>
      Effect.suspend(() => {
        publish(surface.id, event)
        return emit(event)
      })

  const suspendedAt = (state: SessionState, suspended: number) =>
    new SessionBusy({ session: surface.id, turn: suspended, state: "suspended" })

  return AgentLoop.of({
    prompt: (prompt) =>
      turnStream(turns, (emit) =>
        turn(
          (state) =>
            state.suspendedTurn === undefined
              ? Effect.succeed((now: SessionState) => openingPrompt(now, fromUser(prompt)))
              : Effect.fail(suspendedAt(state, state.suspendedTurn)),
          told(emit)
        )
      ),
    resume: (answers) =>
      turnStream(turns, (emit) =>
        turn((state) => {
          const { suspendedTurn } = state
          if (suspendedTurn === undefined) return Effect.fail(new NotSuspended({ session: surface.id }))
          return Effect.succeed((now: SessionState) => {
            const { unanswered } = now.surface
            const late = lateAnswers(unanswered, tools.tools, answers)
            const answered = unanswered.filter((call) => late.has(call.id))
            return openingResume(now, suspendedTurn, resultDrafts(answered, late))
          })
        }, told(emit))
      ),
    state: Effect.map(surface.state, (state): State => {
      if (state.suspendedTurn !== undefined) {
        const pending = state.surface.unanswered.map((call) => call.id)
        return { _tag: "Suspended", turn: state.suspendedTurn, pending }
      }
      return surface.occupant() === "turn" ? { _tag: "Running", turn: state.openTurn ?? state.turn } : { _tag: "Idle" }
    }),
    inject: (message) =>
      Effect.asVoid(
        surface.commit((state): ReadonlyArray<Draft> =>
          surface.occupant() === "turn" || state.suspendedTurn !== undefined
            ? [{ type: "message/queued", data: { message: fromUser(message) } }]
            : appending(state.surface.unanswered, [fromUser(message)], "context")
        )
      )
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  AgentLoop,
  never,
  Surface | TokenMeter | CompactService | Agent | ModelAdapter | ToolRunner
> = Layer.scoped(AgentLoop, make)

/**
 * One turn as its events: running the stream runs the turn, leaving it interrupts the turn.
 *
 * @since 0.1.0
 * @category accessors
 */
export const prompt = (prompt: string | Message.Message): Stream.Stream<TurnEvent, TurnError, AgentLoop> =>
  Stream.unwrap(Effect.map(AgentLoop, (loop) => loop.prompt(prompt)))

const toEnd = <E, R>(stream: Stream.Stream<TurnEvent, E, R>): Effect.Effect<TurnEnd, E, R> =>
  Stream.runFold(stream, undefined as TurnEnd | undefined, (end, event) =>
    event._tag === "TurnEnd" ? event : end
  ).pipe(Effect.flatMap((end) => (end === undefined ? Effect.interrupt : Effect.succeed(end))))

/**
 * One turn, to its end.
 *
 * @since 0.1.0
 * @category accessors
 */
export const run = (input: string | Message.Message): Effect.Effect<TurnEnd, TurnError, AgentLoop> =>
  toEnd(prompt(input))

/**
 * Answers calls of a suspended turn and takes it to its end.
 *
 * @since 0.1.0
 * @category accessors
 */
export const resume = (answers: {
  readonly [callId: string]: string
}): Effect.Effect<TurnEnd, TurnError | NotSuspended, AgentLoop> =>
  toEnd(Stream.unwrap(Effect.map(AgentLoop, (loop) => loop.resume(answers))))

/**
 * Adds a message of context; while a turn runs it joins at the next step boundary.
 *
 * @since 0.1.0
 * @category accessors
 */
export const inject = (message: Message.Message): Effect.Effect<void, LogWriteFailed, AgentLoop> =>
  Effect.flatMap(AgentLoop, (loop) => loop.inject(message))

/**
 * @since 0.1.0
 * @category accessors
 */
export const state: Effect.Effect<State, never, AgentLoop> = Effect.flatMap(AgentLoop, (loop) => loop.state)
