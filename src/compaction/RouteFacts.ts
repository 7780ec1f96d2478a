/**
 * What the provider's own errors and accepted requests in this session showed of a route's window.
 *
 * @since 0.1.0
 */

/**
 * All figures are tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface RouteFacts {
  /** the lowest limit that the provider stated */
  readonly limit?: number
  readonly limitCounts?: "input" | "input-and-output"
  /** the largest input that it answered */
  readonly accepted?: number
  /** a per-minute limit that one request alone went over: a ceiling for pressure, not a window */
  readonly ceiling?: number
}

/**
 * What a refused request teaches. A limit at or below what was answered before cannot be the window, and is dropped.
 *
 * @since 0.1.0
 * @category folds
 */
export const refused = (
  facts: RouteFacts,
  stated: { readonly limit?: number | undefined; readonly limitCounts?: RouteFacts["limitCounts"] }
): RouteFacts =>
  stated.limit === undefined || stated.limit <= 0 || stated.limit < (facts.accepted ?? 0)
    ? facts
    : {
        ...facts,
        limit: stated.limit,
        ...(stated.limitCounts === undefined ? {} : { limitCounts: stated.limitCounts })
      }

/**
 * What an answered request teaches: a stated limit below its input no longer holds.
 *
 * @since 0.1.0
 * @category folds
 */
export const accepted = (facts: RouteFacts, inputTokens: number): RouteFacts => {
  if (inputTokens <= (facts.accepted ?? 0)) return facts
  if (facts.limit === undefined || facts.limit >= inputTokens) return { ...facts, accepted: inputTokens }
  const { limit: _limit, limitCounts: _limitCounts, ...kept } = facts
  return { ...kept, accepted: inputTokens }
}

/**
 * The window to work with: the smaller of the adapter's figure and the stated limit, but never below what was answered.
 * Undefined where neither is known; servers that do not know it say 0, and what is no number says nothing.
 *
 * @since 0.1.0
 * @category getters
 */
export const windowOf = (facts: RouteFacts, adapterWindow: number | undefined): number | undefined => {
  const known = [adapterWindow, facts.limit].filter((figure) => figure !== undefined && figure > 0) as Array<number>
  return known.length === 0 ? undefined : Math.max(Math.min(...known), facts.accepted ?? 0)
}
