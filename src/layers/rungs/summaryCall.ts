import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Checkpoint from "../../compaction/Checkpoint.ts"
import { propose, type SummaryProposal } from "../../compaction/summarising.ts"
import { check } from "../../compaction/SummaryGate.ts"
import { SummaryFailed } from "../../errors/CompactionError.ts"
import type { LogWriteFailed } from "../../errors/SessionError.ts"
import type { Run } from "../../services/CompactService.ts"
import { Summarizer } from "../../services/Summarizer.ts"
import { Surface } from "../../services/Surface.ts"
import type { Route } from "../../session/Route.ts"
import type { BodyOf } from "../../session/SessionEvent.ts"
import * as Usage from "../../session/Usage.ts"

/** A summary that passed the checks, and the span that it stands for. */
export interface CheckedSummary {
  readonly proposal: SummaryProposal
  readonly text: string
  readonly route: Route
}

/** The summariser may overflow and get half of the span this often (design section 9). */
const halvings = 3

/** One call, interruptible, and recorded however it ends. */
const call = Effect.fnUntraced(function* ({ id, situation }: Run, proposal: SummaryProposal) {
  const surface = yield* Surface
  const summarizer = yield* Summarizer
  const record = (data: Partial<BodyOf<"compaction/call">["data"]> & { readonly outcome: string }) =>
    surface.commit(() => [
      { type: "compaction/call", data: { id, rung: "summarise", output: "", route: situation.summary.route, ...data } }
    ])
  const exit = yield* Effect.exit(
    Effect.interruptible(
      summarizer
        .summarize({
          envelope: { ...situation.envelope, route: situation.summary.route, maxOutputTokens: proposal.maxTokens },
          span: proposal.sent,
          // an earlier checkpoint is one of the messages of the span already
          instruction: Checkpoint.instruction({ maxTokens: proposal.maxTokens })
        })
        .pipe(
          Effect.disconnect,
          Effect.timeoutFail({
            duration: situation.policy.summary.timeLimit,
            onTimeout: () => new SummaryFailed({ reason: "timed-out", detail: "the policy's time limit of one call" })
          })
        )
    )
  )
  if (Exit.isFailure(exit)) {
    const failure = Cause.failureOption(exit.cause)
    yield* record({
      outcome: Cause.isInterrupted(exit.cause) ? "interrupted" : Option.isSome(failure) ? failure.value.reason : "died"
    })
    return yield* Effect.failCause(exit.cause)
  }
  const { route = situation.summary.route, text } = exit.value
  const usage = Usage.sound(exit.value.usage)
  const checked = check(exit.value)
  yield* record({
    outcome: checked._tag === "Right" ? "completed" : checked.left.reason,
    output: text,
    route,
    ...(usage === undefined ? {} : { usage })
  })
  return { proposal, text: yield* checked, route }
})

/**
 * Asks for a summary of the span, and of half of it while the summariser itself overflows. The same payload is never
 * sent twice.
 */
export const summaryOf = (
  run: Run,
  proposal: SummaryProposal,
  halved = 0
): Effect.Effect<CheckedSummary, SummaryFailed | LogWriteFailed, Surface | Summarizer> =>
  Effect.catchTag(call(run, proposal), "SummaryFailed", (error) => {
    if (error.reason !== "overflow" || halved >= halvings) return Effect.fail(error)
    const smaller = propose(run.situation, 0.5 ** (halved + 1))
    return smaller === undefined || smaller.nodes.length >= proposal.nodes.length
      ? Effect.fail(error)
      : summaryOf(run, smaller, halved + 1)
  })
