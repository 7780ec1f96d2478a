/**
 * Which steps a chart of limited width draws, and which a table of limited length tells.
 *
 * @since 0.1.0
 */

/**
 * The places to draw of a long row of values: of each stretch the lowest and the highest, so that no peak is lost. All of
 * them where there are no more than `most`.
 *
 * @since 0.1.0
 * @category getters
 */
export const drawn = (values: ReadonlyArray<number>, most: number): ReadonlyArray<number> => {
  if (values.length <= most) return values.map((_, i) => i)
  const places = new Set<number>([0, values.length - 1])
  for (const { from, to } of stretches(values.length, Math.floor(most / 2))) {
    let low = from
    let high = from
    for (let i = from; i < to; i++) {
      if (values[i]! < values[low]!) low = i
      if (values[i]! > values[high]!) high = i
    }
    places.add(low).add(high)
  }
  return [...places].sort((a, b) => a - b)
}

/**
 * Stretches of about the same length, at most `most` of them.
 *
 * @since 0.1.0
 * @category getters
 */
export const stretches = (
  length: number,
  most: number
): ReadonlyArray<{ readonly from: number; readonly to: number }> => {
  const size = Math.max(1, Math.ceil(length / most))
  return Array.from({ length: Math.ceil(length / size) }, (_, i) => ({
    from: i * size,
    to: Math.min(length, (i + 1) * size)
  }))
}
