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
  readonly weights: ReadonlyArray<number>
  readonly from: number
  readonly to: number
}

const rangeOf = (weights: ReadonlyArray<number>): Used => {
  let from = 0
  let to = weights.length
  while (from < to && weights[from] === 0) from++
  while (to > from && weights[to - 1] === 0) to--
  return { weights, from, to }
}

/** One route's weights are asked for again and again, and looking for them takes longer than the sum. */
let latest: Used = { weights: [], from: 0, to: 0 }

const usedBy = (weights: ReadonlyArray<number>): Used =>
  latest.weights === weights ? latest : (latest = rangeOf(weights))

const weighted = ({ columns }: SurfaceState, position: number, { from, to, weights }: Used): number => {
  const end = Math.min(to, columns.dimensions)
  let sum = 0
  for (let k = from; k < end; k++) sum += Columns.sumBefore(columns, position, k) * weights[k]!
  return sum
}

/**
 * The weighted sum of the counts of the first `position` nodes. O(dimensions).
 *
 * @since 0.1.0
 * @category getters
 */
export const sumBefore = (state: SurfaceState, position: number, weights: ReadonlyArray<number>): number =>
  weighted(state, position, usedBy(weights))

/** The weight of the nodes before a block. */
const weightBefore = ({ dimensions, sums }: Columns.Columns, block: number, { from, to, weights }: Used): number => {
  const at = block * dimensions
  let sum = 0
  for (let k = from; k < to; k++) sum += (sums[at + k] ?? 0) * weights[k]!
  return sum
}

/** The last block whose nodes before it weigh at most `limit`, in a search that widens from the block `near` on. */
const lastBlockWithin = (columns: Columns.Columns, length: number, limit: number, used: Used, near: number): number => {
  const end = Columns.blockOf(length) + 1
  let low = Math.min(near, end - 1)
  let high = low + 1
  for (let step = 1; low > 0 && weightBefore(columns, low, used) > limit; step *= 2) {
    high = low
    low = Math.max(low - step, 0)
  }
  for (let step = 1; high < end && weightBefore(columns, high, used) <= limit; step *= 2) {
    low = high
    high = Math.min(high + step, end)
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (weightBefore(columns, middle, used) <= limit) low = middle
    else high = middle
  }
  return low
}

/**
 * The last place whose nodes before it weigh at most `limit`, 0 where none do. O(log n) of its distance from the place that
 * was found last: as a surface grows, its tail begins a little later each time.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastWithin = (state: SurfaceState, limit: number, weights: ReadonlyArray<number>): number => {
  const { columns, length } = state
  const { counts, found } = columns
  const used = usedBy(weights)
  const { from, to } = used
  const near = Columns.blockOf(found.place)
  const block = lastBlockWithin(columns, length, limit, used, near)
  // within a block the sum is the same whether a search goes on or begins: it is added up from the block's first node
  const goesOn = block === near && found.weights === weights && found.place <= length && found.weight <= limit
  let place = goesOn ? found.place : block * Columns.stride
  let weight = goesOn ? found.weight : weightBefore(columns, block, used)
  const end = Math.min(length, (block + 1) * Columns.stride)
  for (; place < end; place++) {
    const own = counts[place]!
    let next = weight
    for (let k = from; k < to; k++) next += (own[k] ?? 0) * weights[k]!
    if (next > limit) break
    weight = next
  }
  found.place = place
  found.weight = weight
  found.weights = weights
  return place
}

/**
 * The counts of all nodes, summed in each dimension.
 *
 * @since 0.1.0
 * @category getters
 */
export const totalCounts = ({ columns, length }: SurfaceState): ReadonlyArray<number> => {
  const sums: Array<number> = []
  for (let k = 0; k < columns.dimensions; k++) sums.push(Columns.sumBefore(columns, length, k))
  return sums
}
