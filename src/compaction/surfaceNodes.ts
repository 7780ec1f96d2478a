/**
 * What events put on the surface, and take off it.
 *
 * @since 0.1.0
 */
import * as HeldMessage from "../session/HeldMessage.ts"
import type { Seq } from "../session/Ids.ts"
import type { Route } from "../session/Route.ts"
import type * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/** A surface event as replay has it. */
type Placed = SessionEvent.SurfaceBody & { readonly seq: Seq; readonly unread?: HeldMessage.Unread }

export const sourceOf = (event: SessionEvent.SurfaceBody): SurfaceState.Node["source"] =>
  event.type === "message/user" ? event.data.source : event.type === "message/assistant" ? "assistant" : "tool"

/**
 * The counts of a surface event's message: those that the event stores, or this estimator's own where another one has counted.
 *
 * @since 0.1.0
 * @category getters
 */
export const countsOf = (
  { data: { counts } }: SessionEvent.SurfaceBody,
  message: HeldMessage.HeldMessage,
  estimator: TokenEstimator,
  route: Route | undefined
): ReadonlyArray<number> =>
  counts.estimator === estimator.id ? counts.values : estimator.message(HeldMessage.read(message), route)

/**
 * The node that a surface event puts on the surface.
 *
 * @since 0.1.0
 * @category getters
 */
export const nodeOf = (event: Placed, estimator: TokenEstimator, route: Route | undefined): SurfaceState.HeldNode => {
  const message = HeldMessage.of(event)
  return { seq: event.seq, message, counts: countsOf(event, message, estimator, route), source: sourceOf(event) }
}

/**
 * What a replacement takes off this surface, in surface order.
 *
 * @since 0.1.0
 * @category getters
 */
export const shadowedBy = (
  surface: SurfaceState.SurfaceState,
  span: { readonly first: Seq; readonly last: Seq }
): ReadonlyArray<SurfaceState.Counted> =>
  SurfaceState.counted(
    surface,
    SurfaceState.positionOf(surface, span.first) ?? 0,
    (SurfaceState.positionOf(surface, span.last) ?? -1) + 1
  )
