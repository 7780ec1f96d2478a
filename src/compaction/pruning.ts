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
import { type PruneBudget, pruneDivisors, pruneResult, tighter } from "./prune.ts"
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

const shortened = (situation: Situation, budget: PruneBudget, node: SurfaceState.Node): Shortened | undefined => {
  const { estimator, policy, state } = situation
  const [block] = node.message.content
  if (policy.prune === false || block?.type !== "tool-result" || policy.prune.exempt.includes(block.name)) {
    return undefined
  }
  const content = pruneResult(block.content, budget)
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

/** All results that this budget shortens, and what that comes to. */
const pass = (
  situation: Situation,
  budget: PruneBudget,
  from: number,
  to: number
): { readonly results: ReadonlyArray<Shortened>; readonly price: number; readonly gain: number } => {
  const results = SurfaceState.nodes(situation.state.surface, from, to)
    .map((node) => shortened(situation, budget, node))
    .filter((entry) => entry !== undefined)
  const price = sum(results, "before")
  return { results, price, gain: price - sum(results, "after") }
}

const proposal = ({ gain, price, results }: ReturnType<typeof pass>, over: string): PruneProposal | undefined => {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return undefined
  const which = `${results.length} tool result${results.length === 1 ? " is" : "s are"}`
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    gain: Math.round(gain),
    why: `${which} over ${over} and would lose about ${Math.round(gain)} tokens`,
    results
  }
}

/**
 * Over-budget results, anywhere on the surface. Those of the newest unit only after an overflow, or if the next request
 * would not fit otherwise. Undefined: there is nothing to prune. O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): PruneProposal | undefined => {
  const { inputLimit, measurement, policy, state, trigger } = situation
  if (policy.prune === false || trigger === "manual") return undefined
  const older = pass(situation, policy.prune, 0, newestUnit(state.surface))
  const fits = measurement.totalTokens - older.gain <= (inputLimit ?? Infinity)
  const all = trigger === "context-overflow" || !fits ? pass(situation, policy.prune, 0, state.surface.length) : older
  return proposal(all, "budget")
}

/**
 * After an overflow, the same with the largest of the smaller budgets that reaches the target; the smallest where none
 * does, or where no target is known.
 *
 * @since 0.1.0
 * @category constructors
 */
export const proposeTighter = (situation: Situation): PruneProposal | undefined => {
  const { measurement, policy, state, target, trigger } = situation
  if (policy.prune === false || trigger !== "context-overflow") return undefined
  let found: PruneProposal | undefined
  for (const divisor of pruneDivisors) {
    const tried = pass(situation, tighter(policy.prune, divisor), 0, state.surface.length)
    found = proposal(tried, `a ${divisor}th of the budget`) ?? found
    if (target !== undefined && measurement.totalTokens - tried.gain < target) break
  }
  return found
}
