/**
 * The extract rung: a checkpoint made without a model, once nothing else has helped.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type ExtractProposal, propose, proposeBeforeTail } from "../../compaction/extracting.ts"
import type { Situation } from "../../compaction/Situation.ts"
import type { Rung } from "../../services/CompactService.ts"
import { checkpointRun } from "./checkpointRun.ts"

type Propose = (situation: Situation) => ExtractProposal | undefined

const rung = (propose: Propose): Rung => {
  const self: Rung = {
    name: "extract",
    paid: false,
    propose: (situation) => {
      const proposal = propose(situation)
      if (proposal === undefined) return undefined
      const { message, nodes, summary } = proposal
      return {
        ...proposal,
        attempt: (run) => checkpointRun(run, self, Effect.succeed({ nodes, summary, message: message(run.id) }))
      }
    }
  }
  return self
}

/**
 * @since 0.1.0
 * @category rungs
 */
export const extract: Rung = rung(propose)

/**
 * The same before the tail that the policy retains, and under pressure too: it stands in the place of `summarise` on a
 * ladder without a model.
 *
 * @since 0.1.0
 * @category rungs
 */
export const extractBeforeTail: Rung = rung(proposeBeforeTail)
