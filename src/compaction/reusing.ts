/**
 * When a recorded summary stands for its messages without another request: before another one is paid for.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Seq } from "../session/Ids.ts"
import type { Route } from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { clipToTokens } from "./CodePoints.ts"
import { checkpointOf, isSmaller } from "./checkpointing.ts"
import { askedOf, standing } from "./recordedSummary.ts"
import { countTextOf, priceOf, type Situation } from "./Situation.ts"
import { check } from "./SummaryGate.ts"
import { headEnd, maxTokensOf } from "./summarising.ts"

/**
 * What stands for its messages without another request.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReuseProposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly why: string
  readonly nodes: ReadonlyArray<SurfaceState.Node>
  readonly summary: string
  readonly omitted: number
  readonly route?: Route
}

/** The part of the head that it has to stand for where no figure says how much must go. */
const enough = 0.9

/** It was asked as a summary would be asked for now, and the surface would take it. */
const usable = (
  situation: Situation,
  fits: (place: { readonly from: number; readonly to: number }) => boolean
): ReuseProposal | undefined => {
  const { state, summary } = situation
  const found = state.recordedSummary
  if (found === undefined) return undefined
  const routes = [summary.envelope.route, ...(summary.instead === undefined ? [] : [summary.instead.envelope.route])]
  if (!routes.some((route) => askedOf(route) === found.asked)) return undefined
  const place = standing(state.surface, found)
  if (place === undefined || !fits(place)) return undefined
  const checked = check({ text: found.output })
  if (Either.isLeft(checked)) return undefined
  const text = clipToTokens(checked.right, maxTokensOf(situation), countTextOf(situation))
  const nodes = SurfaceState.nodes(state.surface, place.from, place.to)
  if (!isSmaller(situation, nodes, checkpointOf(situation, nodes, { id: found.id, summary: text }))) return undefined
  const price = Math.round(priceOf(situation, nodes))
  return {
    first: found.first,
    last: found.last,
    price,
    why: `a summary of ${nodes.length} messages of about ${price} tokens was paid for before and never landed (seq ${found.seq})`,
    nodes,
    summary: text,
    omitted: found.omitted,
    ...(found.route === undefined ? {} : { route: found.route })
  }
}

/**
 * The recorded summary where it stands for a beginning of the surface and for nothing of the tail that stays. Where no
 * figure says what to get below, it has to stand for nearly all of the head, since what is left might be too much. O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): ReuseProposal | undefined =>
  usable(situation, ({ from, to }) => {
    const end = headEnd(situation)
    if (from !== 0 || to > end) return false
    const { surface } = situation.state
    const price = (upTo: number) => priceOf(situation, SurfaceState.nodes(surface, 0, upTo))
    return situation.target !== undefined || price(to) >= price(end) * enough
  })

/**
 * The same for a span that somebody chose: exactly that one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const forSpan = (situation: Situation, from: number, to: number): ReuseProposal | undefined =>
  usable(situation, (place) => place.from === from && place.to === to)
