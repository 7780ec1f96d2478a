/**
 * The summarise rung: one checkpoint in place of a span, written by a model.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Checkpoint from "../../compaction/Checkpoint.ts"
import { countTextOf, priceOf, roomForQuotes } from "../../compaction/Situation.ts"
import { propose, type SummaryProposal } from "../../compaction/summarising.ts"
import type { Proposal, Run, Rung } from "../../services/CompactService.ts"
import { checkpointRun, type Made } from "./checkpointRun.ts"
import { foldSummary, type FoldedSummary } from "./summaryFold.ts"

/** The newest user words go into it verbatim. */
const made = ({ id, situation }: Run, { nodes, omitted, route, text }: FoldedSummary): Made => {
  const countText = countTextOf(situation)
  const quoteTokens = roomForQuotes(situation, priceOf(situation, nodes), countText(text))
  const quotes = Checkpoint.quotes(nodes, quoteTokens, countText)
  return { nodes, summary: text, message: Checkpoint.render({ id, summary: text, quotes }), route, omitted }
}

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
