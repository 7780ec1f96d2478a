/**
 * Reads the values of JSON whose places are known.
 *
 * @since 0.1.0
 */
import type { JsonBytes } from "./JsonBytes.ts"
import { backslash, zero } from "./jsonCharacters.ts"

const decoder = new TextDecoder()

/**
 * The value from `from` to `to`, which must be JSON.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = ({ bytes }: JsonBytes, from: number, to: number): unknown =>
  JSON.parse(decoder.decode(bytes.subarray(from, to)))

/** Longer strings, and those with an escape or of other letters, are for the decoder. */
const longest = 64

/** Short strings that were read, by a hash of their bytes: names of tools and the like come thousands of times. */
const seen: Array<string> = Array.from({ length: 512 }, () => "")

const isSpelled = (known: string, bytes: Uint8Array, from: number): boolean => {
  for (let i = 0; i < known.length; i++) if (known.charCodeAt(i) !== bytes[from + i]) return false
  return true
}

/**
 * The string from `from` to `to`, quotes included. Short ones are nearly all plain, and a decoder's call costs more than they do.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseString = (json: JsonBytes, from: number, to: number): string => {
  const { bytes } = json
  const length = to - from - 2
  if (length > longest) return parse(json, from, to) as string
  let hash = length
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at]!
    if (byte >= 128 || byte === backslash) return parse(json, from, to) as string
    hash = (hash * 31 + byte) | 0
  }
  const place = hash & (seen.length - 1)
  const before = seen[place]!
  if (before.length === length && isSpelled(before, bytes, from + 1)) return before
  return (seen[place] = String.fromCharCode.apply(null, bytes.subarray(from + 1, to - 1) as unknown as Array<number>))
}

/**
 * The number from `from` to `to`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseNumber = (json: JsonBytes, from: number, to: number): number => {
  const { bytes } = json
  if (to - from > 15) return parse(json, from, to) as number
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - zero
    if (digit < 0 || digit > 9) return parse(json, from, to) as number
    value = value * 10 + digit
  }
  return value
}
