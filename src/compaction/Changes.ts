/**
 * How a request has changed since it was built: what the surface gained and lost.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Counted } from "../session/SurfaceState.ts"
import type * as Calibration from "./Calibration.ts"
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
  /**
   * raw counts of that part of the surface that the request held and that still stands. What the surface holds beyond
   * them it has gained since, so that an append changes nothing here.
   */
  readonly kept: ReadonlyArray<number>
  readonly reply: Reply | undefined
}

/**
 * The answer among what was gained, as the estimator has it and as the provider counted it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const replyOf = ({ reply }: Changes, weights: ReadonlyArray<number>): Calibration.Reply | undefined =>
  reply === undefined
    ? undefined
    : { estimated: tokens(reply.counts, weights), output: reply.output, reasoning: reply.reasoning }

/**
 * A message came in place of `shadowed`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const moved = (
  { envelope, kept, lost, reply, requestSeq }: Changes,
  shadowed: ReadonlyArray<Counted>,
  priceOf: (node: Counted) => number
): Changes => {
  let left = lost
  const stays = kept.slice()
  let answer = reply
  for (const node of shadowed) {
    if (node.seq < requestSeq) {
      left -= priceOf(node)
      for (let k = 0; k < stays.length; k++) stays[k] = stays[k]! - (node.counts[k] ?? 0)
    }
    if (node.seq === reply?.seq) answer = undefined
  }
  return { requestSeq, envelope, lost: left, kept: stays, reply: answer }
}
