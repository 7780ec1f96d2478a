/**
 * Ids and names of calls as strict servers take them. A conversation may have been elsewhere before, and a model may make a name
 * up: what one server gave, another refuses, and with it every later request of that conversation.
 *
 * What comes of an id or a name depends on it alone, so that a call and its result agree, and each request begins as the one
 * before it.
 *
 * @since 0.1.0
 */
import * as Crc32 from "../../session/Crc32.ts"

/**
 * `plain`: letters, digits, `_` and `-`, 64 at most, which every provider takes that says what it takes; `short`: 40 characters
 * at most, as OpenAI's chat completions have them; `nine`: nine letters or digits, as Mistral has them.
 *
 * @since 0.1.0
 * @category models
 */
export type CallIds = "any" | "plain" | "short" | "nine"

/**
 * `plain`: letters, digits, `_` and `-`, 64 at most.
 *
 * @since 0.1.0
 * @category models
 */
export type CallNames = "any" | "plain"

const encoder = new TextEncoder()

const letters = 9
const longest = { plain: 64, short: 40 }

/** Two sums that know nothing of each other, as nine letters and digits. */
const digest = (text: string): string => {
  const bytes = encoder.encode(text)
  const sum = Crc32.compute(bytes) * 2 ** 21 + (Crc32.compute(bytes.toReversed()) >>> 11)
  return (sum % 36 ** letters).toString(36).padStart(letters, "0")
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const id = (given: string, kind: CallIds): string => {
  if (kind === "nine") return /^[a-zA-Z0-9]{9}$/.test(given) ? given : digest(given)
  if (kind === "any") return given
  const taken = kind === "plain" ? given.replace(/[^\w-]/g, "_") : given
  if (taken === given && given !== "" && given.length <= longest[kind]) return given
  return `${taken.slice(0, longest[kind] - letters - 1)}_${digest(given)}`
}

/**
 * `offered` are the names of the request's own tools, which stay as they are.
 *
 * @since 0.1.0
 * @category conversions
 */
export const name = (given: string, kind: CallNames, offered: ReadonlySet<string>): string =>
  kind === "any" || offered.has(given) ? given : given.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed"
