/**
 * How much smaller a refused request has to get.
 *
 * @since 0.1.0
 */
import { routeFacts, type SessionState } from "./SessionState.ts"

/** The newest refused request of the turn, and how many its route refused in a row, over all turns. */
interface Refused extends Pick<SessionState, "refusal"> {
  readonly refusals: number
}

/**
 * What a session's current route refused.
 *
 * @since 0.1.0
 * @category getters
 */
export const refusedBy = (state: SessionState): Refused => ({
  refusal: state.refusal,
  refusals: routeFacts(state, state.envelope?.routeKey ?? "").refusals ?? 0
})

/** Without a figure, what the provider counted is believed to be at most this much more than what was measured. */
const trusted = 1.25

/** What each further refusal in a row takes off the target, where the provider says what it counted, and where not. */
const shrinking = { counted: 0.8, unknown: 0.5 }

/**
 * The measured total to get below so that the next request fits `inputLimit`. The provider counted the
 * refused request as what it said, else as at least the limit; each further refusal shows that this was not enough.
 * Undefined where no figure can be trusted: the limit is not the provider's own, and far above what it refused.
 *
 * @since 0.1.0
 * @category getters
 */
export const targetAfterRefusal = (
  { refusal, refusals }: Refused,
  inputLimit: number | undefined
): number | undefined => {
  if (inputLimit === undefined) return undefined
  if (refusal === undefined || refusal.measured <= 0) return inputLimit
  const { limit, measured, requested } = refusal
  const scale = Math.max((requested ?? limit ?? inputLimit) / measured, 1)
  if (limit === undefined && requested === undefined && scale > trusted) return undefined
  const again = Math.max(refusals - 1, 0)
  return (inputLimit / scale) * (requested === undefined ? shrinking.unknown : shrinking.counted) ** again
}

/**
 * The window that a refusal shows by itself, in measured tokens: it is no larger than what did not fit. Infinity where nothing
 * was refused, or where the provider stated a limit that can be trusted more than that.
 *
 * @since 0.1.0
 * @category getters
 */
export const shownByRefusal = ({ refusal }: Pick<Refused, "refusal">): number => {
  if (refusal === undefined || refusal.unit === "bytes" || refusal.measured <= 0) return Infinity
  const { limit, measured } = refusal
  return limit === undefined || limit > measured * trusted ? measured : Infinity
}

/**
 * The largest request, in measured tokens, that the refusing provider can be expected to take.
 *
 * @since 0.1.0
 * @category getters
 */
export const readableAfterRefusal = ({ refusal, refusals }: Refused): number => {
  if (refusal === undefined || refusal.measured <= 0) return Infinity
  const { limit, measured, requested } = refusal
  // a refused request was too large as it was: without any figure, stay well below it
  const share = limit !== undefined && requested !== undefined && requested > 0 ? limit / requested : 0.75
  return measured * Math.min(share, 1) * shrinking.counted ** Math.max(refusals - 1, 0)
}
