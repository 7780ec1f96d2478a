/**
 * What a request that was answered teaches: the count of its provider, and that the provider's cache holds its messages.
 *
 * @since 0.1.0
 */
import * as Usage from "../session/Usage.ts"
import { measure } from "./measure.ts"
import * as Meter from "./Meter.ts"
import * as RouteFacts from "./RouteFacts.ts"
import { routeFacts, type SessionState, weights } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * The provider counted the request.
 *
 * @since 0.1.0
 * @category folds
 */
export const withReport = (
  state: SessionState,
  usage: Usage.Usage | undefined,
  estimator: TokenEstimator
): SessionState => {
  const { envelope } = state
  if (envelope === undefined || !Usage.isReported(usage)) return state
  const meter = Meter.reported(
    state.meter,
    usage.inputTokens,
    measure(state, estimator).totalTokens,
    weights(state, estimator),
    envelope.routeKey
  )
  const facts = RouteFacts.accepted(routeFacts(state, envelope.routeKey), usage.inputTokens)
  return { ...state, meter, routes: new Map(state.routes).set(envelope.routeKey, facts) }
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
  return { ...state, accepted: { surface: openStep.surface, envelope } }
}
