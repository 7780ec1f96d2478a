// Weights that are not negative, for the smallest relative error.

/**
 * Minimises the sum of `weight * (row · x / truth - 1)²` over all rows, plus `ridge * (x - prior)²`, over
 * x >= 0: coordinate descent on the normal equations, which for such a convex problem ends at its one minimum.
 */
const solve = (rows, prior, ridge) => {
  const size = prior.length
  const matrix = Array.from({ length: size }, (_, i) => {
    const line = new Float64Array(size)
    line[i] = ridge
    return line
  })
  const right = Float64Array.from(prior, (value) => value * ridge)
  for (const { counters, truth, weight } of rows) {
    const pull = weight / truth
    const scale = pull / truth
    for (const { at, count } of counters) {
      right[at] += pull * count
      for (const other of counters) matrix[at][other.at] += scale * count * other.count
    }
  }
  const x = Float64Array.from(prior)
  for (let round = 0; round < 20_000; round++) {
    let largest = 0
    for (let i = 0; i < size; i++) {
      let rest = right[i]
      for (let j = 0; j < size; j++) if (j !== i) rest -= matrix[i][j] * x[j]
      const next = Math.max(0, rest / matrix[i][i])
      largest = Math.max(largest, Math.abs(next - x[i]))
      x[i] = next
    }
    if (largest < 1e-7) break
  }
  return x
}

const estimate = (counters, x) => counters.reduce((sum, { at, count }) => sum + count * x[at], 0)

/**
 * As above for the absolute error in place of its square, so that a few odd texts do not rule: solved again with each row
 * weighted by the inverse of its error of the round before.
 */
export const fitWeights = (rows, prior, { ridge = 2e-4, rounds = 8, floor = 0.02 } = {}) => {
  let x = solve(rows, prior, ridge)
  for (let round = 0; round < rounds; round++) {
    const again = rows.map(({ counters, truth, weight }) => ({
      counters,
      truth,
      weight: (weight * 0.1) / Math.max(Math.abs(estimate(counters, x) / truth - 1), floor)
    }))
    x = solve(again, prior, ridge)
  }
  return x
}
