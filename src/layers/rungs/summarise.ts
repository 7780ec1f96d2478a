/**
 * The summarise rung: one checkpoint in place of a span.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Checkpoint from "../../compaction/Checkpoint.ts"
import { clipToTokens } from "../../compaction/CodePoints.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import { propose, type SummaryProposal } from "../../compaction/summarising.ts"
import { tokens } from "../../compaction/TokenEstimator.ts"
import { errorRecord } from "../../errors/errorRecord.ts"
import type { Proposal, Run, Rung } from "../../services/CompactService.ts"
import { type Replace, Surface } from "../../services/Surface.ts"
import type { BodyOf } from "../../session/SessionEvent.ts"
import { type CheckedSummary, summaryOf } from "./summaryCall.ts"

/** The newest user words go into it verbatim, and take at most half of the room that is left. */
const checkpointOf = ({ id, situation }: Run, { proposal, text }: CheckedSummary) => {
  const { estimator, measurement, policy, state, target } = situation
  const weights = SessionState.weights(state, estimator)
  const countText = (words: string) =>
    tokens(estimator.message({ role: "user", content: [{ type: "text", text: words }] }), weights)
  // a summariser that is no model of ours may not keep to the cap
  const summary = clipToTokens(text, proposal.maxTokens, countText)
  const gained = Math.max(proposal.price - countText(summary), 0)
  const free = target === undefined ? gained : Math.min(gained, target - (measurement.totalTokens - proposal.price))
  const maxTokens = Math.max(Math.min(policy.summary.quoteTokens, Math.floor(free / 2)), 0)
  return Checkpoint.render({ id, summary, quotes: Checkpoint.quotes(proposal.nodes, maxTokens, countText) })
}

const replacement = (run: Run, summary: CheckedSummary): Replace => {
  const { id, situation } = run
  const { proposal, route, text } = summary
  const { first, last } = proposal
  const message = checkpointOf(run, summary)
  return {
    expected: situation.trigger === "manual" ? { nodes: proposal.nodes } : { surface: situation.state.surface },
    spans: [{ first, last, by: { type: "message/user", data: { message, source: "checkpoint" } } }],
    records: (price, shadowed) => {
      const after = situation.measurement.totalTokens - price.before + price.after
      const targetMet = situation.target === undefined || after < situation.target
      return {
        before: [
          {
            type: "compaction/summary",
            data: { id, rung: "summarise", summary: text, span: { first, last }, shadowed, price, route }
          }
        ],
        after: [{ type: "compaction/end", data: { id, outcome: "landed", targetMet } }]
      }
    }
  }
}

const ending = (cause: Cause.Cause<unknown>): Omit<BodyOf<"compaction/end">["data"], "id"> => {
  if (Cause.isInterrupted(cause)) return { outcome: "interrupted" }
  return { outcome: "failed", error: errorRecord(Cause.squash(cause)) }
}

/**
 * Opens the durable record, summarises, checks, and commits summary, checkpoint and end as one batch; any other exit
 * writes exactly one end, interruption included (design section 12).
 */
const attempt = (run: Run, proposal: SummaryProposal) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const surface = yield* Surface
      const { id, situation, ticket } = run
      yield* surface.commit((state) => [
        {
          type: "compaction/start",
          data: { id, trigger: situation.trigger, turn: state.openTurn ?? null, writer: state.opened?.writer ?? id }
        }
      ])
      const exit = yield* summaryOf(run, proposal).pipe(
        // an interrupt that came while the answer was checked is delivered here, and nothing lands after it
        Effect.zipLeft(Effect.interruptible(Effect.void)),
        Effect.flatMap((summary) => surface.replace(ticket, replacement(run, summary))),
        Effect.exit
      )
      if (Exit.isFailure(exit)) {
        yield* surface.commit((state) =>
          state.openCompaction?.id === id ? [{ type: "compaction/end", data: { id, ...ending(exit.cause) } }] : []
        )
      }
      return yield* exit
    })
  )

/**
 * What summarising this span would be.
 *
 * @since 0.1.0
 * @category rungs
 */
export const summariseSpan = (proposal: SummaryProposal): Proposal => ({
  ...proposal,
  attempt: (run) => attempt(run, proposal)
})

/**
 * @since 0.1.0
 * @category rungs
 */
export const summarise: Rung = {
  name: "summarise",
  paid: true,
  propose: (situation) => {
    const proposal = propose(situation)
    return proposal === undefined ? undefined : summariseSpan(proposal)
  }
}
