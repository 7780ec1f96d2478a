// Memory that a session's state holds for each event, beside the records themselves.
import { setTimeout } from "node:timers/promises"
import { counting, eventOf, short, stepped, wholeUnits } from "./states.ts"
import type { Figure } from "./budgets.ts"
import { collect } from "./timing.ts"

const sizes = [10_000, 100_000, 1_000_000] as const

/** What a collection frees, memory outside of the heap above all, is swept on other threads, and gone a moment later. */
const inUse = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    collect({ type: "major" })
    await setTimeout(50)
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const bytesAnEvent = async (size: number): Promise<number> => {
  const begun = counting()
  const events = short(wholeUnits(size)).map((message, i) => eventOf(message, begun.revision + i))
  const before = await inUse()
  const state = events.reduce(stepped, begun)
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
