/**
 * The first words of a text, for people.
 *
 * @since 0.1.0
 */
import * as CodePoints from "../../compaction/CodePoints.ts"

const shown = 100
/** White space at the start is not words, so a little more is looked at than is shown. */
const lookedAt = 240

/** What does not print as one character each, and a space beside another. */
const tidied = /[\p{C}\p{Z}\s]+/gu

/**
 * What of a text its first words are made of. A copy: a piece that was cut out of a long text would hold all of it in memory.
 *
 * @since 0.1.0
 * @category conversions
 */
export const beginning = (text: string): string =>
  // one more, which tells that the text goes on; in units, since half a surrogate pair is no UTF-8
  Buffer.from(text.slice(0, lookedAt + 1), "utf16le").toString("utf16le")

/**
 * On one line, without anything that a terminal would obey.
 *
 * @since 0.1.0
 * @category conversions
 */
export const firstWords = (text: string): string => {
  const line = text.slice(0, lookedAt).replace(tidied, " ").trim()
  const whole = text.length <= lookedAt && !CodePoints.exceeds(line, shown)
  return whole ? line : `${CodePoints.clip(line, shown - 1)}…`
}
