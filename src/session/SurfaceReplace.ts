/**
 * Replacements on a surface: other messages in place of spans of it.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Seq } from "./Ids.ts"
import * as Message from "./Message.ts"
import * as HeldMessage from "./HeldMessage.ts"
import * as Columns from "./SurfaceColumns.ts"
import type { SurfaceState } from "./SurfaceState.ts"
import { isBetweenUnits, unansweredAfter } from "./SurfaceUnits.ts"
import { Violation } from "./Violation.ts"

/**
 * One replacement: `node` takes the place of the nodes from `first` to `last`, in surface order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replacement {
  readonly first: Seq
  readonly last: Seq
  readonly node: Columns.HeldNode
}

const sameCalls = (a: Message.Message, b: Message.Message): boolean => {
  const left = Message.toolCalls(a)
  const right = Message.toolCalls(b)
  return (
    left.length === right.length && left.every((call, i) => call.id === right[i]?.id && call.name === right[i]?.name)
  )
}

/** Whether one message may stand in place of one other, without regard to what is around. */
const mayStandFor = (node: Columns.HeldNode, old: Columns.HeldNode): boolean => {
  const before = HeldMessage.outline(old.message)
  const after = HeldMessage.outline(node.message)
  if (after.role !== before.role) return false
  if (before.role !== "tool") return sameCalls(after, before)
  const [was] = Message.toolResults(before)
  const [is] = Message.toolResults(after)
  return (
    after.content.length === 1 &&
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
  readonly node: Columns.HeldNode
}

const placeOf = (state: SurfaceState, replacement: Replacement): Either.Either<Place, Violation> => {
  const { first, last, node } = replacement
  const from = Columns.placeOf(state.columns, state.length, first)
  const to = Columns.placeOf(state.columns, state.length, last)
  if (from === undefined || to === undefined) {
    return Either.left(new Violation("no-such-node", `seq ${from === undefined ? first : last} is not on the surface`))
  }
  if (from > to) {
    return Either.left(new Violation("reversed", `seq ${first} stands behind seq ${last} on the surface`))
  }
  if (from === to && mayStandFor(node, Columns.nodeAt(state.columns, from)))
    return Either.right({ first: from, last: to, node })
  if (HeldMessage.outline(node.message).role === "tool") {
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

  const columns = Columns.emptyFor(state.columns, state.length)
  let unanswered: SurfaceState["unanswered"] = []
  let next = 0
  for (let position = 0; position < state.length; position++) {
    const place = places[next]
    if (place !== undefined && place.first < position) {
      return Either.left(new Violation("overlapping", `seq ${place.node.seq} replaces what another one replaces`))
    }
    const replaces = place !== undefined && place.first === position
    const { message, seq } = replaces ? place.node : Columns.nodeAt(state.columns, position)
    const calls = unansweredAfter(unanswered, seq, message)
    if ("reason" in calls) return Either.left(calls)
    unanswered = calls
    if (replaces) {
      Columns.push(columns, seq, message, place.node.counts, place.node.source, calls.length === 0)
      position = place.last
      next++
    } else Columns.pushFrom(columns, state.columns, position, calls.length === 0)
  }
  if (next < places.length) {
    return Either.left(new Violation("overlapping", `seq ${places[next]!.node.seq} replaces what another one replaces`))
  }
  return Either.right({
    generation: state.generation + replacements.length,
    length: columns.length,
    unanswered,
    columns
  })
}
