/**
 * What events put on the surface, and take off it.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Route } from "../session/Route.ts"
import * as SessionEvent from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as UnreadMessage from "../session/UnreadMessage.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

const sourceOf = (event: SessionEvent.SurfaceBody): SurfaceState.Node["source"] =>
  event.type === "message/user" ? event.data.source : event.type === "message/assistant" ? "assistant" : "tool"

/**
 * The node that a surface event puts on the surface.
 *
 * @since 0.1.0
 * @category getters
 */
export const nodeOf = (
  event: SessionEvent.SurfaceBody & { readonly seq: Seq; readonly unread?: UnreadMessage.Unread },
  estimator: TokenEstimator,
  route: Route | undefined
): SurfaceState.Node => {
  const said = SessionEvent.messageOf(event)
  const message = event.unread === undefined ? said : UnreadMessage.make(said, event.unread)
  const { counts } = event.data
  return {
    seq: event.seq,
    message,
    counts: counts.estimator === estimator.id ? counts.values : estimator.message(UnreadMessage.read(message), route),
    source: sourceOf(event)
  }
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
