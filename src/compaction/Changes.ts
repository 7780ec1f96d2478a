/**
 * How a request has changed since it was built: what the surface gained and lost.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Node } from "../session/SurfaceState.ts"
import type { Growth } from "./Calibration.ts"
import { tokens } from "./TokenEstimator.ts"

/**
 * What the meter knows of the envelope that a request carries.
 *
 * @since 0.1.0
 * @category models
 */
export interface Carried {
  readonly key: string
  readonly routeKey: string
  readonly counts: ReadonlyArray<number>
}

/** The answer to a request, and what the provider counted for it. */
interface Reply {
  readonly seq: Seq
  readonly counts: ReadonlyArray<number>
  readonly output: number
  readonly reasoning: number
}

/**
 * Changes of the surface since a request was built.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changes {
  /** seq of the request's step: nodes before it were part of the request */
  readonly requestSeq: Seq
  readonly envelope: Carried
  /** tokens that replacements took away since, at the prices of their time: never positive */
  readonly lost: number
  /** raw counts of what the surface gained since and still has, the reply included */
  readonly gained: ReadonlyArray<number>
  readonly reply: Reply | undefined
}

/**
 * What was gained, in tokens; `more` is estimated tokens that the envelope gained.
 *
 * @since 0.1.0
 * @category conversions
 */
export const growth = ({ gained, reply }: Changes, weights: ReadonlyArray<number>, more = 0): Growth => ({
  estimated: tokens(gained, weights) + more,
  reply:
    reply === undefined
      ? undefined
      : { estimated: tokens(reply.counts, weights), output: reply.output, reasoning: reply.reasoning }
})

const plus = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> =>
  a.length === 0 ? b : a.map((value, k) => value + (b[k] ?? 0))

const minus = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> =>
  a.map((value, k) => value - (b[k] ?? 0))

/**
 * A message came.
 *
 * @since 0.1.0
 * @category combinators
 */
export const gained = <C extends Changes>(changes: C | undefined, counts: ReadonlyArray<number>): C | undefined =>
  changes === undefined ? undefined : { ...changes, gained: plus(changes.gained, counts) }

/**
 * A message of `counts` came in place of `shadowed`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const moved = <C extends Changes>(
  changes: C | undefined,
  shadowed: ReadonlyArray<Node>,
  counts: ReadonlyArray<number>,
  priceOf: (node: Node) => number
): C | undefined => {
  if (changes === undefined) return undefined
  let { gained, lost, reply } = changes
  for (const node of shadowed) {
    if (node.seq < changes.requestSeq) lost -= priceOf(node)
    else gained = minus(gained, node.counts)
    if (node.seq === reply?.seq) reply = undefined
  }
  return { ...changes, lost, gained: plus(gained, counts), reply }
}
