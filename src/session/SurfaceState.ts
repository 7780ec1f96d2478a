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
import * as Message from "./Message.ts"
import * as Columns from "./SurfaceColumns.ts"
import type { Counted, Node } from "./SurfaceColumns.ts"
import { Violation } from "./Violation.ts"

export type { Counted, Node } from "./SurfaceColumns.ts"
export { lastWithin, sumBefore, totalCounts } from "./SurfaceSums.ts"
export { Violation } from "./Violation.ts"

/**
 * One replacement: `node` takes the place of the nodes from `first` to `last`, in surface order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replacement {
  readonly first: Seq
  readonly last: Seq
  readonly node: Node
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SurfaceState {
  /** How many replacements have landed. It only grows. */
  readonly generation: number
  /** How many nodes there are. */
  readonly length: number
  /** How many numbers a count has. */
  readonly dimensions: number
  /** Calls without a result, in call order. All are of the newest message that made calls. */
  readonly unanswered: ReadonlyArray<Message.ToolCallBlock>
  /** @internal */
  readonly columns: Columns.Columns
}

const noCalls: ReadonlyArray<Message.ToolCallBlock> = []

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty = (dimensions: number): SurfaceState => ({
  generation: 0,
  length: 0,
  dimensions,
  unanswered: noCalls,
  columns: Columns.make(dimensions, 16, 64)
})

/** The calls that are unanswered after a message, or why it cannot stand here. */
const afterMessage = (
  unanswered: ReadonlyArray<Message.ToolCallBlock>,
  node: Node
): ReadonlyArray<Message.ToolCallBlock> | Violation => {
  if (node.message.role === "tool") {
    let left = unanswered
    for (const block of node.message.content) {
      if (block.type !== "tool-result") continue
      const answered = left.findIndex((call) => call.id === block.id)
      if (answered === -1) {
        return new Violation("no-such-call", `seq ${node.seq} answers the call "${block.id}", which is not open`)
      }
      left = left.length === 1 ? noCalls : left.filter((_, i) => i !== answered)
    }
    return left
  }
  if (unanswered.length > 0) {
    const waiting = unanswered.map((call) => `"${call.id}"`).join(", ")
    return new Violation("unanswered-calls", `seq ${node.seq} comes before the results of ${waiting}`)
  }
  const calls = Message.toolCalls(node.message)
  const twice = calls.find((call, i) => calls.findIndex(({ id }) => id === call.id) !== i)
  return twice === undefined
    ? calls
    : new Violation("duplicate-call", `seq ${node.seq} makes two calls with the id "${twice.id}"`)
}

/** A copy has room to go on, so that the first messages behind it do not copy again. */
const roomFor = (state: SurfaceState): number => state.length + Math.max(16, state.length >> 2)

/** Columns that end where this state ends, so that pushing to them disturbs nobody. */
const owned = (state: SurfaceState): Columns.Columns => {
  if (state.columns.counts.length === state.length) return state.columns
  // another state of these columns went on from here: this one goes on with a copy of its own
  const copy = Columns.make(state.dimensions, roomFor(state), state.columns.places.length)
  for (let i = 0; i < state.length; i++) {
    Columns.push(copy, state.dimensions, Columns.nodeAt(state.columns, i), state.columns.closed[i] === 1)
  }
  return copy
}

/** `append`, unwrapped: a log's replay appends each of its messages. */
export const appendOrRefuse = (state: SurfaceState, node: Node): SurfaceState | Violation => {
  const calls = afterMessage(state.unanswered, node)
  if (calls instanceof Violation) return calls
  const columns = owned(state)
  Columns.push(columns, state.dimensions, node, calls.length === 0)
  return {
    generation: state.generation,
    length: state.length + 1,
    dimensions: state.dimensions,
    unanswered: calls,
    columns
  }
}

/**
 * Appends one message. O(1), but for the first append after a branch from an older state, which copies.
 *
 * @since 0.1.0
 * @category combinators
 */
export const append = (state: SurfaceState, node: Node): Either.Either<SurfaceState, Violation> => {
  const next = appendOrRefuse(state, node)
  return next instanceof Violation ? Either.left(next) : Either.right(next)
}

/**
 * The place of a node, undefined where it is not on the surface. O(1).
 *
 * @since 0.1.0
 * @category getters
 */
export const positionOf = (state: SurfaceState, seq: Seq): number | undefined => {
  const place = Columns.placeOf(state.columns, seq)
  return place < 0 || place >= state.length ? undefined : place
}

