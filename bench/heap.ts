// Memory that a session's state holds for each event, beside the records themselves.
import type { SessionState } from "../src/compaction/SessionState.ts"
import { counting, eventOf, short, stepped, wholeUnits } from "./states.ts"
import type { Figure } from "./budgets.ts"
import { collect } from "./timing.ts"

const sizes = [10_000, 100_000, 1_000_000] as const

const inUse = (): number => {
  // what one collection frees, memory outside of the heap above all, is gone after the next
  for (let i = 0; i < 3; i++) collect({ type: "major" })
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const bytesAnEvent = (size: number): number => {
  const begun = counting()
  const events = short(wholeUnits(size)).map((message, i) => eventOf(message, begun.revision + i))
  const before = inUse()
  const state: SessionState = events.reduce(stepped, begun)
  const bytes = inUse() - before
  if (state.surface.length < events.length) throw new Error("the session is shorter than its events")
  return bytes / events.length
}

export const heap = (): ReadonlyArray<Figure> =>
  sizes.map((size) => ({ name: `heap beside the records/${size}`, value: bytesAnEvent(size), unit: "bytes an event" }))
