/**
 * What the states of a surface are made of: columns that grow together, one entry a node.
 *
 * @since 0.1.0
 */
import type { Seq } from "./Ids.ts"
import type * as Message from "./Message.ts"

/**
 * One message on the surface. `counts` are the estimator's raw counts of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Node {
  readonly seq: Seq
  readonly message: Message.Message
  readonly counts: ReadonlyArray<number>
  readonly source: "prompt" | "context" | "checkpoint" | "assistant" | "tool"
}

/**
 * The growing part that the states of one generation share; only the first `length` entries belong to a state.
 */
export interface Columns {
  readonly nodes: Array<Node>
  readonly messages: Array<Message.Message>
  /** the messages of the state that was last asked for them */
  request: ReadonlyArray<Message.Message> | undefined
  /** running sums of the counts, `dimensions` numbers a node, beginning with zeros */
  sums: Float64Array
  /** how many calls are unanswered after the node */
  open: Int32Array
  /** position by seq, -1 where the seq is not on the surface */
  positions: Int32Array
}

/** Columns for so many nodes and seqs; they grow beyond that. */
export const make = (dimensions: number, capacity: number, seqs: number): Columns => ({
  nodes: [],
  messages: [],
  request: undefined,
  sums: new Float64Array((capacity + 1) * dimensions),
  open: new Int32Array(capacity),
  positions: new Int32Array(seqs).fill(-1)
})

const larger = <A extends Float64Array | Int32Array>(array: A, copy: A): A => {
  copy.set(array)
  return copy
}

const grow = (columns: Columns, dimensions: number, seq: Seq): void => {
  const at = columns.nodes.length
  if ((at + 2) * dimensions > columns.sums.length) {
    columns.sums = larger(columns.sums, new Float64Array(Math.max((at + 2) * dimensions, columns.sums.length * 2)))
  }
  if (at >= columns.open.length) {
    columns.open = larger(columns.open, new Int32Array(Math.max(at + 1, columns.open.length * 2)))
  }
  if (seq >= columns.positions.length) {
    const positions = new Int32Array(Math.max(seq + 1, columns.positions.length * 2)).fill(-1)
    columns.positions = larger(columns.positions, positions)
  }
}

/** Writes one node behind the last one. Only the newest state of its columns may do so. */
export const push = (columns: Columns, dimensions: number, node: Node, open: number): void => {
  grow(columns, dimensions, node.seq)
  const { counts, message, seq } = node
  const { nodes, sums } = columns
  const at = nodes.length
  const from = at * dimensions
  for (let k = 0; k < dimensions; k++) sums[from + dimensions + k] = sums[from + k]! + (counts[k] ?? 0)
  columns.open[at] = open
  columns.positions[seq] = at
  nodes.push(node)
  columns.messages.push(message)
}
