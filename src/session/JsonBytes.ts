/**
 * JSON as bytes, walked over without being decoded. Only the compact form that a log's writer gives is known: where anything
 * else stands the answer is -1, which says nothing, and the text is for `JSON.parse` to judge.
 *
 * @since 0.1.0
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  minus,
  openBrace,
  openBracket,
  point,
  quote,
  space,
  zero
} from "./jsonCharacters.ts"

/**
 * `view` is of the same bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonBytes {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (bytes: Uint8Array): JsonBytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
})

const table = (characters: string): Uint8Array => {
  const found = new Uint8Array(256)
  for (const character of characters) found[character.charCodeAt(0)] = 1
  return found
}

const escapes = table('"\\/bfnrt')
const hexadecimal = table("0123456789abcdefABCDEF")
const digits = table("0123456789")
const exponents = table("eE")
const signs = table("+-")

/** Behind the escape at `at`; -1 where it is none. */
const escapeEnd = (bytes: Uint8Array, at: number): number => {
  const what = bytes[at + 1]!
  if (escapes[what] === 1) return at + 2
  if (what !== 117) return -1
  for (let i = at + 2; i < at + 6; i++) if (hexadecimal[bytes[i]!] !== 1) return -1
  return at + 6
}

/**
 * Not zero where one of these four bytes is a stop. A bit that is moved brings the quote next to what is below a space, so that
 * both are one comparison.
 */
const stopBits = (word: number): number =>
  (((word ^ 0x02020202) - 0x21212121) | ((word ^ 0x5c5c5c5c) - 0x01010101)) & ~word & 0x80808080

const isStop = (byte: number): boolean => byte < space || byte === quote || byte === backslash

/** Which of a word's four bytes is the first stop: the lowest bit says it, those above may be borrowed. */
const firstStop = (bits: number): number => (31 - Math.clz32(bits & -bits)) >> 3

/**
 * Where the first byte from `from` on stands that does not stand for itself inside a string. Goes by eight bytes: one by one it
 * would be the most expensive part of opening a log. It counts from nought, so that an engine knows how far it goes and looks for no
 * overflow.
 */
const stopAt = ({ bytes, view }: JsonBytes, from: number): number => {
  let done = 0
  for (const last = view.byteLength - 8 - from; done <= last; done += 8) {
    const low = stopBits(view.getInt32((from + done) | 0, true))
    if (low !== 0) return from + done + firstStop(low)
    const high = stopBits(view.getInt32((from + done + 4) | 0, true))
    if (high !== 0) return from + done + 4 + firstStop(high)
  }
  let at = from + done
  while (at < bytes.length && !isStop(bytes[at]!)) at++
  return at
}

/**
 * Where the string that begins at `from`, with its quote, ends.
 *
 * @since 0.1.0
 * @category scanning
 */
export const stringEnd = (json: JsonBytes, from: number): number => {
  const { bytes } = json
  if (bytes[from] !== quote) return -1
  for (let at = from + 1; at !== -1; at = escapeEnd(bytes, at)) {
    at = stopAt(json, at)
    if (bytes[at] !== backslash) return bytes[at] === quote ? at + 1 : -1
  }
  return -1
}

const digitsEnd = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (digits[bytes[at]!] === 1) at++
  return at === from ? -1 : at
}

/**
 * Where the number that begins at `from` ends.
 *
 * @since 0.1.0
 * @category scanning
 */
export const numberEnd = ({ bytes }: JsonBytes, from: number): number => {
  const first = bytes[from] === minus ? from + 1 : from
  let at = digitsEnd(bytes, first)
  if (at === -1 || (bytes[first] === zero && at > first + 1)) return -1
  if (bytes[at] === point) {
    at = digitsEnd(bytes, at + 1)
    if (at === -1) return -1
  }
  if (exponents[bytes[at]!] !== 1) return at
  return digitsEnd(bytes, signs[bytes[at + 1]!] === 1 ? at + 2 : at + 1)
}

