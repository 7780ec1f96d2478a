/**
 * Which tool results a prune pass would shorten, and to what.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { ToolResultBlock } from "../session/Message.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Meter from "./Meter.ts"
import { pruneResult } from "./prune.ts"
import * as SessionState from "./SessionState.ts"
import { newestUnit, type Situation } from "./Situation.ts"

/**
 * One pass over all the results that are over budget. `price` is what they weigh now, in tokens; `gain` is what they would
 * lose.
 *
 * @since 0.1.0
 * @category models
 */
export interface PruneProposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly gain: number
  readonly why: string
  readonly results: ReadonlyArray<{ readonly seq: Seq; readonly result: ToolResultBlock }>
}

interface Shortened {
  readonly seq: Seq
  readonly result: ToolResultBlock
  readonly before: number
  readonly after: number
}

const shortened = (situation: Situation, node: SurfaceState.Node): Shortened | undefined => {
  const { estimator, policy, state } = situation
  const [block] = node.message.content
  if (policy.prune === false || block?.type !== "tool-result" || policy.prune.exempt.includes(block.name)) {
    return undefined
  }
  const content = pruneResult(block.content, policy.prune)
  if (content === undefined) return undefined
  const result = { ...block, content }
  const counts = estimator.message({ ...node.message, content: [result] })
  const price = Meter.shrinks(
    state.meter,
    [node],
    { ...node, seq: state.revision, counts },
    SessionState.weights(state, estimator),
    Route.key(situation.envelope.route)
  )
  return price.smaller ? { seq: node.seq, result, before: price.before, after: price.after } : undefined
}

const sum = (entries: ReadonlyArray<Shortened>, field: "before" | "after") =>
  entries.reduce((total, entry) => total + entry[field], 0)

/**
 * Over-budget results, anywhere on the surface. Those of the newest unit only after an overflow, or if the next request
 * would not fit otherwise. Undefined: there is nothing to prune. O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): PruneProposal | undefined => {
  const { inputLimit, measurement, state, trigger } = situation
  if (situation.policy.prune === false || trigger === "manual") return undefined
  const newest = newestUnit(state.surface)
  const candidates = (from: number, to: number) =>
    SurfaceState.nodes(state.surface, from, to)
      .map((node) => shortened(situation, node))
      .filter((entry) => entry !== undefined)
  const older = candidates(0, newest)
  const fits = measurement.totalTokens - (sum(older, "before") - sum(older, "after")) <= (inputLimit ?? Infinity)
  const all = trigger === "context-overflow" || !fits ? [...older, ...candidates(newest, state.surface.length)] : older
  const [first] = all
  const last = all.at(-1)
  if (first === undefined || last === undefined) return undefined
  const price = sum(all, "before")
  const gain = price - sum(all, "after")
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    gain: Math.round(gain),
    why: `${all.length} tool result${all.length === 1 ? " is" : "s are"} over budget and would lose about ${Math.round(gain)} tokens`,
    results: all
  }
}
