/**
 * Finds servers that drop what does not fit and say nothing: what they count does not grow with what they are sent.
 *
 * @since 0.1.0
 */
import type { Block, Message, ResultBlock } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { Usage } from "../session/Usage.ts"
import { measureUncounted } from "./measure.ts"
import * as Meter from "./Meter.ts"
import { type Counted, newestCounted } from "./Records.ts"
import { routeFacts, type SessionState, weights } from "./SessionState.ts"
import { tokens, type TokenEstimator } from "./TokenEstimator.ts"

/**
 * What a count says: `short`: it did not grow with what was sent; `truncated`: there is no other explanation any more.
 * `untold`: nothing, since the count before it is of another envelope, as where an application offers its tools in some
 * requests only; what the one before was taken for still stands.
 *
 * @since 0.1.0
 * @category models
 */
export type Judgement = "whole" | "untold" | "short" | "truncated"

/** Of what was added at least this share shows in an honest count. The most frugal tokenizer counts three times as much. */
const leastShare = 0.1

/** Less than this may be hidden by what a chat template puts in and leaves out. Tokens. */
const leastAdded = 200

/** No model has so small a window: a figure below it is a placeholder. Tokens. */
const leastWindow = 512

const isMedia = ({ type }: Block | ResultBlock): boolean => type === "image" || type === "file" || type === "unknown"

const holdsMedia = ({ content }: Message): boolean =>
  content.some((block) => isMedia(block) || (block.type === "tool-result" && block.content.some(isMedia)))

/** Reasoning of earlier turns and media are what servers leave out by right. */
const mayBeLeftOut = (message: Message): boolean =>
  holdsMedia(message) || message.content.some(({ type }) => type === "reasoning")

/**
 * Tokens that the request gained since the last counted one, without the model's own answers, of which reasoning may never
 * come back. Undefined where they cannot be compared: another envelope, a replacement in between, or media, whose price
 * is the server's business.
 */
const added = (
  state: SessionState,
  before: Counted,
  estimator: TokenEstimator,
  counted: number
): number | undefined => {
  const { envelope, openStep } = state
  if (envelope === undefined || openStep === undefined) return undefined
  const { surface: then } = before
  const { surface: now } = openStep
  if (before.envelope.key !== envelope.key || then.generation !== now.generation) return undefined
  const scale = weights(state, estimator)
  const density = Meter.density(state.meter, envelope.routeKey)
  const all = SurfaceState.sumBefore(now, now.length, scale) - SurfaceState.sumBefore(now, then.length, scale)
  // most counts end here, and no message is read for them
  if (counted >= leastShare * density * all) return undefined
  let sum = 0
  for (const node of SurfaceState.nodes(now, then.length)) {
    if (holdsMedia(node.message)) return undefined
    if (node.source !== "assistant") sum += tokens(node.counts, scale) * density
  }
  return sum
}

/** What the count may stand for at most: somebody's usage may have cached tokens beside the input, in spite of our convention. */
const atMost = ({ cachedTokens = 0, cacheWriteTokens = 0, inputTokens }: Usage): number =>
  inputTokens + cachedTokens + cacheWriteTokens

/** Of the same route, with nothing replaced in between. */
const isOtherEnvelope = ({ envelope, openStep }: SessionState, before: Counted): boolean =>
  before.envelope.routeKey === envelope?.routeKey &&
  before.envelope.key !== envelope.key &&
  before.surface.generation === openStep?.surface.generation

/**
 * Judges the count of the request of the open step, before it is folded in.
 *
 * A count is short if less than a tenth of what was added shows in it. Once that may have a cause of its own (reasoning of
 * the turn before that is dropped, another upstream behind a router); what has none is two in a row, or one that lies below
 * the meter's lower estimate of all that was sent as well, which an honest count nearly never does.
 *
 * A server that truncates keeps what fits. A count far below what it took before, or below the envelope, is more
 * likely a count of something else (the uncached part, the last message), unless it stands still twice.
 * Two in a row are two that can be compared: requests with another envelope in between say nothing.
 *
 * @since 0.1.0
 * @category folds
 */
export const judge = (state: SessionState, usage: Usage, estimator: TokenEstimator): Judgement => {
  const before = newestCounted(state.accepted)
  const { inputTokens } = usage
  if (before === undefined || atMost(usage) > 2 * inputTokens || inputTokens < leastWindow) return "whole"
  if (isOtherEnvelope(state, before)) return "untold"
  const counted = inputTokens - before.counted.input
  const gained = added(state, before, estimator, counted)
  if (gained === undefined || gained < leastAdded || counted >= leastShare * gained) return "whole"
  const whole = measureUncounted(state, estimator)
  const surely = whole.totalTokens === 0 ? 1 : whole.lowerTokens / whole.totalTokens
  const { accepted = 0 } = routeFacts(state, state.envelope?.routeKey ?? "")
  const isLow = inputTokens * 4 < accepted || inputTokens < whole.envelopeTokens * surely
  if (isLow && Math.abs(counted) > Math.max(16, inputTokens / 100)) return "whole"
  if (before.counted.short) return "truncated"
  return !isLow && atMost(usage) < whole.lowerTokens && !SurfaceState.messages(state.surface).some(mayBeLeftOut)
    ? "truncated"
    : "short"
}

/**
 * Whether a request is surely larger than what its route, which truncates, takes: then its count is not its size.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isCut = (state: SessionState, window: number, estimator: TokenEstimator): boolean =>
  measureUncounted(state, estimator).lowerTokens > window
