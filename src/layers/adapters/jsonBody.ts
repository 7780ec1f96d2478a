/**
 * Writes the body of a request.
 *
 * @since 0.1.0
 */
import type { Fields } from "./looseJson.ts"

/** Half of a character, as JSON escapes it; text that holds such letters itself has the backslash twice. */
const mayHoldHalf = /\\ud[89a-f][0-9a-f]{2}/

const half = /\p{Surrogate}/gu

/**
 * The JSON of a body. Half of a character, as in a text that somebody cut, is no text for a provider: it refuses the request,
 * and every later one of that conversation. The sign for what cannot be shown stands in its place.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (body: Fields): string => {
  const json = JSON.stringify(body)
  return mayHoldHalf.test(json)
    ? JSON.stringify(body, (_, value: unknown) => (typeof value === "string" ? value.replace(half, "\ufffd") : value))
    : json
}
