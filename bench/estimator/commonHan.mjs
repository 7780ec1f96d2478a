// Which Han characters are common: those that o200k has a token for.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

const first = 0x4e00
const last = 0x9fff

const bitmap = () => {
  const bytes = new Uint8Array((last - first + 1) >> 3)
  for (let unit = first; unit <= last; unit++) {
    if (countTokens(String.fromCharCode(unit)) === 1) bytes[(unit - first) >> 3] |= 1 << ((unit - first) & 7)
  }
  return Buffer.from(bytes).toString("base64")
}

export const commonHanSource = () => `/**
 * Han characters that are common enough to have a token in o200k (by gpt-tokenizer 4.0.0): data, written by \`npm run fit\`.
 *
 * @since 0.1.0
 */

const first = 0x${first.toString(16)}

/** One bit a character from U+${first.toString(16).toUpperCase()} on, lowest bit first, as base64. */
const bitmap =
${bitmap()
  .match(/.{1,100}/g)
  .map((line) => `  "${line}"`)
  .join(" +\n")}

/**
 * The UTF-16 units of the characters.
 *
 * @since 0.1.0
 * @category constants
 */
export const commonHan = (): ReadonlyArray<number> => {
  const bytes = atob(bitmap)
  return Array.from({ length: bytes.length * 8 }, (_, bit) => bit)
    .filter((bit) => (bytes.charCodeAt(bit >> 3) >> (bit & 7)) & 1)
    .map((bit) => first + bit)
}
`
