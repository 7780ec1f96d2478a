/**
 * How heavy the nodes of a surface are: sums of their counts, each weighted for a tokenizer.
 *
 * @since 0.1.0
 */
import * as RunningWeights from "./RunningWeights.ts"
import type { SurfaceState } from "./SurfaceState.ts"

/** With all of this state's nodes added up: each once, whoever asks. */
const added = ({ columns, length }: SurfaceState, weights: ReadonlyArray<number>): RunningWeights.RunningWeights => {
  const running = RunningWeights.of(columns.running, weights)
  if (running.length < length) RunningWeights.extend(running, columns.counts, length)
  return running
}

/**
 * The weighted sum of the counts of the first `position` nodes. O(1), and for each node O(dimensions) once.
 *
 * @since 0.1.0
 * @category getters
 */
export const sumBefore = (state: SurfaceState, position: number, weights: ReadonlyArray<number>): number =>
  added(state, weights).before[position]!

/**
 * The last place whose nodes before it weigh at most `limit`, 0 where none do. O(log n) of its distance from the place that
 * was found last.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastWithin = (state: SurfaceState, limit: number, weights: ReadonlyArray<number>): number =>
  RunningWeights.lastWithin(added(state, weights), state.length, limit)

/**
 * The counts of all nodes, summed in each dimension. What one request added up the next one goes on from.
 *
 * @since 0.1.0
 * @category getters
 */
export const totalCounts = ({ columns, length }: SurfaceState): ReadonlyArray<number> => {
  const { counts, dimensions, total } = columns
  // of an older state than was asked about last
  if (total.length > length) {
    total.length = 0
    total.sums.fill(0)
  }
  for (; total.length < length; total.length++) {
    const own = counts[total.length]!
    for (let k = 0; k < dimensions; k++) total.sums[k]! += own[k] ?? 0
  }
  return Array.from(total.sums)
}
