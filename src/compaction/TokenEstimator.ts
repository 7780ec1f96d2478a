/**
 * How large a message is, before a provider has counted it.
 *
 * @since 0.1.0
 */
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import type { Route } from "../session/Route.ts"

/**
 * An estimator counts once, when a message enters the log, and the counts are stored there; tokens are a weighted sum of
 * counts, so that the price in another route's tokenizer needs no second look at the text.
 *
 * Counting is pure, takes time linear in the text whatever the text is, and never throws. Counts are additive: those of a
 * surface are the sum of those of its messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenEstimator {
  /** Stored beside the counts. Another way of counting has another id. */
  readonly id: string
  /** How many numbers one count has, at least 1. */
  readonly dimensions: number
  /**
   * Everything of the message that a request of the route carries: framing, names, arguments, media by their own rule.
   * Without a route all of the message counts.
   */
  readonly message: (message: Message, route?: Route) => ReadonlyArray<number>
  /** System prompt, tool schemas, request-only prefix messages and the framing of a request. */
  readonly envelope: (envelope: Envelope) => ReadonlyArray<number>
  /** Tokens of one count in each dimension, for the tokenizer of this route. */
  readonly weights: (route: Route) => ReadonlyArray<number>
}

/**
 * The tokens that counts stand for.
 *
 * @since 0.1.0
 * @category combinators
 */
export const tokens = (counts: ReadonlyArray<number>, weights: ReadonlyArray<number>): number => {
  let total = 0
  for (let i = 0; i < counts.length; i++) total += (counts[i] ?? 0) * (weights[i] ?? 0)
  return total
}
