/**
 * A message with its long texts cut to their start and end: for a summariser with a small window, and as the last thing
 * that can be done about a message that no window holds.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Block, Message } from "../session/Message.ts"
import type { Node } from "../session/SurfaceState.ts"
import { defaults, type RoutePolicy } from "./Policy.ts"
import { type PruneBudget, pruneDivisors, pruneResult, pruneText, tighter } from "./prune.ts"
import { routeOf, type SessionState } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/** The budget of texts that are no tool results, where the policy has none. */
const baseOf = ({ prune }: Pick<RoutePolicy, "prune">): PruneBudget =>
  prune === false ? (defaults.prune as PruneBudget) : prune

/**
 * The budgets to try, the largest first. They are the policy's own, and hold for copies and for what is no tool result also
 * where the policy leaves results alone.
 *
 * @since 0.1.0
 * @category getters
 */
export const budgets = (policy: Pick<RoutePolicy, "prune">): ReadonlyArray<PruneBudget> =>
  [1, ...pruneDivisors].map((divisor) => tighter(baseOf(policy), divisor))

/** Every long string in it is cut; names, numbers and the form of it stay, so that it is still a call of that tool. */
const shortenArguments = (value: unknown, budget: PruneBudget, seq: Seq | undefined): unknown => {
  if (typeof value === "string") return pruneText(value, budget, seq) ?? value
  if (Array.isArray(value)) {
    const items = value.map((item) => shortenArguments(item, budget, seq))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value)
  const cut = entries.map(([name, field]): [string, unknown] => [name, shortenArguments(field, budget, seq)])
  return cut.some(([, field], i) => field !== entries[i]![1]) ? Object.fromEntries(cut) : value
}

const shortenBlock = (
  block: Block,
  budget: PruneBudget,
  seq: Seq | undefined,
  mayCut: (tool: string) => boolean
): Block => {
  switch (block.type) {
    case "tool-result": {
      const content = mayCut(block.name) ? pruneResult(block.content, budget, seq) : undefined
      return content === undefined ? block : { ...block, content }
    }
    case "tool-call": {
      const args = shortenArguments(block.arguments, budget, seq)
      return args === block.arguments ? block : { ...block, arguments: args }
    }
    case "text": {
      const text = pruneText(block.text, budget, seq)
      return text === undefined ? block : { ...block, text }
    }
    default:
      return block
  }
}

/**
 * The message with its texts, the strings in its tool calls and the texts of its results cut to the budget; the same value
 * where there is nothing to cut. Reasoning stays as it is: a provider checks its signature. `seq` is what the markers name
 * as the event that holds the whole; `mayCut` may keep the results of a tool from it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const shortenMessage = (
  message: Message,
  budget: PruneBudget,
  seq?: Seq,
  mayCut: (tool: string) => boolean = () => true
): Message => {
  const content = message.content.map((block) => shortenBlock(block, budget, seq, mayCut))
  return content.some((block, i) => block !== message.content[i]) ? { ...message, content } : message
}

/**
 * The node in this form, priced anew. A checkpoint is a summary already and stays whole.
 *
 * @since 0.1.0
 * @category combinators
 */
export const shorten = (
  node: Node,
  budget: PruneBudget,
  { estimator, state }: { readonly estimator: TokenEstimator; readonly state: SessionState },
  seq?: Seq,
  mayCut?: (tool: string) => boolean
): Node => {
  if (node.source === "checkpoint") return node
  const message = shortenMessage(node.message, budget, seq, mayCut)
  return message === node.message ? node : { ...node, message, counts: estimator.message(message, routeOf(state)) }
}

/**
 * Whether a rescue may cut the results of a tool on the surface.
 *
 * @since 0.1.0
 * @category predicates
 */
export const mayCutResultsOf =
  ({ prune }: Pick<RoutePolicy, "prune">) =>
  (tool: string): boolean =>
    prune !== false && !prune.exempt.includes(tool)
