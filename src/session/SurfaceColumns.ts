/**
 * What the states of a surface are made of: columns that grow together, one entry a node.
 *
 * @since 0.1.0
 */
import type { Seq } from "./Ids.ts"
import type * as Message from "./Message.ts"
import * as HeldMessage from "./HeldMessage.ts"
import type { RunningWeights } from "./RunningWeights.ts"

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

/** A node whose message nobody has asked for yet. */
export interface HeldNode extends Omit<Node, "message"> {
  readonly message: HeldMessage.HeldMessage
}

/**
 * A node as far as its price goes.
 *
 * @since 0.1.0
 * @category models
 */
export type Counted = Pick<Node, "seq" | "counts" | "source">

const sources = ["prompt", "context", "checkpoint", "assistant", "tool"] as const satisfies ReadonlyArray<
  Node["source"]
>

/** The place in `sources`. Each append asks, and a search of the list would cost it more than a column. */
const sourceCode = (source: Node["source"]): number =>
  source === "tool" ? 4 : source === "assistant" ? 3 : source === "prompt" ? 0 : source === "context" ? 1 : 2

/** Set where a node leaves no call unanswered. */
const closes = 8

/**
 * The growing part that the states of one generation share; only the first `length` entries belong to a state.
 *
 * A node is made from its columns when it is asked for: memory that is written for the first time is most of what an
 * append costs, and an object a node, or running sums at every node, would be most of that memory.
 */
export interface Columns {
  /** how many numbers a count has */
  readonly dimensions: number
  /** how many nodes are written; all columns have room for more */
  length: number
  /** those at places before `read` are whole */
  readonly messages: Array<HeldMessage.HeldMessage>
  readonly counts: Array<ReadonlyArray<number>>
  read: number
  /** the messages of the state that was last asked for them */
  request: ReadonlyArray<Message.Message> | undefined
  seqs: Int32Array
  /** places in `sources`, and `closes`; one column for both, since an append to a session that rested has to reach each */
  kinds: Uint8Array
  /** what the nodes weigh for the tokenizers that were asked about, the latest first */
  readonly running: Array<RunningWeights>
  /** the sums of the counts of so many nodes */
  readonly total: { length: number; readonly sums: Float64Array }
  /** the seq that `places` begins with: what was shadowed long ago takes no room in a copy */
  readonly first: Seq
  /** by seq, one more than the node's place: 0 where the seq is not on the surface */
  places: Int32Array
}

/** Made as long as it may become: an engine gives up its fast code for a write that has to grow a long array. */
const roomFor = <A>(capacity: number): Array<A> => {
  const array: Array<A> = []
  array.length = capacity
  return array
}

/** Columns for so many nodes and seqs; they grow beyond that. No seq is below `first`. */
export const make = (dimensions: number, capacity: number, seqs: number, first: Seq = 0): Columns => ({
  dimensions,
  length: 0,
  messages: roomFor(capacity),
  read: 0,
  counts: roomFor(capacity),
  request: undefined,
  seqs: new Int32Array(capacity),
  kinds: new Uint8Array(capacity),
  running: [],
  total: { length: 0, sums: new Float64Array(dimensions) },
  first,
  places: new Int32Array(seqs)
})

/** Columns for a copy of the first `length` nodes of others, with room to go on: the first messages behind it do not copy again. */
export const emptyFor = ({ dimensions, first, places, seqs }: Columns, length: number): Columns => {
  let lowest = first + places.length
  for (let i = 0; i < length; i++) lowest = Math.min(lowest, seqs[i]!)
  return make(dimensions, length + Math.max(16, length >> 2), first + places.length - lowest, lowest)
}

const larger = <A extends Int32Array | Uint8Array>(array: A, copy: A): A => {
  copy.set(array)
  return copy
}

/** Makes room for one more node. */
const grow = (columns: Columns): void => {
  const room = columns.seqs.length
  const capacity = room + Math.max(16, room >> 1)
  // here and never by writing, as in `roomFor`
  columns.messages.length = capacity
  columns.counts.length = capacity
  columns.seqs = larger(columns.seqs, new Int32Array(capacity))
  columns.kinds = larger(columns.kinds, new Uint8Array(capacity))
}

const growPlaces = (columns: Columns, seq: Seq): void => {
  const { first, places } = columns
  columns.places = larger(
    places,
    new Int32Array(Math.max(seq - first + 1, places.length + Math.max(64, places.length >> 2)))
  )
}

/**
 * Writes one node behind the last one. Only the newest state of its columns may do so. Its parts come one by one: an
 * object for them would be made for nothing.
 */
export const push = (
  columns: Columns,
  seq: Seq,
  message: HeldMessage.HeldMessage,
  counts: ReadonlyArray<number>,
  source: Node["source"],
  closed: boolean
): void => {
  const at = columns.length
  columns.length = at + 1
  if (at >= columns.seqs.length) grow(columns)
  if (seq - columns.first >= columns.places.length) growPlaces(columns, seq)
  columns.messages[at] = message
  columns.counts[at] = counts
  columns.seqs[at] = seq
  columns.kinds[at] = closed ? sourceCode(source) | closes : sourceCode(source)
  columns.places[seq - columns.first] = at + 1
}

/** Whether a node leaves no call unanswered, so that the surface may be cut behind it. */
export const isClosedAt = ({ kinds }: Columns, position: number): boolean => (kinds[position]! & closes) !== 0

const sourceAt = ({ kinds }: Columns, position: number): Node["source"] => sources[kinds[position]! & ~closes]!

/** The place of a node among the first `length`, undefined where the seq is not one of theirs. */
export const placeOf = ({ first, places }: Columns, length: number, seq: Seq): number | undefined => {
  if (seq < first) return undefined
  const place = (places[seq - first] ?? 0) - 1
  return place < 0 || place >= length ? undefined : place
}

/** The message of a node, whole from now on. */
export const messageAt = ({ messages }: Columns, position: number): Message.Message => {
  const message = messages[position]!
  const whole = HeldMessage.read(message)
  if (whole !== message) messages[position] = whole
  return whole
}

/** The first `length` messages, whole, as an array of their own. */
export const messagesOf = (columns: Columns, length: number): ReadonlyArray<Message.Message> => {
  for (; columns.read < length; columns.read++) messageAt(columns, columns.read)
  return columns.messages.slice(0, length) as ReadonlyArray<Message.Message>
}

/** For who does not look at the texts of a message. */
export const nodeAt = (columns: Columns, position: number): HeldNode => ({
  seq: columns.seqs[position]!,
  message: columns.messages[position]!,
  counts: columns.counts[position]!,
  source: sourceAt(columns, position)
})

/** Writes what stands at a place of other columns behind the last node. */
export const pushFrom = (columns: Columns, other: Columns, position: number, closed: boolean): void =>
  push(
    columns,
    other.seqs[position]!,
    other.messages[position]!,
    other.counts[position]!,
    sourceAt(other, position),
    closed
  )
