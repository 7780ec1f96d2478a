/**
 * A summary that was paid for and recorded, and that has not come to stand for its messages: its writer died, the run was
 * interrupted or ran out of time.
 *
 * @since 0.1.0
 */
import * as CanonicalJson from "../session/CanonicalJson.ts"
import * as Crc32 from "../session/Crc32.ts"
import type { Seq } from "../session/Ids.ts"
import type { Route } from "../session/Route.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { RecordedSummary } from "./Records.ts"
import { instruction } from "./SummaryInstruction.ts"

const encoder = new TextEncoder()

/**
 * Names what a summary request asks, whatever it is asked about: the route, and the words of the instruction. The cap is
 * left out, since a text can be cut.
 *
 * @since 0.1.0
 * @category getters
 */
export const askedOf = (route: Route): string =>
  Crc32.compute(encoder.encode(CanonicalJson.encode({ route, instruction: instruction({ maxTokens: 0 }) }))).toString(
    16
  )

/**
 * What is known once another summary request has ended. Requests of one run go on from each other, so the last of them holds
 * what those before it said.
 *
 * @since 0.1.0
 * @category folds
 */
export const recorded = (
  before: RecordedSummary | undefined,
  surface: SurfaceState.SurfaceState,
  seq: Seq,
  data: SessionEvent.BodyOf<"compaction/call">["data"]
): RecordedSummary | undefined => {
  const { asked, id, omitted = 0, outcome, output, route, span } = data
  if (outcome !== "completed" || span === undefined || asked === undefined) return before
  const goesOn =
    before !== undefined &&
    before.id === id &&
    SurfaceState.positionOf(surface, span.first) === (SurfaceState.positionOf(surface, before.last) ?? NaN) + 1
  return {
    id,
    seq,
    first: goesOn ? before.first : span.first,
    last: span.last,
    asked,
    output,
    omitted: goesOn ? before.omitted + omitted : omitted,
    ...(route === undefined ? {} : { route })
  }
}

/**
 * Where its messages stand, `to` behind the last; undefined unless all of them are as they were. What took the place of one
 * has a later seq. O(n).
 *
 * @since 0.1.0
 * @category getters
 */
export const standing = (
  surface: SurfaceState.SurfaceState,
  { first, last, seq }: RecordedSummary
): { readonly from: number; readonly to: number } | undefined => {
  const from = SurfaceState.positionOf(surface, first)
  const end = SurfaceState.positionOf(surface, last)
  if (from === undefined || end === undefined || from > end) return undefined
  const whole = SurfaceState.isBetweenUnits(surface, from) && SurfaceState.isBetweenUnits(surface, end + 1)
  const same = SurfaceState.counted(surface, from, end + 1).every((node) => node.seq < seq)
  return whole && same ? { from, to: end + 1 } : undefined
}
