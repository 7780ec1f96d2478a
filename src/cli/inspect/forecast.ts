/**
 * What pressure would have done to a session, worked out from sizes alone: no request is made, and no summary written.
 *
 * @since 0.1.0
 */
import type { Budgets } from "../../compaction/Policy.ts"
import type { Forecast, Run } from "./report.ts"

/**
 * One message: its tokens, what a prune would take from it, and whether a unit begins with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Weighed {
  readonly tokens: number
  readonly prunable: number
  readonly startsUnit: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Conversation {
  readonly messages: ReadonlyArray<Weighed>
  /** the number of messages before each request, and its place */
  readonly requests: ReadonlyArray<{ readonly at: number; readonly place: string }>
  /** what every request carries before its messages */
  readonly front: number
}

/** What a summary is taken to need: its cap, or half of what it stands for where that is less. */
const summaryShare = 0.5

const sumsOf = (messages: ReadonlyArray<Weighed>, value: (message: Weighed) => number): Float64Array => {
  const sums = new Float64Array(messages.length + 1)
  messages.forEach((message, i) => (sums[i + 1] = sums[i]! + value(message)))
  return sums
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const forecast = ({ front, messages, requests }: Conversation, budgets: Budgets, window: number): Forecast => {
  const tokens = sumsOf(messages, (message) => message.tokens)
  const prunable = sumsOf(messages, (message) => message.prunable)
  const limit = window - budgets.reserve
  const runs: Array<Run> = []
  // the surface: a checkpoint, then the messages from `first`, of which those before `prunedTo` are pruned
  let checkpoint = 0
  let first = 0
  let prunedTo = 0
  let peak = 0
  let sent = 0
  let peakWithout = 0
  let sentWithout = 0
  let overflowWithout: Forecast["overflowWithout"] = null

  const between = (from: number, to: number): number => {
    const pruned = Math.max(0, prunable[Math.min(prunedTo, to)]! - prunable[Math.min(from, prunedTo)]!)
    return tokens[to]! - tokens[from]! - pruned
  }
  const sizeAt = (at: number): number => front + checkpoint + between(first, at)
  const unitBefore = (at: number): number => {
    let start = Math.max(at - 1, first)
    while (start > first && messages[start]?.startsUnit === false) start--
    return start
  }
  const summarise = (at: number, retain: number): void => {
    let cut = unitBefore(at)
    while (cut > first && between(cut, at) < retain) cut = unitBefore(cut)
    if (cut === first) return
    const gone = checkpoint + between(first, cut)
    checkpoint = Math.min(budgets.summaryMaxTokens, Math.ceil(gone * summaryShare))
    first = cut
  }

  for (const [step, { at, place }] of requests.entries()) {
    const without = front + tokens[at]!
    sentWithout += without
    peakWithout = Math.max(peakWithout, without)
    if (without > limit) overflowWithout ??= { step, place, tokens: Math.round(without) }
    const from = sizeAt(at)
    if (from >= budgets.threshold && at > first) {
      prunedTo = Math.max(prunedTo, unitBefore(at))
      const prune = sizeAt(at) < budgets.threshold
      // what stays must leave room for what comes, as in `Situation`
      const room = budgets.threshold - front
      if (!prune) summarise(at, budgets.retain >= room ? Math.floor(room / 2) : budgets.retain)
      const kept = sizeAt(at)
      const over = kept > limit
      // a rescue keeps the newest unit alone
      if (over) summarise(at, 0)
      const to = sizeAt(at)
      if (to < from || over) {
        const kind = over ? "overflow" : prune ? "prune" : "summary"
        runs.push({ step, place, kind, from: Math.round(from), to: Math.round(to) })
      }
    }
    const size = sizeAt(at)
    sent += size
    peak = Math.max(peak, size)
  }
  return {
    runs,
    peak: Math.round(peak),
    sent: Math.round(sent),
    peakWithout: Math.round(peakWithout),
    sentWithout: Math.round(sentWithout),
    overflowWithout
  }
}
