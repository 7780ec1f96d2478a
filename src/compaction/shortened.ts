/**
 * A span in the form in which a small window can still read it: long texts cut to their start and end.
 *
 * @since 0.1.0
 */
import type { Node } from "../session/SurfaceState.ts"
import { defaults } from "./Policy.ts"
import { type PruneBudget, pruneResult, pruneText } from "./prune.ts"
import type { Situation } from "./Situation.ts"

/** Down to this share of the policy's budget each text is cut to less and less. */
const shares = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]

/**
 * The budgets to try, the largest first. Only the summariser's copy is cut by them, so they hold where a policy leaves the
 * surface's own results alone.
 *
 * @since 0.1.0
 * @category getters
 */
export const budgets = ({ policy }: Pick<Situation, "policy">): ReadonlyArray<PruneBudget> => {
  const base = policy.prune === false ? defaults.prune : policy.prune
  if (base === false) return []
  return shares.map((share) => ({
    over: Math.floor(base.over * share),
    head: Math.floor(base.head * share),
    tail: Math.floor(base.tail * share)
  }))
}

/**
 * The node with its texts cut to the budget, and priced anew; a checkpoint is a summary already and stays whole.
 *
 * @since 0.1.0
 * @category conversions
 */
export const shorten = (node: Node, budget: PruneBudget, { estimator }: Pick<Situation, "estimator">): Node => {
  if (node.source === "checkpoint") return node
  let isCut = false
  const content = node.message.content.map((block) => {
    if (block.type === "tool-result") {
      const pruned = pruneResult(block.content, budget)
      isCut ||= pruned !== undefined
      return pruned === undefined ? block : { ...block, content: pruned }
    }
    const text = block.type === "text" ? pruneText(block.text, budget) : undefined
    isCut ||= text !== undefined
    return text === undefined || block.type !== "text" ? block : { ...block, text }
  })
  if (!isCut) return node
  const message = { ...node.message, content }
  return { ...node, message, counts: estimator.message(message) }
}
