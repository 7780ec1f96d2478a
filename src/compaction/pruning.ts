/**
 * Which messages a prune pass would shorten, and to what.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { replacing, type SurfaceDraft } from "./drafts.ts"
import * as Meter from "./Meter.ts"
import { type PruneBudget, pruneDivisors, tighter } from "./prune.ts"
import { refusedBy } from "./refusedSize.ts"
import * as SessionState from "./SessionState.ts"
import * as Shortened from "./shortened.ts"
import { newestUnit, priceOf, type Situation } from "./Situation.ts"

/**
 * One pass over all the messages that are over budget. `price` is what they weigh now, in tokens; `gain` is what they would
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
  readonly cuts: ReadonlyArray<{ readonly seq: Seq; readonly by: SurfaceDraft }>
}

interface Cut {
  readonly seq: Seq
  readonly by: SurfaceDraft
  readonly before: number
  readonly after: number
}

/** How a node would look; the same one where there is nothing to cut. */
type Form = (node: SurfaceState.Node) => SurfaceState.Node

const cutOf = ({ envelope, estimator, state }: Situation, form: Form, node: SurfaceState.Node): Cut | undefined => {
  const cut = form(node)
  if (cut === node) return undefined
  const price = Meter.shrinks(
    state.meter,
    [node],
    { ...cut, seq: state.revision },
    SessionState.weights(state, estimator),
    Route.key(envelope.route)
  )
  return price.smaller
    ? { seq: node.seq, by: replacing(node, cut.message), before: price.before, after: price.after }
    : undefined
}

interface Pass {
  readonly cuts: ReadonlyArray<Cut>
  readonly price: number
  readonly gain: number
}

/** All messages of a stretch that this form makes smaller, and what that comes to. */
const pass = (situation: Situation, form: Form, from: number, to: number): Pass => {
  const cuts: Array<Cut> = []
  let price = 0
  let gain = 0
  for (const node of SurfaceState.nodes(situation.state.surface, from, to)) {
    const cut = cutOf(situation, form, node)
    if (cut === undefined) continue
    cuts.push(cut)
    price += cut.before
    gain += cut.before - cut.after
  }
  return { cuts, price, gain }
}

const results =
  (situation: Situation, budget: PruneBudget): Form =>
  (node) =>
    node.source === "tool"
      ? Shortened.shorten(node, budget, situation, node.seq, Shortened.mayCutResultsOf(situation.policy))
      : node

const everything =
  (situation: Situation, budget: PruneBudget): Form =>
  (node) =>
    Shortened.shorten(node, budget, situation, node.seq, Shortened.mayCutResultsOf(situation.policy))

const proposal = ({ cuts, gain, price }: Pass, what: string, over: string): PruneProposal | undefined => {
  const [first] = cuts
  const last = cuts.at(-1)
  if (first === undefined || last === undefined) return undefined
  const which = cuts.length === 1 ? `1 ${what} is` : `${cuts.length} ${what}s are`
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    gain: Math.round(gain),
    why: `${which} over ${over} and would lose about ${Math.round(gain)} tokens`,
    cuts
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
  const form = results(situation, policy.prune)
  const older = pass(situation, form, 0, newestUnit(state.surface))
  const fits = measurement.totalTokens - older.gain <= (inputLimit ?? Infinity)
  const all = trigger === "context-overflow" || !fits ? pass(situation, form, 0, state.surface.length) : older
  return proposal(all, "tool result", "budget")
}

/** What a checkpoint made without a model needs at least, with its frame. */
const leastCheckpoint = 250

/**
 * Whether the newest unit has to get smaller itself: it would not fit although all before it were gone. Where no figure is
 * known that is so once nothing but a checkpoint stands before it and the request was refused all the same.
 */
const mustCutNewest = (situation: Situation): boolean => {
  const { measurement, state, target } = situation
  const start = newestUnit(state.surface)
  if (target !== undefined) {
    const newest = priceOf(situation, SurfaceState.nodes(state.surface, start))
    return measurement.envelopeTokens + newest + (start === 0 ? 0 : leastCheckpoint) > target
  }
  return start === 0 || (start === 1 && SurfaceState.nodeAt(state.surface, 0)?.source === "checkpoint")
}

/**
 * After an overflow: results by the largest of the smaller budgets that reaches the target, the smallest where none does; where
 * no target is known, by the next smaller one after each refusal in a row. Where the newest unit alone is too large, its messages of every role are cut as well.
 *
 * @since 0.1.0
 * @category constructors
 */
export const proposeTighter = (situation: Situation): PruneProposal | undefined => {
  const { measurement, policy, state, target, trigger } = situation
  if (trigger !== "context-overflow") return undefined
  const reaches = ({ gain }: Pass) => target !== undefined && measurement.totalTokens - gain < target
  const { length } = state.surface
  // without a figure nothing says by how much: each refusal in a row shows that it has to be less
  const allowed = target === undefined ? Math.max(refusedBy(state).refusals, 1) : Infinity
  let found: PruneProposal | undefined
  if (policy.prune !== false) {
    for (const divisor of pruneDivisors.slice(0, allowed)) {
      const tried = pass(situation, results(situation, tighter(policy.prune, divisor)), 0, length)
      found = proposal(tried, "tool result", `a ${divisor}th of the budget`) ?? found
      if (reaches(tried)) return found
    }
  }
  if (!mustCutNewest(situation)) return found
  const start = newestUnit(state.surface)
  for (const budget of Shortened.budgets(policy).slice(0, allowed)) {
    const tried = pass(situation, everything(situation, budget), start, length)
    found = proposal(tried, "message", `${budget.over} characters, in a unit that is too large alone,`) ?? found
    if (reaches(tried)) return found
  }
  return found
}
