/**
 * The prune rungs: shorten messages, no model involved.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { propose, proposeTighter, type PruneProposal } from "../../compaction/pruning.ts"
import type { Run, Rung, Situation } from "../../services/CompactService.ts"
import { Surface } from "../../services/Surface.ts"

/** One pass, one batch: the price, then the shortened messages. */
const attempt = (rung: string, { id, situation, ticket }: Run, { cuts }: PruneProposal) =>
  Effect.flatMap(Surface, (surface) =>
    surface.replace(ticket, {
      expected: { surface: situation.state.surface },
      spans: cuts.map(({ by, seq }) => ({ first: seq, last: seq, by })),
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
 * After an overflow, tool results that are over a smaller budget, the newest ones included; then any message of the newest
 * unit, where that unit alone is too large.
 *
 * @since 0.1.0
 * @category rungs
 */
export const pruneTighter: Rung = rungOf("prune-tighter", proposeTighter)
