/**
 * Holds two folds of a session's log against each other: everything that the session goes on from.
 *
 * @since 0.1.0
 */
import { isDeepStrictEqual } from "node:util"
import { measure } from "../../compaction/measure.ts"
import type { Records } from "../../compaction/Records.ts"
import type { SessionState } from "../../compaction/SessionState.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import * as SurfaceState from "../../session/SurfaceState.ts"

/** Of a call that waits a store may have read more. */
const open = ({ unanswered }: SurfaceState.SurfaceState) => unanswered.map(({ id, name }) => ({ id, name }))

const surfaceDifference = (source: SurfaceState.SurfaceState, copy: SurfaceState.SurfaceState): string | undefined => {
  if (source.length !== copy.length)
    return `surface: ${source.length} messages at the source, ${copy.length} in the copy`
  const theirs = SurfaceState.nodes(copy)
  const place = SurfaceState.nodes(source).findIndex((node, i) => !isDeepStrictEqual(node, theirs[i]))
  if (place !== -1) return `surface: message ${place} is another (seq ${theirs[place]?.seq})`
  return isDeepStrictEqual(open(source), open(copy)) ? undefined : "surface: other calls wait for results"
}

/** What a surface says. What it is held as depends on the store that it was read from. */
const said = (surface: SurfaceState.SurfaceState) => ({
  generation: surface.generation,
  unanswered: open(surface),
  nodes: SurfaceState.nodes(surface)
})

const withSaid = <A extends { readonly surface: SurfaceState.SurfaceState }>(held: A | undefined) =>
  held === undefined ? undefined : { ...held, surface: said(held.surface) }

const recordsSaid = (records: Records) => ({
  ...records,
  openStep: withSaid(records.openStep),
  accepted: records.accepted && { ...withSaid(records.accepted), before: withSaid(records.accepted.before) }
})

const figure = (name: string, source: number, copy: number): string | undefined =>
  source === copy ? undefined : `${name}: ${source} at the source, ${copy} in the copy`

/**
 * What is not the same, each in words; nothing, if the two are one session.
 *
 * @since 0.1.0
 * @category getters
 */
export const differences = (
  source: SessionState,
  copy: SessionState,
  estimator: TokenEstimator
): ReadonlyArray<string> => {
  const [here, there] = [measure(source, estimator), measure(copy, estimator)]
  const found = [
    figure("events", source.revision, copy.revision),
    figure("generation", source.surface.generation, copy.surface.generation),
    surfaceDifference(source.surface, copy.surface),
    figure("tokens of the next request", here.totalTokens, there.totalTokens),
    figure("their upper bound", here.upperTokens, there.upperTokens),
    isDeepStrictEqual(source.meter, copy.meter) ? undefined : "prices: the meter learned something else",
    isDeepStrictEqual(recordsSaid(source.records), recordsSaid(copy.records))
      ? undefined
      : "records: turns, requests or compactions are others"
  ]
  return found.filter((difference) => difference !== undefined)
}
