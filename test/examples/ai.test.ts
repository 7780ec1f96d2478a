import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ai from "../../examples/ai.ts"
import { logged } from "./simulated.ts"

const numbers = (line = "") => (line.match(/\d+/g) ?? []).map(Number)

describe("ai.ts", () => {
  it.live(
    "the chat dies at its window, and lives with the other layer line, for no more summaries than it may cost",
    () =>
      Effect.gen(function* () {
        const [without, withIt, ...lines] = yield* logged(ai.main)
        assert.match(without ?? "", /^- /)
        assert.match(withIt ?? "", /^\+ .*Guarded\.layer/)
        for (const [about, plain, guarded, allowed] of [lines.slice(0, 4), lines.slice(4)]) {
          const [history = NaN, window = NaN] = numbers(about)
          const [answered = NaN, turns, , , , overflows] = numbers(plain)
          assert.strictEqual(turns, 60)
          assert.isBelow(answered, 60)
          assert.strictEqual(overflows, 1)
          assert.match(plain ?? "", new RegExp(`died at turn ${answered + 1}$`))
          const [lived, , , largest = NaN, summaries = NaN] = numbers(guarded)
          assert.strictEqual(lived, 60)
          assert.isAtMost(largest, window)
          assert.isAbove(summaries, 0)
          // written again, so that the example cannot go easy on itself
          const most = Math.ceil(1 + (history - 0.8 * window) / (0.5 * window))
          assert.deepStrictEqual(numbers(allowed), [most])
          assert.isAtMost(summaries, most)
        }
      }),
    240_000
  )
})
