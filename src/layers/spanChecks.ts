import type { Replace } from "../services/Surface.ts"
import type * as Ids from "../session/Ids.ts"
import * as SurfaceState from "../session/SurfaceState.ts"

/** The span that no longer stands as it was when the decision was made. */
export const spanChanged = (
  surface: SurfaceState.SurfaceState,
  expected: Replace["expected"]
): { readonly first: Ids.Seq; readonly last: Ids.Seq } | undefined => {
  if ("surface" in expected) {
    const { generation, length } = expected.surface
    return surface.generation === generation && surface.length === length
      ? undefined
      : ends(SurfaceState.nodes(expected.surface))
  }
  const start = SurfaceState.positionOf(surface, expected.nodes[0]?.seq ?? -1)
  const stands =
    start !== undefined && expected.nodes.every(({ seq }, i) => SurfaceState.nodeAt(surface, start + i)?.seq === seq)
  return stands ? undefined : ends(expected.nodes)
}

/** Why nothing stands between two seqs. */
export const missingSpan = (
  surface: SurfaceState.SurfaceState,
  first: Ids.Seq,
  last: Ids.Seq
): SurfaceState.Violation => {
  const missing = [first, last].find((seq) => SurfaceState.positionOf(surface, seq) === undefined)
  return missing === undefined
    ? new SurfaceState.Violation("reversed", `seq ${first} stands behind seq ${last} on the surface`)
    : new SurfaceState.Violation("no-such-node", `seq ${missing} is not on the surface`)
}

const ends = (nodes: ReadonlyArray<SurfaceState.Node>) => ({
  first: nodes[0]?.seq ?? -1,
  last: nodes.at(-1)?.seq ?? -1
})
