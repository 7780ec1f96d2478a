/**
 * What the nodes of a surface weigh for one tokenizer, added up from the first one on, as far as somebody has asked.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface RunningWeights {
  weights: ReadonlyArray<number>
  /** The dimensions from the first to the last that weighs: an estimator counts for many tokenizers, of which a route is one. */
  readonly from: number
  readonly to: number
  /** how many nodes are added up */
  length: number
  /** at each place up to `length`, what the nodes before it weigh */
  before: Float64Array
  /** the place that the last search ended at: there the next one begins */
  found: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (weights: ReadonlyArray<number>): RunningWeights => {
  let from = 0
  let to = weights.length
  while (from < to && weights[from] === 0) from++
  while (to > from && weights[to - 1] === 0) to--
  return { weights, from, to, length: 0, before: new Float64Array(1), found: 0 }
}

const isSame = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a === b || (a.length === b.length && a.every((weight, k) => weight === b[k]))

/** A session has one route, or two that it changes between; each that is kept grows with it. */
const kept = 4

const first = (all: Array<RunningWeights>, weights: ReadonlyArray<number>): RunningWeights => {
  const at = all.findIndex((running) => isSame(running.weights, weights))
  const [running = make(weights)] = at === -1 ? [] : all.splice(at, 1)
  running.weights = weights
  all.unshift(running)
  all.length = Math.min(all.length, kept)
  return running
}

/**
 * Those of these weights, first from now on. An estimator makes weights anew for each route that it is shown, with the same
 * numbers for the same tokenizer.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = (all: Array<RunningWeights>, weights: ReadonlyArray<number>): RunningWeights => {
  const latest = all[0]
  return latest?.weights === weights ? latest : first(all, weights)
}

/**
 * Adds up the nodes that were appended since, up to `length` of them. O(1) for each. `counts` has room for more.
 *
 * @since 0.1.0
 * @category combinators
 */
export const extend = (running: RunningWeights, counts: ReadonlyArray<ReadonlyArray<number>>, length: number): void => {
  const { from, to, weights } = running
  if (running.before.length <= length) {
    const longer = new Float64Array(counts.length + 1)
    longer.set(running.before)
    running.before = longer
  }
  const { before } = running
  let sum = before[running.length]!
  for (let place = running.length; place < length; place++) {
    const own = counts[place]!
    for (let k = from; k < to; k++) sum += (own[k] ?? 0) * weights[k]!
    before[place + 1] = sum
  }
  running.length = length
}

/**
 * The last of the places up to `length` whose nodes before it weigh at most `limit`, 0 where none do. O(log n) of its distance
 * from the place that was found last: as a surface grows, its tail begins a little later each time.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastWithin = (running: RunningWeights, length: number, limit: number): number => {
  const { before } = running
  let low = Math.min(running.found, length)
  let high = low + 1
  for (let step = 1; low > 0 && before[low]! > limit; step *= 2) {
    high = low
    low = Math.max(low - step, 0)
  }
  for (let step = 1; high <= length && before[high]! <= limit; step *= 2) {
    low = high
    high = Math.min(high + step, length + 1)
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (before[middle]! <= limit) low = middle
    else high = middle
  }
  running.found = low
  return low
}
