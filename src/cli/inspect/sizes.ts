/**
 * How large each message of a session is, and each stretch of it.
 *
 * @since 0.1.0
 */
import { framing } from "../../compaction/requestPrice.ts"
import { tokens } from "../../compaction/TokenEstimator.ts"
import type { Envelope } from "../../session/Envelope.ts"
import * as Message from "../../session/Message.ts"
import type { Kept } from "./kept.ts"
import { ofBlock, ofRole, type Part, parts } from "./parts.ts"

/**
 * Tokens by part, in the order of `parts`.
 *
 * @since 0.1.0
 * @category models
 */
export type Tokens = Array<number>

/**
 * @since 0.1.0
 * @category models
 */
export interface Sizes {
  /** tokens of a message by part; of one of the session's own `between` has them */
  readonly of: (message: Message.Message) => Tokens
  /** tokens by part of the session's messages from one place to another */
  readonly between: (from: number, to: number) => Tokens
  /** the same in one sum */
  readonly total: (from: number, to: number) => number
  readonly block: (block: Message.Block) => number
  /** what a prune would take from a tool's result; 0 where it is not over the budget */
  readonly prunable: (result: Message.ToolResultBlock) => number
  readonly envelope: (envelope: Envelope) => number
}

const width = parts.length

/** One number a part: written out, since nothing else is made as fast. */
type Every<List extends ReadonlyArray<unknown>> = { -readonly [K in keyof List]: number }

const placeOf = Object.fromEntries(parts.map((part, i) => [part, i])) as Readonly<Record<Part, number>>

/**
 * @since 0.1.0
 * @category constructors
 */
export const none = (): Tokens => [0, 0, 0, 0, 0, 0, 0, 0, 0] satisfies Every<typeof parts>

/**
 * @since 0.1.0
 * @category combinators
 */
export const plus = (...all: ReadonlyArray<Tokens>): Tokens => {
  const found = none()
  for (const tokens of all) for (let k = 0; k < width; k++) found[k] = found[k]! + tokens[k]!
  return found
}

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
export const sum = (tokens: Tokens): number => {
  let found = 0
  for (let k = 0; k < width; k++) found += tokens[k]!
  return found
}

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
  const framed = tokens(
    weights.map(() => framing.message * density),
    weights
  )
  const block = (given: Message.Block): number => kept.tokens(given, weights) * density
  const addTo = (sums: Float64Array | Tokens, offset: number, message: Message.Message): void => {
    if (message.role === "assistant" && Message.isEmpty(message)) return
    const own = offset + placeOf[ofRole(message.role)]
    sums[own] = sums[own]! + framed
    for (const part of message.content) {
      const at = offset + placeOf[ofBlock(part, message.role)]
      sums[at] = sums[at]! + block(part)
    }
  }
  const sums = new Float64Array((messages.length + 1) * width)
  for (let i = 0; i < messages.length; i++) {
    const offset = (i + 1) * width
    for (let k = 0; k < width; k++) sums[offset + k] = sums[offset - width + k]!
    addTo(sums, offset, messages[i]!)
  }
  return {
    of: (message) => {
      const found = none()
      addTo(found, 0, message)
      return found
    },
    between: (from, to) => {
      const found = none()
      for (let k = 0; k < width; k++) found[k] = sums[to * width + k]! - sums[from * width + k]!
      return found
    },
    total: (from, to) => {
      let found = 0
      for (let k = 0; k < width; k++) found += sums[to * width + k]! - sums[from * width + k]!
      return found
    },
    block,
    prunable: (result) => {
      const pruned = kept.pruned(result, weights)
      return pruned === undefined ? 0 : Math.max(0, block(result) - pruned * density)
    },
    envelope: (envelope) => tokens(kept.estimator.envelope(envelope), weights) * density
  }
}
