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

/** Texts of more bytes are left out. */
const longest = 64

/**
 * Stands where a text was left out. No text that was left in can be this one, which is longer than they are; a text whose key
 * is written with an escape could, and the whole batch is decoded then.
 *
 * @since 0.1.0
 * @category constants
 */
export const placeholder: string = "_".repeat(longest + 1)

const placeholderJson = new TextEncoder().encode(JSON.stringify(placeholder))
const textKey = new TextEncoder().encode('"text":')
const decoder = new TextDecoder()

const quote = 34
const colon = 58
const backslash = 92
const space = 32
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

/** Whether one of these four bytes is a stop: below a space, a quote, or a backslash. */
const hasStop = (word: number): boolean => {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  return (
    ((((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) &
      0x80808080) !==
    0
  )
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

/** Whether the last `length` bytes, whose last one is a quote, begin the value of a key `text`. */
const beginsText = (bytes: Uint8Array, length: number): boolean => {
  for (let i = textKey.length - 1, at = length - 2; i >= 0; i--, at--) if (bytes[at] !== textKey[i]) return false
  return true
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
    const words = new Int32Array(json.buffer, 0, json.buffer.byteLength >> 2)
    const places: Array<number> = []
    let length = 0
    for (let at = 0; at < json.length;) {
      const byte = json[at++]!
      outline[length++] = byte
      if (byte <= space) return undefined
      if (byte !== quote) continue
      if (outline[length - 2] === colon && beginsText(outline, length)) {
        const end = stringEnd(json, words, at)
        if (end === -1) return undefined
        if (end - at > longest) {
          places.push(at - 1, end + 1)
          outline.set(placeholderJson, length - 1)
          length += placeholderJson.length - 1
          at = end + 1
          continue
        }
      }
      let escaped = false
      for (let inside = true; inside && at < json.length;) {
        const character = json[at++]!
        outline[length++] = character
        if (character === quote) inside = false
        else if (character === backslash) {
          escaped = true
          outline[length++] = json[at++]!
        }
      }
      // a key that is written otherwise than it reads
      if (escaped && json[at] === colon) return undefined
    }
    return places.length === 0 ? undefined : { json: decoder.decode(outline.subarray(0, length)), places }
  }
}
