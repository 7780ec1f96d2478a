/**
 * The checkpoint that would stand in place of some nodes of a session.
 *
 * @since 0.1.0
 */
import type { Message } from "../session/Message.ts"
import type * as SurfaceState from "../session/SurfaceState.ts"
import * as Checkpoint from "./Checkpoint.ts"
import * as Meter from "./Meter.ts"
import * as SessionState from "./SessionState.ts"
import { countTextOf, priceOf, type Situation } from "./Situation.ts"

/**
 * Whether the surface would take the message in place of the nodes (I2).
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSmaller = (
  { estimator, state }: Situation,
  nodes: ReadonlyArray<SurfaceState.Node>,
  message: Message
): boolean => {
  const node = { seq: state.revision, message, counts: estimator.message(message), source: "checkpoint" as const }
  const weights = SessionState.weights(state, estimator)
  return Meter.shrinks(state.meter, nodes, node, weights, state.envelope?.routeKey ?? "").smaller
}

/** The share of the window that the user's own words may take in any case: what is kept of it is no room for what comes. */
const shareOfWindow = 1 / 8

/**
 * How many tokens of a checkpoint may be the user's own words: half of what it gains, and half of the room that it leaves.
 * Words that an earlier checkpoint quotes are no new weight, and keep their room beside what is new: that is `full`.
 */
const roomForQuotes = (situation: Situation, nodes: ReadonlyArray<SurfaceState.Node>, summary: number) => {
  const { measurement, policy, target, window = Infinity } = situation
  const price = priceOf(situation, nodes)
  const gained = Math.max(price - summary - Checkpoint.frameTokens, 0)
  const free = target === undefined ? Infinity : target - (measurement.totalTokens - price)
  const quoted = Checkpoint.quotedTokens(nodes, countTextOf(situation))
  const bounded = (room: number) =>
    Math.max(Math.min(policy.summary.quoteTokens, Math.floor(Math.min(room, free / 2, window * shareOfWindow))), 0)
  return { full: bounded(quoted + Math.max(gained - quoted, 0) / 2), least: bounded(gained / 2) }
}

/**
 * A checkpoint with this summary, by the compaction's id, and the newest user words verbatim. `most` are the tokens that
 * these may take in any case. Fewer where it would be no smaller than the nodes with all that should stay; whether it is
 * then, the surface says.
 *
 * @since 0.1.0
 * @category constructors
 */
export const checkpointOf = (
  situation: Situation,
  nodes: ReadonlyArray<SurfaceState.Node>,
  { id, most = Infinity, summary }: { readonly id: string; readonly summary: string; readonly most?: number }
): Message => {
  const countText = countTextOf(situation)
  const { full, least } = roomForQuotes(situation, nodes, countText(summary))
  const withQuotes = (room: number) =>
    Checkpoint.render({ id, summary, quotes: Checkpoint.quotes(nodes, Math.min(room, most), countText) })
  const message = withQuotes(full)
  return isSmaller(situation, nodes, message) ? message : withQuotes(least)
}
