// Memory that a session's state holds for each event, beside the records themselves.
import { measure } from "../src/compaction/measure.ts"
import { counting, estimator, eventOf, short, stepped, wholeUnits } from "./states.ts"
import type { Figure } from "./budgets.ts"
import { collect } from "./timing.ts"

const sizes = [10_000, 100_000, 1_000_000] as const

/** What a collection frees is swept on other threads, and counts until then: so collect until it becomes no less. */
const inUse = async (): Promise<number> => {
  let least = Infinity
  for (let unchanged = 0; unchanged < 5; unchanged++) {
    // from the event loop, where no frame keeps what it once had in hand
    await collect({ type: "major", execution: "async" })
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    if (heapUsed + arrayBuffers < least * 0.999) unchanged = 0
    least = Math.min(least, heapUsed + arrayBuffers)
  }
  return least
}

const bytesAnEvent = async (size: number): Promise<number> => {
  const begun = counting()
  const events = short(wholeUnits(size)).map((message, i) => eventOf(message, begun.revision + i))
  const before = await inUse()
  const state = events.reduce(stepped, begun)
  // what the meter and the cut hold of it as well
  measure(state, estimator)
  const bytes = (await inUse()) - before
  if (state.surface.length < events.length) throw new Error("the session is shorter than its events")
  return bytes / events.length
}

export const heap = async (): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = []
  for (const size of sizes) {
    figures.push({ name: `heap beside the records/${size}`, value: await bytesAnEvent(size), unit: "bytes an event" })
  }
  return figures
}
