/**
 * How heavy the nodes of a surface are: sums of their counts, each weighted for a tokenizer.
 *
 * @since 0.1.0
 */
import * as Columns from "./SurfaceColumns.ts"
import type { SurfaceState } from "./SurfaceState.ts"

/**
 * The dimensions from the first to the last that weighs: an estimator counts for many tokenizers, of which a route is one.
 */
interface Used {
  readonly from: number
  readonly to: number
}

const usedBy = (weights: ReadonlyArray<number>, dimensions: number): Used => {
  let from = 0
  let to = Math.min(weights.length, dimensions)
  while (from < to && weights[from] === 0) from++
  while (to > from && weights[to - 1] === 0) to--
  return { from, to }
}

const weighted = (
  state: SurfaceState,
  position: number,
  weights: ReadonlyArray<number>,
  { from, to }: Used
): number => {
  let sum = 0
  for (let k = from; k < to; k++) sum += Columns.sumBefore(state.columns, state.dimensions, position, k) * weights[k]!
  return sum
}

/**
 * The weighted sum of the counts of the first `position` nodes. O(dimensions).
 *
 * @since 0.1.0
 * @category getters
 */
export const sumBefore = (state: SurfaceState, position: number, weights: ReadonlyArray<number>): number =>
  weighted(state, position, weights, usedBy(weights, state.dimensions))

/**
 * The last place whose nodes before it weigh at most `limit`, 0 where none do. O(log n) of its distance from the end: most
 * who ask want a short tail, and its memory is warm.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastWithin = (state: SurfaceState, limit: number, weights: ReadonlyArray<number>): number => {
  const { stride } = Columns
  const used = usedBy(weights, state.dimensions)
  let high = state.length
  let low = high - (high % stride)
  for (let step = stride; low > 0 && weighted(state, low, weights, used) > limit; step *= 2) {
    high = low - 1
    low = Math.max(low - step, 0)
  }
  while (low < high) {
    const half = (high - low + 1) >> 1
    // between two blocks as long as there are any, since the sums there are stored
    const middle = low + (half > stride ? half - (half % stride) : half)
    if (weighted(state, middle, weights, used) <= limit) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * The counts of all nodes, summed in each dimension.
 *
 * @since 0.1.0
 * @category getters
 */
export const totalCounts = (state: SurfaceState): ReadonlyArray<number> =>
  Array.from({ length: state.dimensions }, (_, k) =>
    Columns.sumBefore(state.columns, state.dimensions, state.length, k)
  )
