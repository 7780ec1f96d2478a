/**
 * When the rungs that cost money rest.
 *
 * @since 0.1.0
 */
import type { Trigger } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { fingerprint, type RoutePolicy } from "./Policy.ts"
import * as SessionState from "./SessionState.ts"
import { tokens, type TokenEstimator } from "./TokenEstimator.ts"

/** After three summaries in a row that failed or did not help, the paid rungs rest until the surface grew by a tenth. */
const restAfter = 3
const restUntil = 1.1

/**
 * Whether they rest for this trigger; what is asked for by hand never rests. Folded from the log, so that a restart wakes
 * nothing.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isResting = ({
  estimator,
  policy,
  state,
  trigger
}: {
  readonly policy: RoutePolicy
  readonly state: SessionState.SessionState
  readonly estimator: TokenEstimator
  readonly trigger: Trigger
}): boolean => {
  const entry = state.resting.get(trigger)
  if (trigger === "manual" || entry === undefined || entry.times < restAfter) return false
  if (entry.routeKey !== state.envelope?.routeKey) return false
  if (entry.policy !== undefined && entry.policy !== fingerprint(policy)) return false
  const weights = SessionState.weights(state, estimator)
  const now = SurfaceState.sumBefore(state.surface, state.surface.length, weights)
  return now < tokens(entry.surface, weights) * restUntil
}
