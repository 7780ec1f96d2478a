// Random numbers from a seed, so that every run and every machine measures the same workload.

export interface Random {
  /** from 0 up to, not including, 1 */
  readonly next: () => number
  readonly integer: (below: number) => number
  /** log-normal: `median` times e to the power of a normal number of this deviation */
  readonly logNormal: (median: number, deviation: number) => number
}

/** The mulberry32 generator: 32 bits of state, good enough to mix sizes. */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    integer: (below) => Math.floor(next() * below),
    logNormal: (median, deviation) => median * Math.exp(normal() * deviation)
  }
}
