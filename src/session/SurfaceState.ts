/**
 * The surface as a value: the ordered messages that the model will see next, folded from the log.
 *
 * Within one generation nodes are only appended, so states share their columns: taking a snapshot is keeping a
 * reference, and a later append does not disturb it. A pass of replacements copies once.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Seq } from "./Ids.ts"
import type * as Message from "./Message.ts"
import type { HeldMessage } from "./HeldMessage.ts"
import * as Columns from "./SurfaceColumns.ts"
import type { Counted, Node } from "./SurfaceColumns.ts"
import { unansweredAfter } from "./SurfaceUnits.ts"
import type { Violation } from "./Violation.ts"

export type { Counted, HeldNode, Node } from "./SurfaceColumns.ts"
export { type Replacement, replace } from "./SurfaceReplace.ts"
export { lastWithin, sumBefore, totalCounts } from "./SurfaceSums.ts"
export { isBetweenUnits, unitStart } from "./SurfaceUnits.ts"
export { Violation } from "./Violation.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface SurfaceState {
  /** How many replacements have landed. It only grows. */
  readonly generation: number
  /** How many nodes there are. */
  readonly length: number
  /** Calls without a result, in call order. All are of the newest message that made calls. */
  readonly unanswered: ReadonlyArray<Message.OpenCall>
  /** @internal */
  readonly columns: Columns.Columns
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty = (dimensions: number): SurfaceState => ({
  generation: 0,
  length: 0,
  unanswered: [],
  columns: Columns.make(dimensions, 16, 64)
})

/** Columns that end where this state ends, so that pushing to them disturbs nobody. */
const owned = (state: SurfaceState): Columns.Columns => {
  if (state.columns.length === state.length) return state.columns
  // another state of these columns went on from here: this one goes on with a copy of its own
  const copy = Columns.emptyFor(state.columns, state.length)
  for (let i = 0; i < state.length; i++) Columns.pushFrom(copy, state.columns, i, Columns.isClosedAt(state.columns, i))
  return copy
}

/**
 * `append`, unwrapped and without a node for its parts: a log's replay appends each of its messages.
 *
 * @since 0.1.0
 * @category combinators
 */
export const appendOrRefuse = (
  state: SurfaceState,
  seq: Seq,
  message: HeldMessage,
  counts: ReadonlyArray<number>,
  source: Node["source"]
): SurfaceState | Violation => {
  const unanswered = unansweredAfter(state.unanswered, seq, message)
  if ("reason" in unanswered) return unanswered
  const columns = owned(state)
  Columns.push(columns, seq, message, counts, source, unanswered.length === 0)
  return { generation: state.generation, length: state.length + 1, unanswered, columns }
}

/**
 * Appends one message. O(1), but for the first append after a branch from an older state, which copies.
 *
 * @since 0.1.0
 * @category combinators
 */
export const append = (
  state: SurfaceState,
  { counts, message, seq, source }: Node
): Either.Either<SurfaceState, Violation> => {
  const next = appendOrRefuse(state, seq, message, counts, source)
  return "reason" in next ? Either.left(next) : Either.right(next)
}

/**
 * The place of a node, undefined where it is not on the surface. O(1).
 *
 * @since 0.1.0
 * @category getters
 */
export const positionOf = (state: SurfaceState, seq: Seq): number | undefined =>
  Columns.placeOf(state.columns, state.length, seq)

const wholeNodeAt = (columns: Columns.Columns, position: number): Node => {
  const message = Columns.messageAt(columns, position)
  return { ...Columns.nodeAt(columns, position), message }
}

/**
 * The node at a place. O(1).
 *
 * @since 0.1.0
 * @category getters
 */
export const nodeAt = (state: SurfaceState, position: number): Node | undefined =>
  position >= 0 && position < state.length ? wholeNodeAt(state.columns, position) : undefined

/**
 * The nodes from place `from` up to, not including, place `to`. Copies.
 *
 * @since 0.1.0
 * @category getters
 */
export const nodes = (state: SurfaceState, from = 0, to = state.length): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  for (let at = from; at < to && at < state.length; at++) found.push(wholeNodeAt(state.columns, at))
  return found
}

/**
 * The same of nodes whose messages nobody looks at.
 *
 * @since 0.1.0
 * @category getters
 */
export const counted = (state: SurfaceState, from = 0, to = state.length): ReadonlyArray<Counted> => {
  const found: Array<Counted> = []
  for (let at = from; at < to && at < state.length; at++) found.push(Columns.nodeAt(state.columns, at))
  return found
}

/**
 * The messages of the next request. Built once a state, then shared until those of another state are asked for.
 *
 * @since 0.1.0
 * @category getters
 */
export const messages = (state: SurfaceState): ReadonlyArray<Message.Message> => {
  const { columns } = state
  // of one generation the length says which messages these are; only the newest request's are worth keeping
  if (columns.request?.length !== state.length) {
    columns.request = Columns.messagesOf(columns, state.length)
  }
  return columns.request
}
