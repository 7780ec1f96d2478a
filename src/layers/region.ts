import * as Either from "effect/Either"
import * as Reusing from "../compaction/reusing.ts"
import type { Situation } from "../compaction/Situation.ts"
import { forSpan } from "../compaction/summarising.ts"
import { InvalidReplacement } from "../errors/CompactionError.ts"
import type { Seq } from "../session/Ids.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { Step } from "./ladder.ts"
import { reuse, reuseRecorded } from "./rungs/reuse.ts"
import { summarise, summariseSpan } from "./rungs/summarise.ts"

/** The places of a span that somebody chose by its ends, `to` behind the last; or what is wrong with it. */
export const regionOf = (
  session: string,
  surface: SurfaceState.SurfaceState,
  first: Seq,
  last: Seq
): Either.Either<{ readonly from: number; readonly to: number }, InvalidReplacement> => {
  const refuse = (reason: InvalidReplacement["reason"], detail: string) =>
    Either.left(new InvalidReplacement({ session, reason, detail }))
  const from = SurfaceState.positionOf(surface, first)
  const end = SurfaceState.positionOf(surface, last)
  if (from === undefined || end === undefined) {
    return refuse("no-such-node", `seq ${from === undefined ? first : last} is not on the surface`)
  }
  if (from > end) return refuse("reversed", `seq ${first} stands behind seq ${last} on the surface`)
  return SurfaceState.isBetweenUnits(surface, from) && SurfaceState.isBetweenUnits(surface, end + 1)
    ? Either.right({ from, to: end + 1 })
    : refuse("splits-a-pair", `from seq ${first} to ${last} a tool call would be parted from its result`)
}

/** What is to be done with a span that somebody chose: a summary of it that was paid for before stands, else one is made. */
export const stepFor = (
  situation: Situation,
  from: number,
  to: number
): Pick<Step, "rung" | "proposal"> | undefined => {
  const paid = Reusing.forSpan(situation, from, to)
  if (paid !== undefined) return { rung: reuse, proposal: reuseRecorded(paid) }
  const proposal = forSpan(situation, from, to)
  return proposal === undefined ? undefined : { rung: summarise, proposal: summariseSpan(proposal) }
}
