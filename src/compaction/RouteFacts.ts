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
  /** it drops what does not fit and says nothing: it takes no more than the largest input that it counted */
  readonly truncates?: true
  /** requests that it refused as too long since it last answered one, over all turns; absent: none */
  readonly refusals?: number
}

interface Stated {
  readonly limit?: number | undefined
  readonly limitCounts?: RouteFacts["limitCounts"]
}

/**
 * What a limit that an error stated teaches. One at or below what was answered before cannot be the window, and is dropped.
 *
 * @since 0.1.0
 * @category folds
 */
export const stated = (facts: RouteFacts, { limit, limitCounts }: Stated): RouteFacts =>
  limit === undefined || limit <= 0 || limit < (facts.accepted ?? 0)
    ? facts
    : { ...facts, limit, ...(limitCounts === undefined ? {} : { limitCounts }) }

/**
 * What a request that was refused as too long teaches.
 *
 * @since 0.1.0
 * @category folds
 */
export const refused = (facts: RouteFacts, error: Stated): RouteFacts => ({
  ...stated(facts, error),
  refusals: (facts.refusals ?? 0) + 1
})

/**
 * A request was answered, whether or not its provider counts.
 *
 * @since 0.1.0
 * @category folds
 */
export const answered = (facts: RouteFacts): RouteFacts => {
  const { refusals: _refusals, ...kept } = facts
  return kept
}

/**
 * What the count of an answered request teaches: a stated limit below its input no longer holds.
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
 * The route was found to cut what it is sent.
 *
 * @since 0.1.0
 * @category folds
 */
export const truncated = (facts: RouteFacts): RouteFacts => ({ ...facts, truncates: true })

/**
 * The window to work with: the smallest of the adapter's figure, the stated limit, and on a route that truncates the
 * largest input that it counted, but never below what was answered.
 * Undefined where neither is known; servers that do not know it say 0, and what is no number says nothing.
 *
 * @since 0.1.0
 * @category getters
 */
export const windowOf = (facts: RouteFacts, adapterWindow: number | undefined): number | undefined => {
  const kept = facts.truncates === true ? facts.accepted : undefined
  const figures = [adapterWindow, facts.limit, kept]
  const known = figures.filter((figure) => figure !== undefined && figure > 0) as Array<number>
  return known.length === 0 ? undefined : Math.max(Math.min(...known), facts.accepted ?? 0)
}
