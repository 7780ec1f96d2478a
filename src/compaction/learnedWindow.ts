/**
 * What an answer showed of a route's window, against what was believed: for whoever should be told.
 *
 * @since 0.1.0
 */
import { measureUncounted } from "./measure.ts"
import * as RouteFacts from "./RouteFacts.ts"
import { routeFacts, type SessionState } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * All figures are tokens. `truncated`: the server drops text and says nothing, and what it `counted` is not what was
 * `sent`, by estimate; the system prompt and the task may be gone. `answered-above`: a request larger than the adapter's
 * figure for the window, `believed`, was answered. `window` is what the session works with from now on.
 *
 * @since 0.1.0
 * @category models
 */
export type LearnedWindow =
  | {
      readonly reason: "truncated"
      readonly counted: number
      readonly sent: number
      readonly window: number
    }
  | {
      readonly reason: "answered-above"
      readonly counted: number
      readonly believed: number
      readonly window: number
    }

/**
 * Compares the session before and after an answer was folded in. Each is told once a session and route, since it is read
 * from facts that the log keeps.
 *
 * @since 0.1.0
 * @category getters
 */
export const learnedWindow = (
  before: SessionState,
  after: SessionState,
  adapterWindow: number | undefined,
  estimator: TokenEstimator
): LearnedWindow | undefined => {
  const counted = after.accepted?.counted?.input
  const { envelope } = after
  if (envelope === undefined || counted === undefined) return undefined
  // a stream is counted behind its answer, anything else once
  if (before.accepted?.surface === after.accepted?.surface && before.accepted?.counted !== undefined) return undefined
  const then = routeFacts(before, envelope.routeKey)
  const now = routeFacts(after, envelope.routeKey)
  const window = RouteFacts.windowOf(now, adapterWindow) ?? counted
  if (now.truncates === true && then.truncates !== true) {
    return { reason: "truncated", counted, sent: measureUncounted(before, estimator).totalTokens, window }
  }
  return adapterWindow !== undefined && counted > adapterWindow && (then.accepted ?? 0) <= adapterWindow
    ? { reason: "answered-above", counted, believed: adapterWindow, window }
    : undefined
}

/**
 * The same for people.
 *
 * @since 0.1.0
 * @category conversions
 */
export const describe = (learned: LearnedWindow, route: string): string =>
  learned.reason === "truncated"
    ? `${route} drops what does not fit and says nothing: it counted ${learned.counted} tokens of about ${learned.sent}. Answers since may be without the system prompt or the task. Its window is taken for ${learned.window} from now on; raise it at the server, or tell the adapter the true one`
    : `${route} answered a request of ${learned.counted} tokens, more than the ${learned.believed} that the adapter has for its window: ${learned.window} is believed from now on`
