/**
 * The prune rungs: shorten tool results, no model involved.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { resultDraft } from "../../compaction/drafts.ts"
import { propose, proposeTighter, type PruneProposal } from "../../compaction/pruning.ts"
import type { Run, Rung, Situation } from "../../services/CompactService.ts"
import { Surface } from "../../services/Surface.ts"

/** One pass, one batch: the price, then the shortened results. */
const attempt = (rung: string, { id, situation, ticket }: Run, { results }: PruneProposal) =>
  Effect.flatMap(Surface, (surface) =>
    surface.replace(ticket, {
      expected: { surface: situation.state.surface },
      spans: results.map(({ result, seq }) => ({ first: seq, last: seq, by: resultDraft(result) })),
      records: (price, shadowed) => ({
        before: [{ type: "compaction/prune", data: { id, trigger: situation.trigger, rung, shadowed, price } }],
        after: []
      })
    })
  )

const rungOf = (name: string, look: (situation: Situation) => PruneProposal | undefined): Rung => ({
  name,
  paid: false,
  propose: (situation) => {
    const proposal = look(situation)
    return proposal === undefined ? undefined : { ...proposal, attempt: (run) => attempt(name, run, proposal) }
  }
})

/**
 * Tool results that are over the policy's budget.
 *
 * @since 0.1.0
 * @category rungs
 */
export const prune: Rung = rungOf("prune", propose)

/**
 * After an overflow, tool results that are over a smaller budget, the newest ones included.
 *
 * @since 0.1.0
 * @category rungs
 */
export const pruneTighter: Rung = rungOf("prune-tighter", proposeTighter)
