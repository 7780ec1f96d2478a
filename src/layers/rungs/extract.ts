/**
 * The extract rung: a checkpoint made without a model, once nothing else has helped.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { propose } from "../../compaction/extracting.ts"
import type { Rung } from "../../services/CompactService.ts"
import { checkpointRun } from "./checkpointRun.ts"

/**
 * @since 0.1.0
 * @category rungs
 */
export const extract: Rung = {
  name: "extract",
  paid: false,
  propose: (situation) => {
    const proposal = propose(situation)
    if (proposal === undefined) return undefined
    const { message, nodes, summary } = proposal
    return {
      ...proposal,
      attempt: (run) => checkpointRun(run, extract, Effect.succeed({ nodes, summary, message: message(run.id) }))
    }
  }
}
