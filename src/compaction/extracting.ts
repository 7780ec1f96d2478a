/**
 * Which span an extract would stand for, and how large it may be.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Checkpoint from "./Checkpoint.ts"
import { checkpointOf, isSmaller } from "./checkpointing.ts"
import { extract } from "./extract.ts"
import { refusedBy } from "./refusedSize.ts"
import { countTextOf, newestUnit, priceOf, type Situation } from "./Situation.ts"
import { headEnd, maxTokensOf } from "./summarising.ts"

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

/** Undefined: there is nothing before `end`, or an extract would be no smaller. O(n). */
const before = (situation: Situation, end: number, why: string): ExtractProposal | undefined => {
  const { state } = situation
  const nodes = SurfaceState.nodes(state.surface, 0, end)
  const [first] = nodes
  const last = nodes.at(-1)
  if (first === undefined || last === undefined) return undefined
  const price = priceOf(situation, nodes)
  const countText = countTextOf(situation)
  const room = roomOf(situation, price)
  // the user's own words have the other half
  const summary = extract(nodes, room / 2, countText)
  const most = Math.max(room - countText(summary), 0)
  const message = (id: string) => checkpointOf(situation, nodes, { id, summary, most })
  if (!isSmaller(situation, nodes, message(`${state.revision}`))) return undefined
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    why: `${nodes.length} messages of about ${Math.round(price)} tokens stand before the ${why}`,
    nodes,
    summary,
    message
  }
}

/**
 * After an overflow, all that stands before the newest unit. Undefined: there is nothing, or an extract would be no smaller.
 * O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): ExtractProposal | undefined =>
  situation.trigger === "context-overflow"
    ? before(situation, newestUnit(situation.state.surface), "newest, and no summary of them was made")
    : undefined

/**
 * What stands before the tail that the policy retains, whatever the trigger.
 *
 * @since 0.1.0
 * @category constructors
 */
export const proposeBeforeTail = (situation: Situation): ExtractProposal | undefined =>
  before(situation, headEnd(situation), "tail that stays, and no model is asked")
