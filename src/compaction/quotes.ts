/**
 * The user's newest words, kept verbatim through any number of compactions.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as CodePoints from "./CodePoints.ts"

/**
 * What a user said: all of it in `head`, or its start and its end with `omitted` characters (code points) between them.
 *
 * @since 0.1.0
 * @category models
 */
export const Quote = Schema.Struct({ head: Schema.String, omitted: Schema.NonNegativeInt, tail: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export type Quote = typeof Quote.Type

/**
 * Tokens that the tags around one quote are taken to cost.
 *
 * @since 0.1.0
 * @category constants
 */
export const quoteFraming = 24

/** A smaller piece of a message says nothing. */
const smallestPiece = 32

/** Requests stand at the start of a message more often than at its end, below something pasted. */
const shareOfHead = 2 / 3

/**
 * A quote of all of a text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const whole = (text: string): Quote => ({ head: text, omitted: 0, tail: "" })

/**
 * What quotes cost, with the tags around them.
 *
 * @since 0.1.0
 * @category getters
 */
export const tokens = (quotes: ReadonlyArray<Quote>, countText: CodePoints.CountText): number =>
  quotes.reduce((sum, { head, tail }) => sum + countText(head) + countText(tail) + quoteFraming, 0)

/** The quote in no more than `tokens`. One that was cut before is cut further, from its gap outwards. */
const cut = (quote: Quote, tokens: number, countText: CodePoints.CountText): Quote => {
  const head = CodePoints.clipToTokens(quote.head, Math.floor(tokens * shareOfHead), countText)
  const end = quote.omitted === 0 ? quote.head.slice(head.length) : quote.tail
  const tail = CodePoints.clipEndToTokens(end, tokens - countText(head), countText)
  const before = CodePoints.count(quote.head) + CodePoints.count(quote.tail)
  const after = CodePoints.count(head) + CodePoints.count(tail)
  return { head, omitted: quote.omitted + before - after, tail }
}

/**
 * Those quotes that fit into `budgetTokens`, tags included: the newest win, each whole where it fits; the first that does
 * not is cut, and what is older is left out. `candidates` and the answer are oldest first.
 *
 * What was chosen once is chosen again, byte for byte, as long as nothing newer needs the room: a cut quote is priced as it
 * stands, and the budget that it was cut for is the budget that it fits.
 *
 * @since 0.1.0
 * @category combinators
 */
export const newest = (
  candidates: ReadonlyArray<Quote>,
  budgetTokens: number,
  countText: CodePoints.CountText
): ReadonlyArray<Quote> => {
  const chosen: Array<Quote> = []
  let left = budgetTokens
  for (let i = candidates.length - 1; i >= 0; i--) {
    const quote = candidates[i] as Quote
    const room = left - quoteFraming
    if (room <= 0) break
    const price = fits(quote.head, room, countText)
      ? countText(quote.head) + countText(quote.tail)
      : Number.POSITIVE_INFINITY
    if (price <= room) {
      chosen.push(quote)
      left = room - price
      continue
    }
    if (room >= smallestPiece) chosen.push(cut(quote, room, countText))
    break
  }
  return chosen.toReversed()
}

/** Whether a text can fit at all; a pasted file of many megabytes is not priced to learn that it does not. */
const fits = (text: string, tokens: number, countText: CodePoints.CountText): boolean => {
  const sample = tokens * 64
  return text.length <= sample || countText(CodePoints.clip(text, sample)) <= tokens
}