const wholeNodeAt = (columns: Columns.Columns, position: number): Node => {
  Columns.messageAt(columns, position)
  return Columns.nodeAt(columns, position)
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
    Columns.readMessages(columns, state.length)
    columns.request = columns.messages.slice(0, state.length)
  }
  return columns.request
}

/**
 * Whether a cut before this place parts no call from its result. O(1).
 *
 * @since 0.1.0
 * @category predicates
 */
export const isBetweenUnits = (state: SurfaceState, position: number): boolean =>
  position <= 0 || (position <= state.length && state.columns.closed[position - 1] === 1)

/**
 * The first place of the unit that the node at `position` belongs to. One unit's walk.
 *
 * @since 0.1.0
 * @category getters
 */
export const unitStart = (state: SurfaceState, position: number): number => {
  let at = Math.min(position, state.length - 1)
  while (at > 0 && !isBetweenUnits(state, at)) at--
  return Math.max(at, 0)
}

const sameCalls = (a: Message.Message, b: Message.Message): boolean => {
  const left = Message.toolCalls(a)
  const right = Message.toolCalls(b)
  return (
    left.length === right.length && left.every((call, i) => call.id === right[i]?.id && call.name === right[i]?.name)
  )
}

/** Whether one message may stand in place of one other, without regard to what is around. */
const mayStandFor = (node: Node, old: Node): boolean => {
  if (node.message.role !== old.message.role) return false
  if (old.message.role !== "tool") return sameCalls(node.message, old.message)
  const [was] = Message.toolResults(old.message)
  const [is] = Message.toolResults(node.message)
  return (
    node.message.content.length === 1 &&
    was !== undefined &&
    is !== undefined &&
    was.id === is.id &&
    was.name === is.name &&
    was.isError === is.isError
  )
}

interface Place {
  readonly first: number
  readonly last: number
  readonly node: Node
}

const placeOf = (state: SurfaceState, replacement: Replacement): Either.Either<Place, Violation> => {
  const { first, last, node } = replacement
  const from = positionOf(state, first)
  const to = positionOf(state, last)
  if (from === undefined || to === undefined) {
    return Either.left(new Violation("no-such-node", `seq ${from === undefined ? first : last} is not on the surface`))
  }
  if (from > to) {
    return Either.left(new Violation("reversed", `seq ${first} stands behind seq ${last} on the surface`))
  }
  if (from === to && mayStandFor(node, Columns.nodeAt(state.columns, from)))
    return Either.right({ first: from, last: to, node })
  if (node.message.role === "tool") {
    return Either.left(
      new Violation(
        "changes-more-than-content",
        `a tool result replaces the content of that one result and nothing else (seq ${first} to ${last})`
      )
    )
  }
  if (!isBetweenUnits(state, from) || !isBetweenUnits(state, to + 1)) {
    return Either.left(
      new Violation("splits-a-pair", `the span from seq ${first} to seq ${last} parts a tool call from its result`)
    )
  }
  return Either.right({ first: from, last: to, node })
}

/**
 * Replaces one span, or many in one pass: one copy, and the generation moves by the number of replacements. This is the
 * only code that moves it (I1). Refused as a whole if one of them cannot stand; the state stays as it was.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replace = (
  state: SurfaceState,
  replacements: ReadonlyArray<Replacement>
): Either.Either<SurfaceState, Violation> => {
  if (replacements.length === 0) return Either.left(new Violation("empty", "no span was named"))
  const places: Array<Place> = []
  for (const replacement of replacements) {
    const place = placeOf(state, replacement)
    if (Either.isLeft(place)) return Either.left(place.left)
    places.push(place.right)
  }
  places.sort((a, b) => a.first - b.first)

  const columns = Columns.make(state.dimensions, roomFor(state), state.columns.places.length)
  let unanswered = noCalls
  let next = 0
  for (let position = 0; position < state.length; position++) {
    const place = places[next]
    if (place !== undefined && place.first < position) {
      return Either.left(new Violation("overlapping", `seq ${place.node.seq} replaces what another one replaces`))
    }
    const replaces = place !== undefined && place.first === position
    const node = replaces ? place.node : Columns.nodeAt(state.columns, position)
    if (replaces) {
      position = place.last
      next++
    }
    const calls = afterMessage(unanswered, node)
    if (calls instanceof Violation) return Either.left(calls)
    unanswered = calls
    Columns.push(columns, state.dimensions, node, unanswered.length === 0)
  }
  if (next < places.length) {
    return Either.left(new Violation("overlapping", `seq ${places[next]!.node.seq} replaces what another one replaces`))
  }
  return Either.right({
    generation: state.generation + replacements.length,
    length: columns.counts.length,
    dimensions: state.dimensions,
    unanswered,
    columns
  })
}
