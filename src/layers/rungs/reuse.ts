/**
 * The rung for a summary that was paid for and recorded, and that never landed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { checkpointOf } from "../../compaction/checkpointing.ts"
import { propose, type ReuseProposal } from "../../compaction/reusing.ts"
import type { Proposal, Rung } from "../../services/CompactService.ts"
import { checkpointRun } from "./checkpointRun.ts"

/**
 * What using this one would be.
 *
 * @since 0.1.0
 * @category rungs
 */
export const reuseRecorded = (proposal: ReuseProposal): Proposal => ({
  ...proposal,
  attempt: (run) => {
    const { nodes, omitted, route, summary } = proposal
    const message = checkpointOf(run.situation, nodes, { id: run.id, summary })
    const made = { nodes, summary, message, omitted, ...(route === undefined ? {} : { route }) }
    return checkpointRun(run, reuse, Effect.succeed(made))
  }
})

/**
 * First of all, since it costs nothing and would stand there already had its writer lived.
 *
 * @since 0.1.0
 * @category rungs
 */
export const reuse: Rung = {
  name: "reuse",
  paid: false,
  propose: (situation) => {
    const proposal = propose(situation)
    return proposal === undefined ? undefined : reuseRecorded(proposal)
  }
}
