// What must hold of any episode, judged from outside: by what the provider saw and what the log says.
import type { SessionEvent, SkippedEvent } from "../../src/session/SessionEvent.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import type { Plan } from "./plan.ts"
import { counted, type Seen } from "./provider.ts"

/** Requests in which a call has no result behind it, or a result no call before it. */
export const brokenPairs = (seen: ReadonlyArray<Seen>): number =>
  seen.filter(({ request }) => {
    let open = new Set<string>()
    for (const message of request.messages) {
      if (message.role === "tool") {
        for (const { id } of Message.toolResults(message)) if (!open.delete(id)) return true
        continue
      }
      if (open.size > 0) return true
      open = new Set(Message.toolCalls(message).map(({ id }) => id))
    }
    return open.size > 0
  }).length

/** Requests that were sent again after a refusal and were not smaller, by the provider's own count. */
export const notSmaller = (seen: ReadonlyArray<Seen>): number =>
  seen.filter((now, i) => {
    const before = seen[i - 1]
    return before !== undefined && before.refused && before.turn === now.turn && now.size >= before.size
  }).length

/** Surface events that are neither on the surface nor shadowed by exactly one replacement, or are both. */
export const lostOrDoubled = (
  events: ReadonlyArray<SessionEvent | SkippedEvent>,
  surface: SurfaceState.SurfaceState
): number => {
  const shadowed = new Map<number, number>()
  for (const event of events) {
    if (!event.type.startsWith("message/") || event.type === "message/queued" || event.type === "skipped") continue
    const { replaces } = event.data as { readonly replaces?: { readonly sources: ReadonlyArray<number> } }
    for (const seq of replaces?.sources ?? []) shadowed.set(seq, (shadowed.get(seq) ?? 0) + 1)
  }
  const standing = SurfaceState.nodes(surface).map((node) => node.seq)
  const on = new Set(standing)
  let wrong = standing.length - on.size
  for (const event of events) {
    if (!event.type.startsWith("message/") || event.type === "message/queued" || event.type === "skipped") continue
    if (event.type === "message/assistant" && Message.isEmpty(event.data.message)) continue
    const times = shadowed.get(event.seq) ?? 0
    if (times + (on.has(event.seq) ? 1 : 0) !== 1) wrong++
  }
  return wrong
}

/** A checkpoint of the smallest kind, in tokens of the vocabulary. */
const leastCheckpoint = 500

/** Whether some cut between units, with a checkpoint in place of the head, would fit the provider's window. */
export const hasReduction = (
  plan: Plan,
  envelope: { readonly system: string },
  surface: SurfaceState.SurfaceState
): boolean => {
  for (let cut = 0; cut < surface.length; cut++) {
    if (!SurfaceState.isBetweenUnits(surface, cut)) continue
    const tail = SurfaceState.nodes(surface, cut).map((node) => node.message)
    if (counted(plan.factor, envelope, tail) + (cut === 0 ? 0 : leastCheckpoint) <= plan.window) return true
  }
  return false
}
