// Damages logs and judges what becomes of them, by kind of damage.
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Random from "../random.ts"
import { judge, type Verdict } from "./judge.ts"
import { mutations } from "./mutate.ts"
import type { Original } from "./original.ts"

/** How many logs of a kind came to what; `wrong` has those that must not be, with what plays them again. */
export interface Tally {
  readonly kind: string
  logs: number
  original: number
  prefix: number
  cut: number
  refused: number
  repaired: number
  readonly wrong: Array<string>
}

const chunks = [5, 113, 4096, 65_536]

/** The log that this seed makes, and what becomes of it. */
export const play = (
  originals: ReadonlyArray<Original>,
  kind: string,
  seed: number
): Effect.Effect<{ readonly name: string; readonly verdict: Verdict }> => {
  const random = Random.make(seed)
  const place = random.integer(originals.length)
  const original = originals[place]!
  const other = originals[(place + 1) % originals.length]!
  const bytes = mutations[kind]!(random, original.bytes, other.bytes)
  return Effect.map(judge(original, bytes, chunks[random.integer(chunks.length)]!), (verdict) => ({
    name: original.name,
    verdict
  }))
}

/** So many logs, of all kinds in turn, from this seed on. */
export const run = Effect.fnUntraced(function* (
  originals: ReadonlyArray<Original>,
  logs: number,
  seed: number,
  told: (done: number) => void = () => {}
) {
  const kinds = Object.keys(mutations)
  const tallies = kinds.map((kind): Tally => ({
    kind,
    logs: 0,
    original: 0,
    prefix: 0,
    cut: 0,
    refused: 0,
    repaired: 0,
    wrong: []
  }))
  let done = 0
  const one = Effect.fnUntraced(function* (i: number) {
    const tally = tallies[i % kinds.length]!
    const { name, verdict } = yield* play(originals, tally.kind, seed + i)
    tally.logs++
    if (verdict.opened !== "wrong") tally[verdict.opened]++
    if (verdict.repaired) tally.repaired++
    for (const what of verdict.wrong) tally.wrong.push(`${tally.kind} of ${name}, seed ${seed + i}: ${what}`)
    told(++done)
  })
  // most of the time is the file system's
  yield* Effect.forEach(
    Array.makeBy(logs, (i) => i),
    one,
    { concurrency: 8, discard: true }
  )
  return tallies
})
