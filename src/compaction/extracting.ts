/**
 * Which span an extract would stand for, and how large it may be.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Checkpoint from "./Checkpoint.ts"
import { extract } from "./extract.ts"
import * as Meter from "./Meter.ts"
import { refusedBy } from "./refusedSize.ts"
import * as SessionState from "./SessionState.ts"
import { countTextOf, newestUnit, priceOf, roomForQuotes, type Situation } from "./Situation.ts"
import { maxTokensOf } from "./summarising.ts"

/**
 * `nodes` is the span, `message` the checkpoint in its place, and `summary` what that says beside the quotes.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExtractProposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly why: string
  readonly nodes: ReadonlyArray<SurfaceState.Node>
  readonly summary: string
  readonly message: (id: string) => Message
}

/** Where no figure is known, each further refusal shows that it has to be much smaller. */
const shareAgain = 0.25

const roomOf = (situation: Situation, price: number): number => {
  const { measurement, state, target } = situation
  const cap = maxTokensOf(situation)
  return target === undefined
    ? cap * shareAgain ** Math.max(refusedBy(state).refusals - 1, 0)
    : Math.min(cap, target - (measurement.totalTokens - price) - Checkpoint.frameTokens)
}

/**
 * After an overflow, all that stands before the newest unit. Undefined: there is nothing, or an extract would be no smaller.
 * O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): ExtractProposal | undefined => {
  const { estimator, state, trigger } = situation
  if (trigger !== "context-overflow") return undefined
  const nodes = SurfaceState.nodes(state.surface, 0, newestUnit(state.surface))
  const [first] = nodes
  const last = nodes.at(-1)
  if (first === undefined || last === undefined) return undefined
  const price = priceOf(situation, nodes)
  const countText = countTextOf(situation)
  const room = roomOf(situation, price)
  // the user's own words have the other half
  const summary = extract(nodes, room / 2, countText)
  const quotes = Checkpoint.quotes(
    nodes,
    Math.min(roomForQuotes(situation, price, countText(summary)), Math.max(room - countText(summary), 0)),
    countText
  )
  const message = (id: string) => Checkpoint.render({ id, summary, quotes })
  const node: SurfaceState.Node = {
    seq: state.revision,
    message: message(`${state.revision}`),
    counts: estimator.message(message(`${state.revision}`)),
    source: "checkpoint"
  }
  const weights = SessionState.weights(state, estimator)
  if (!Meter.shrinks(state.meter, nodes, node, weights, state.envelope?.routeKey ?? "").smaller) return undefined
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    why: `${nodes.length} messages of about ${Math.round(price)} tokens stand before the newest, and no summary of them was made`,
    nodes,
    summary,
    message
  }
}
