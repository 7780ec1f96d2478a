/**
 * Pieces of bytes as one.
 *
 * @since 0.1.0
 */

/**
 * `size` is the length of all parts together, which who gathers them knows.
 *
 * @since 0.1.0
 * @category combinators
 */
export const joinedBytes = (parts: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
