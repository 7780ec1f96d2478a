/**
 * The rung for a request that has too many bytes: images and files make place for what names them, no model involved.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type MediaProposal, propose } from "../../compaction/media.ts"
import type { Run, Rung } from "../../services/CompactService.ts"
import { Surface } from "../../services/Surface.ts"

/** One pass, one batch: the record, then the messages without what was dropped. */
const attempt = ({ id, situation, ticket }: Run, { bytes, replaced }: MediaProposal) =>
  Effect.flatMap(Surface, (surface) =>
    surface.replace(ticket, {
      expected: { surface: situation.state.surface },
      spans: replaced.map(({ by, seq }) => ({ first: seq, last: seq, by })),
      records: (price, shadowed) => ({
        before: [
          {
            type: "compaction/prune",
            data: { id, trigger: situation.trigger, rung: dropMedia.name, shadowed, price, bytes }
          }
        ],
        after: []
      })
    })
  )

/**
 * After a refusal for bytes only: inline images and files to placeholders that name them, oldest first.
 *
 * @since 0.1.0
 * @category rungs
 */
export const dropMedia: Rung = {
  name: "drop-media",
  paid: false,
  reduces: "bytes",
  propose: (situation) => {
    const proposal = propose(situation)
    return proposal === undefined ? undefined : { ...proposal, attempt: (run) => attempt(run, proposal) }
  }
}
