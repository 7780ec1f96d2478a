/**
 * The summarise rung: one checkpoint in place of a span, written by a model.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { checkpointOf } from "../../compaction/checkpointing.ts"
import { propose, type SummaryProposal } from "../../compaction/summarising.ts"
import type { Proposal, Run, Rung } from "../../services/CompactService.ts"
import { checkpointRun, type Made } from "./checkpointRun.ts"
import { foldSummary, type FoldedSummary } from "./summaryFold.ts"

const made = ({ id, situation }: Run, { nodes, omitted, route, text: summary }: FoldedSummary): Made => ({
  nodes,
  summary,
  message: checkpointOf(situation, nodes, { id, summary }),
  route,
  omitted
})

/**
 * What summarising this span would be.
 *
 * @since 0.1.0
 * @category rungs
 */
export const summariseSpan = (proposal: SummaryProposal): Proposal => ({
  ...proposal,
  attempt: (run) =>
    checkpointRun(
      run,
      summarise,
      Effect.map(foldSummary(run, proposal), (folded) => made(run, folded))
    )
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
