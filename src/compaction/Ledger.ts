/**
 * The sizes that were learned for messages: what the provider counted for those that one report was the first to pay
 * for.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Node } from "../session/SurfaceState.ts"
import { tokens } from "./TokenEstimator.ts"

/**
 * What one report paid for first: the nodes from seq `from` up to, not including, `to`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly from: Seq
  readonly to: Seq
  /** tokens per estimated token, the answer apart where the provider counted it */
  readonly ratio: number
  readonly weights: ReadonlyArray<number>
  readonly reply: { readonly seq: Seq; readonly tokens: number } | undefined
}

/**
 * In order of seq; a report adds one entry, not one a message. The entries are shared by all states that grew out of
 * each other, and a state ends at its own length, so that an addition costs O(1) and disturbs no older state.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ledger {
  readonly length: number
  readonly entries: Array<Entry>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty = (): Ledger => ({ length: 0, entries: [] })

/**
 * @since 0.1.0
 * @category combinators
 */
export const add = (ledger: Ledger, entry: Entry): Ledger => {
  // where another state went on from here, this one goes on with a copy of its own
  const entries = ledger.entries.length === ledger.length ? ledger.entries : ledger.entries.slice(0, ledger.length)
  entries.push(entry)
  return { length: ledger.length + 1, entries }
}

/**
 * The tokens that were learned for a node, undefined where no report has paid for it yet. O(log n).
 *
 * @since 0.1.0
 * @category getters
 */
export const tokensOf = (ledger: Ledger, node: Pick<Node, "seq" | "counts">): number | undefined => {
  let low = 0
  let high = ledger.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const entry = ledger.entries[middle]!
    if (node.seq < entry.from) high = middle - 1
    else if (node.seq >= entry.to) low = middle + 1
    else if (entry.reply?.seq === node.seq) return entry.reply.tokens
    else return tokens(node.counts, entry.weights) * entry.ratio
  }
  return undefined
}
