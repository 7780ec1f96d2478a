/**
 * The prune rung: shortens tool results, no model involved.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { resultDraft } from "../../compaction/drafts.ts"
import { propose, type PruneProposal } from "../../compaction/pruning.ts"
import type { Run, Rung } from "../../services/CompactService.ts"
import { Surface } from "../../services/Surface.ts"

/** One pass, one batch: the price, then the shortened results. */
const attempt = ({ id, situation, ticket }: Run, { results }: PruneProposal) =>
  Effect.flatMap(Surface, (surface) =>
    surface.replace(ticket, {
      expected: { surface: situation.state.surface },
      spans: results.map(({ result, seq }) => ({ first: seq, last: seq, by: resultDraft(result) })),
      records: (price, shadowed) => ({
        before: [
          { type: "compaction/prune", data: { id, trigger: situation.trigger, rung: "prune", shadowed, price } }
        ],
        after: []
      })
    })
  )

/**
 * @since 0.1.0
 * @category rungs
 */
export const prune: Rung = {
  name: "prune",
  paid: false,
  propose: (situation) => {
    const proposal = propose(situation)
    return proposal === undefined ? undefined : { ...proposal, attempt: (run) => attempt(run, proposal) }
  }
}
