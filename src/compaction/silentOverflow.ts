/**
 * Overflows that no error tells of: an answer came, and its figures or its emptiness say that the request did not fit.
 *
 * One judgement for all adapters, and for the session, which may know a window that its adapter does not.
 *
 * @since 0.1.0
 */
import type { FinishReason } from "../session/SessionEvent.ts"
import { isReported, type Usage } from "../session/Usage.ts"
import type { OverflowSign } from "./rescue.ts"

/**
 * What is known of an answer. `finish` and `isEmpty` are absent where the client that gave it does not say.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answered {
  readonly usage: Usage | undefined
  readonly finish?: FinishReason
  /** neither text, nor a call, nor reasoning */
  readonly isEmpty?: boolean
}

/** Servers stop a few tokens short of the window; further from it than this, a length stop is the output limit's. */
const edge = (window: number) => window - Math.max(16, Math.floor(window / 100))

/**
 * Whether a request of so many tokens fills a window.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isFull = (tokens: number, window: number | undefined): boolean =>
  window !== undefined && tokens >= edge(window)

/**
 * A length stop before any output, at the window's edge, and not because the request had asked for so little.
 *
 * @since 0.1.0
 * @category predicates
 */
export const stoppedAtEdge = (
  { finish, isEmpty, usage }: Answered,
  { maxOutputTokens, window }: { readonly window: number | undefined; readonly maxOutputTokens?: number | undefined }
): OverflowSign | undefined => {
  if (finish !== "length" || isEmpty !== true || usage === undefined || window === undefined) return undefined
  if (maxOutputTokens !== undefined && usage.outputTokens >= maxOutputTokens) return undefined
  return isFull(usage.inputTokens + usage.outputTokens, window)
    ? { limit: window, limitCounts: "input-and-output", requested: usage.inputTokens }
    : undefined
}

/**
 * An answer with a normal stop to more input than the window that its provider itself stated. Of a window that somebody
 * else configured such a count proves only that the figure is wrong.
 *
 * @since 0.1.0
 * @category predicates
 */
export const aboveStated = (
  { finish = "stop", usage }: Answered,
  stated: number | undefined
): OverflowSign | undefined =>
  finish === "stop" && isReported(usage) && stated !== undefined && usage.inputTokens > stated
    ? { limit: stated, requested: usage.inputTokens }
    : undefined
