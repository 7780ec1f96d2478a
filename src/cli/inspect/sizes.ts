/**
 * How large each message of a session is, and each stretch of it.
 *
 * @since 0.1.0
 */
import { framing } from "../../compaction/requestPrice.ts"
import { tokens } from "../../compaction/TokenEstimator.ts"
import * as Message from "../../session/Message.ts"
import type { Kept } from "./kept.ts"
import { ofBlock, ofRole, type Part, parts } from "./parts.ts"

/**
 * Tokens by part, in the order of `parts`.
 *
 * @since 0.1.0
 * @category models
 */
export type Tokens = Float64Array

/**
 * @since 0.1.0
 * @category models
 */
export interface Sizes {
  /** tokens of a message by part */
  readonly of: (message: Message.Message) => Tokens
  /** tokens by part of the session's messages from one place to another */
  readonly between: (from: number, to: number) => Tokens
  readonly weigh: (counts: ReadonlyArray<number>) => number
}

const width = parts.length
const placeOf = Object.fromEntries(parts.map((part, i) => [part, i])) as Readonly<Record<Part, number>>

/**
 * @since 0.1.0
 * @category constructors
 */
export const none = (): Tokens => new Float64Array(width)

/**
 * @since 0.1.0
 * @category combinators
 */
export const plus = (...all: ReadonlyArray<Tokens>): Tokens =>
  none().map((_, i) => all.reduce((sum, tokens) => sum + tokens[i]!, 0))

/**
 * Everything as one part.
 *
 * @since 0.1.0
 * @category constructors
 */
export const as = (part: Part, tokens: number): Tokens => {
  const found = none()
  found[placeOf[part]] = tokens
  return found
}

/**
 * @since 0.1.0
 * @category getters
 */
export const sum = (tokens: Tokens): number => tokens.reduce((all, value) => all + value, 0)

/**
 * The part that has the most.
 *
 * @since 0.1.0
 * @category getters
 */
export const largest = (tokens: Tokens): Part => parts[tokens.indexOf(Math.max(...tokens))]!

/**
 * `weights` and `density` are those of the route that all of it is priced for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  messages: ReadonlyArray<Message.Message>,
  kept: Kept,
  weights: ReadonlyArray<number>,
  density: number
): Sizes => {
  const weigh = (counts: ReadonlyArray<number>): number => tokens(counts, weights) * density
  const framed = weigh(weights.map(() => framing.message))
  const of = (message: Message.Message): Tokens => {
    const found = none()
    if (message.role === "assistant" && Message.isEmpty(message)) return found
    found[placeOf[ofRole(message.role)]] = framed
    for (const block of message.content) {
      const at = placeOf[ofBlock(block, message.role)]
      found[at] = found[at]! + weigh(kept.counts(block))
    }
    return found
  }
  const sums = new Float64Array((messages.length + 1) * width)
  messages.forEach((message, i) => {
    const own = of(message)
    for (let k = 0; k < width; k++) sums[(i + 1) * width + k] = sums[i * width + k]! + own[k]!
  })
  return {
    of,
    weigh,
    between: (from, to) => none().map((_, k) => sums[to * width + k]! - sums[from * width + k]!)
  }
}