/**
 * Whether `text` stands at `at`. Compared from its end, since the texts that one place may have begin alike.
 *
 * @since 0.1.0
 * @category predicates
 */
export const matches = (bytes: Uint8Array, at: number, text: Uint8Array): boolean => {
  let i = text.length - 1
  if (at + i >= bytes.length) return false
  while (i >= 0 && bytes[at + i] === text[i]) i--
  return i < 0
}

/**
 * A text to look for. `words` are its bytes by fours from its end; the last of them begins where the text does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Text {
  readonly bytes: Uint8Array
  readonly length: number
  readonly words: Int32Array
}

const encoder = new TextEncoder()
const wordSize = 4

/**
 * @since 0.1.0
 * @category constructors
 */
export const text = (of: string): Text => {
  const bytes = encoder.encode(of)
  const { length } = bytes
  const { view } = make(bytes)
  const count = length < wordSize ? 0 : Math.ceil(length / wordSize)
  const words = Int32Array.from({ length: count }, (_, i) =>
    view.getInt32(Math.max(0, length - (i + 1) * wordSize), true)
  )
  return { bytes, length, words }
}

/**
 * Whether the text stands at `at`. Keys are most of what a log has beside its strings, so that they are compared by words.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isAt = ({ bytes, view }: JsonBytes, at: number, { length, words, bytes: wanted }: Text): boolean => {
  if (words.length === 0) return matches(bytes, at, wanted)
  let from = at + length - wordSize
  if (from + wordSize > bytes.length) return false
  for (let i = 0; i < words.length; i++, from -= wordSize) {
    if (view.getInt32(from < at ? at : from, true) !== words[i]) return false
  }
  return true
}

/** Deeper than any event; what is deeper is left to `JSON.parse`. */
const deepest = 100

const keywords = ["true", "false", "null"].map(text)

/**
 * Where the value that begins at `from` ends, whatever it is.
 *
 * @since 0.1.0
 * @category scanning
 */
export const valueEnd = (json: JsonBytes, from: number, depth = 0): number => {
  const { bytes } = json
  const first = bytes[from]
  if (first === quote) return stringEnd(json, from)
  if (first === openBrace || first === openBracket)
    return depth === deepest ? -1 : nestedEnd(json, from, first === openBrace, depth + 1)
  for (const keyword of keywords) if (isAt(json, from, keyword)) return from + keyword.length
  return numberEnd(json, from)
}

const nestedEnd = (json: JsonBytes, from: number, isObject: boolean, depth: number): number => {
  const { bytes } = json
  const close = isObject ? closeBrace : closeBracket
  if (bytes[from + 1] === close) return from + 2
  for (let at = from; ;) {
    at++
    if (isObject) {
      at = stringEnd(json, at)
      if (at === -1 || bytes[at] !== colon) return -1
      at++
    }
    at = valueEnd(json, at, depth)
    if (at === -1) return -1
    if (bytes[at] === close) return at + 1
    if (bytes[at] !== comma) return -1
  }
}

/**
 * Where the digits that begin at `from` end, if they are a whole number that an engine holds exactly, and nothing else of a
 * number follows. `naturalNumber` is what they say.
 *
 * @since 0.1.0
 * @category scanning
 */
export const naturalEnd = ({ bytes }: JsonBytes, from: number): number => {
  let value = 0
  let at = from
  for (let digit = bytes[at]! - zero; digit >= 0 && digit <= 9; digit = bytes[at]! - zero) {
    value = value * 10 + digit
    at++
  }
  if (at === from || at > from + 15 || (bytes[from] === zero && at > from + 1)) return -1
  if (bytes[at] === point || exponents[bytes[at]!] === 1) return -1
  naturalNumber = value
  return at
}

/**
 * The number whose end `naturalEnd` found last.
 *
 * @since 0.1.0
 * @category scanning
 */
export let naturalNumber = 0
