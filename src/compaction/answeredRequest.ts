/**
 * What a request that was answered teaches: the count of its provider, and that the provider's cache holds its messages.
 *
 * @since 0.1.0
 */
import * as Usage from "../session/Usage.ts"
import { measure } from "./measure.ts"
import * as Meter from "./Meter.ts"
import * as RouteFacts from "./RouteFacts.ts"
import { changed, type SessionState, weights } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * What the provider's count of the request changes; undefined where it did not count.
 *
 * @since 0.1.0
 * @category folds
 */
export const reported = (
  state: SessionState,
  usage: Usage.Usage | undefined,
  estimator: TokenEstimator,
  routes: SessionState["routes"] = state.routes
): Pick<SessionState, "meter" | "routes"> | undefined => {
  const { envelope } = state
  if (envelope === undefined || !Usage.isReported(usage)) return undefined
  const meter = Meter.reported(
    state.meter,
    usage.inputTokens,
    measure(state, estimator).totalTokens,
    weights(state, estimator),
    envelope.routeKey
  )
  const facts = RouteFacts.accepted(routes.get(envelope.routeKey) ?? {}, usage.inputTokens)
  return { meter, routes: new Map(routes).set(envelope.routeKey, facts) }
}

/**
 * The request of the open step was answered.
 *
 * @since 0.1.0
 * @category folds
 */
export const accepted = (state: SessionState): SessionState => {
  const { envelope, openStep } = state
  if (envelope === undefined || openStep === undefined || state.accepted?.surface === openStep.surface) return state
  return changed(state, { accepted: { surface: openStep.surface, envelope } })
}
