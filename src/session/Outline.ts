/**
 * The JSON text of a batch without its long texts. A fold needs no text of a message, and the texts are nearly all of a log:
 * to walk over them costs a third of what it costs to decode and keep them.
 *
 * @since 0.1.0
 */

/**
 * `json` has the placeholder where a text was; `places` says, in order, where in the batch's bytes each of these texts begins
 * and ends, two numbers a text, its quotes included.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outline {
  readonly json: string
  readonly places: ReadonlyArray<number>
}

/** Texts of more bytes are left out: for shorter ones it is not worth it. */
const longest = 32

/**
 * Stands where a text was left out. JSON has one way to write it, so that no text that was left in is taken for it.
 *
 * @since 0.1.0
 * @category constants
 */
export const placeholder = "\u0000"

const encoder = new TextEncoder()
const placeholderJson = encoder.encode(JSON.stringify(placeholder))
const textKey = encoder.encode('"text":')
const decoder = new TextDecoder()

const quote = 34
const colon = 58
const backslash = 92
const space = 32
const t = 116
const u = 117

/** 1 for what does not stand for itself inside a string. */
const stops = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < space || byte === quote || byte === backslash ? 1 : 0
)

const table = (characters: string): Uint8Array => {
  const found = new Uint8Array(256)
  for (const character of characters) found[character.charCodeAt(0)] = 1
  return found
}

const escapes = table('"\\/bfnrt')
const hexadecimal = table("0123456789abcdefABCDEF")

/** Behind the escape at `at`; -1 where it is none. */
const escapeEnd = (bytes: Uint8Array, at: number): number => {
  const what = bytes[at + 1]!
  if (escapes[what] === 1) return at + 2
  if (what !== u) return -1
  for (let i = at + 2; i < at + 6; i++) if (hexadecimal[bytes[i]!] !== 1) return -1
  return at + 6
}

/**
 * Whether one of these four bytes is a stop. A bit that is moved brings the quote next to what is below a space, so that both
 * are one comparison.
 */
const hasStop = (word: number): boolean => {
  const low = word ^ 0x02020202
  const backslashes = word ^ 0x5c5c5c5c
  return ((((low - 0x21212121) & ~low) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
}

/**
 * Where the closing quote of a string is whose content begins at `from`; -1 where it is no string of JSON. Goes by four bytes:
 * one by one it would be the most expensive part of opening a log.
 */
const stringEnd = (bytes: Uint8Array, words: Int32Array, from: number): number => {
  const offset = bytes.byteOffset
  let at = from
  for (;;) {
    while (((offset + at) & 3) !== 0 && stops[bytes[at]!] === 0) at++
    if (((offset + at) & 3) === 0) {
      let word = (offset + at) >> 2
      while (word < words.length && !hasStop(words[word]!)) word++
      at = (word << 2) - offset
      while (stops[bytes[at]!] === 0) at++
    }
    const stop = bytes[at]
    if (stop === quote) return at
    if (stop !== backslash) return -1
    at = escapeEnd(bytes, at)
    if (at === -1) return -1
  }
}

const matches = (bytes: Uint8Array, at: number, text: Uint8Array): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/**
 * Copies the JSON without its long texts to `outline`, and their places to `places`. Gives the length of the copy; -1 where the
 * JSON is not surely such as a log's writer writes it.
 */
const copy = (json: Uint8Array, outline: Uint8Array, places: Array<number>): number => {
  const words = new Int32Array(json.buffer, 0, json.buffer.byteLength >> 2)
  const end = json.length
  let length = 0
  let at = 0
  while (at < end) {
    const byte = json[at++]!
    outline[length++] = byte
    if (byte <= space) return -1
    if (byte !== quote) continue
    if (json[at - 2] === colon && json[at - 4] === t && matches(json, at - 1 - textKey.length, textKey)) {
      const close = stringEnd(json, words, at)
      if (close === -1) return -1
      if (close - at > longest) {
        places.push(at - 1, close + 1)
        for (let i = 1; i < placeholderJson.length; i++) outline[length++] = placeholderJson[i]!
        at = close + 1
        continue
      }
      if (matches(json, at - 1, placeholderJson)) return -1
    }
    let escaped = false
    for (let character = 0; character !== quote && at < end;) {
      character = json[at++]!
      outline[length++] = character
      if (character !== backslash) continue
      escaped = true
      outline[length++] = json[at++]!
    }
    // a key that is written otherwise than it reads
    if (escaped && json[at] === colon) return -1
  }
  return length
}

/**
 * Makes outlines one after the other. Undefined where the text is not surely such as a log's writer writes it, or where
 * nothing is left out: then the whole is to be decoded. What is left out is sure to be a string of JSON.
 *
 * @since 0.1.0
 * @category constructors
 */
export const maker = (): ((json: Uint8Array) => Outline | undefined) => {
  let outline = new Uint8Array(2 ** 16)
  return (json) => {
    if (json.length > outline.length) outline = new Uint8Array(json.length)
    const places: Array<number> = []
    const length = copy(json, outline, places)
    return length === -1 || places.length === 0
      ? undefined
      : { json: decoder.decode(outline.subarray(0, length)), places }
  }
}
