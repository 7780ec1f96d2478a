import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { mutations } from "../../bench/mutations/mutate.ts"
import * as Original from "../../bench/mutations/original.ts"
import { run } from "../../bench/mutations/run.ts"

/** `npm run mutations` plays ten thousand. */
const logs = 25 * Object.keys(mutations).length

describe("a damaged log", () => {
  it.live(
    "opens as it was, as its first batches, or not at all, and is told apart by the doctor, its repair and a copy",
    () =>
      Effect.gen(function* () {
        const originals = [Original.golden(join(import.meta.dirname, "../..")), yield* Original.session()]
        const tallies = yield* run(originals, logs, 20261201)
        assert.deepStrictEqual(
          tallies.flatMap(({ wrong }) => wrong),
          []
        )
        const sum = (of: "logs" | "original" | "prefix" | "cut" | "refused" | "repaired") =>
          tallies.reduce((total, tally) => total + tally[of], 0)
        assert.strictEqual(sum("original") + sum("prefix") + sum("cut") + sum("refused"), logs)
        for (const outcome of ["prefix", "cut", "refused", "repaired"] as const)
          assert.isAbove(sum(outcome), 0, outcome)
      }),
    120_000
  )

  it.effect("is the log as it was, where nothing was damaged", () =>
    Effect.gen(function* () {
      const original = yield* Original.session(4)
      assert.isAbove(original.batches.length, 20)
      assert.include(original.batches.join(""), "compaction/summary")
      assert.include(original.batches.join(""), "rescue/end")
    })
  )
})
