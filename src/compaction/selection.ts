/**
 * Where the surface may be cut: always between units, so that no call is parted from its result.
 *
 * @since 0.1.0
 */
import * as SurfaceState from "../session/SurfaceState.ts"

/**
 * The cut before the smallest tail of whole units whose weighted sum is at least `tail`; the newest unit is always in the
 * tail. 0 where the whole surface is not more than that. O(log n), then one unit's walk.
 *
 * @since 0.1.0
 * @category getters
 */
export const cutBeforeTail = (
  surface: SurfaceState.SurfaceState,
  tail: number,
  weights: ReadonlyArray<number>
): number => {
  if (surface.length === 0) return 0
  const limit = SurfaceState.sumBefore(surface, surface.length, weights) - tail
  return limit < 0 ? 0 : SurfaceState.unitStart(surface, SurfaceState.lastWithin(surface, limit, weights))
}
