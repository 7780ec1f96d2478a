/**
 * What must stay together on a surface: a message, or an answer with the results of its calls.
 *
 * @since 0.1.0
 */
import * as HeldMessage from "./HeldMessage.ts"
import * as Message from "./Message.ts"
import { isClosedAt } from "./SurfaceColumns.ts"
import type { SurfaceState } from "./SurfaceState.ts"
import { Violation } from "./Violation.ts"

type Calls = ReadonlyArray<Message.OpenCall>

const noCalls: Calls = []

const placeOf = (calls: Calls, id: string): number => {
  for (let i = 0; i < calls.length; i++) if (calls[i]!.id === id) return i
  return -1
}

const without = (calls: Calls, seq: number, id: string): Calls | Violation => {
  const answered = placeOf(calls, id)
  if (answered === -1) return new Violation("no-such-call", `seq ${seq} answers the call "${id}", which is not open`)
  return calls.length === 1 ? noCalls : calls.filter((_, i) => i !== answered)
}

/** The calls that are unanswered after a message, or why it cannot stand here. Asked of every message: no closures. */
export const unansweredAfter = (unanswered: Calls, seq: number, held: HeldMessage.HeldMessage): Calls | Violation => {
  const answered = HeldMessage.answers(held)
  if (answered !== undefined) return without(unanswered, seq, answered)
  const message = HeldMessage.outline(held)
  if (message.role === "tool") {
    let left = unanswered
    for (const block of message.content) {
      if (block.type !== "tool-result") continue
      const fewer = without(left, seq, block.id)
      if ("reason" in fewer) return fewer
      left = fewer
    }
    return left
  }
  if (unanswered.length > 0) {
    const waiting = unanswered.map((call) => `"${call.id}"`).join(", ")
    return new Violation("unanswered-calls", `seq ${seq} comes before the results of ${waiting}`)
  }
  const calls = Message.toolCalls(message)
  for (let i = 1; i < calls.length; i++) {
    const { id } = calls[i]!
    if (placeOf(calls, id) < i) return new Violation("duplicate-call", `seq ${seq} makes two calls with the id "${id}"`)
  }
  return calls
}

/**
 * Whether a cut before this place parts no call from its result. O(1).
 *
 * @since 0.1.0
 * @category predicates
 */
export const isBetweenUnits = (state: SurfaceState, position: number): boolean =>
  position <= 0 || (position <= state.length && isClosedAt(state.columns, position - 1))

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
