/**
 * The steps of a turn, between the records that open and close it: a request, its answer, its tools, and again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionState } from "../compaction/SessionState.ts"
import { joining } from "../compaction/turnRecords.ts"
import type { TurnError } from "../errors/SessionError.ts"
import type { Agent } from "../services/Agent.ts"
import type { TurnEnd } from "../services/AgentLoop.ts"
import type { ToolRunner } from "../services/ToolRunner.ts"
import * as Message from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { commitAnswer } from "./commitAnswer.ts"
import { declareEnvelope } from "./rescuedRequest.ts"
import { runCompaction } from "./runCompaction.ts"
import { type Answers, resultDrafts, runCalls, suspendedCalls } from "./toolCalls.ts"
import { compacted, type Emit, type Requesting, turnRequest } from "./turnRequest.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Stepping extends Requesting {
  readonly agent: typeof Agent.Service
  readonly tools: typeof ToolRunner.Service
}

/** How a turn that was resumed ends if calls are left: no request is built before they are answered. */
const stillSuspended = ({ surface: nodes }: SessionState): TurnEnd | undefined => {
  const pending = nodes.unanswered.map((call) => call.id)
  const caller = SurfaceState.nodeAt(nodes, SurfaceState.unitStart(nodes, nodes.length - 1))
  return pending.length === 0 || caller === undefined
    ? undefined
    : { _tag: "TurnEnd", outcome: "suspended", text: Message.text(caller.message), pending }
}

/**
 * Step after step until the turn ends. `answers` are those of the step that runs, for whoever has to close it early.
 *
 * @since 0.1.0
 * @category constructors
 */
export const turnSteps = (stepping: Stepping) => {
  const { adapter, agent, compact, policy, surface, tools } = stepping
  const prevent = (emit: Emit) =>
    Effect.flatMap(
      runCompaction({ surface, compact }, policy, "pressure"),
      Option.match({ onNone: () => Effect.void, onSome: compacted(emit) })
    )

  const envelopeOf = Effect.map(agent.envelope, (envelope) =>
    tools.tools.length === 0 ? envelope : { ...envelope, tools: tools.tools }
  )

  /** One step: the request, its answer, its tools. Undefined: the turn goes on. */
  const step = (answers: Answers, emit: Emit) =>
    Effect.gen(function* () {
      const { finish, message, usage } = yield* turnRequest(stepping, emit)
      const calls = Message.toolCalls(message)
      const { envelope } = yield* surface.state
      const info = envelope === undefined ? Option.none() : yield* adapter.modelInfo(envelope.envelope.route)
      const state = yield* commitAnswer(surface, {
        drafts: () => [
          {
            type: "message/assistant",
            data: { message, finish, ...(usage === undefined ? {} : { usage }) }
          }
        ],
        info: Option.getOrUndefined(info),
        learned: (step, learned) => emit({ _tag: "WindowLearned", step, ...learned })
      })
      yield* runCalls(tools, calls, answers, (_tag, { id, name }, isError) =>
        emit(
          _tag === "ToolCalled" ? { _tag, step: state.step, id, name } : { _tag, step: state.step, id, name, isError }
        )
      )
      const pending = suspendedCalls(calls, answers)
      yield* surface.commit((now) => [
        ...resultDrafts(calls, answers),
        // context that comes before an answer which is still out would part it from its call
        ...(pending.length === 0 ? joining(now) : [])
      ])
      answers.clear()
      yield* prevent(emit)
      yield* surface.commit(({ openStep }) =>
        openStep === undefined
          ? []
          : [{ type: "step/end", data: { turn: openStep.turn, step: openStep.step, outcome: "completed" } }]
      )
      const ended = (outcome: TurnEnd["outcome"]): TurnEnd => ({
        _tag: "TurnEnd",
        outcome,
        text: Message.text(message),
        pending
      })
      if (pending.length > 0) return ended("suspended")
      if (calls.length > 0) return undefined
      return ended(finish === "length" ? "output-limit" : "completed")
    }).pipe(Effect.withSpan("effect-compaction.step"))

  return (answers: Answers, emit: Emit): Effect.Effect<TurnEnd, TurnError> =>
    Effect.gen(function* () {
      const waiting = stillSuspended(yield* surface.state)
      if (waiting !== undefined) return waiting
      while (true) {
        // everything that the check reads is in the log before it, and nothing changes it until the request is sent
        yield* surface.commit(declareEnvelope(yield* envelopeOf))
        yield* prevent(emit)
        const end = yield* step(answers, emit)
        if (end !== undefined) return end
      }
    })
}
