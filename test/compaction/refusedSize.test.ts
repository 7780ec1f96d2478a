import { assert, describe, it } from "@effect/vitest"
import { readableAfterRefusal, shownByRefusal, targetAfterRefusal } from "../../src/compaction/refusedSize.ts"

const refusal = (fields: { readonly measured: number; readonly limit?: number; readonly requested?: number }) => ({
  turn: 0,
  step: 0,
  generation: 0,
  seq: 0,
  ...fields
})

describe("how much smaller a refused request has to get", () => {
  it("by the provider's own count where it said one", () => {
    const state = { refusal: refusal({ measured: 3_000, limit: 4_000, requested: 6_000 }), refusals: 1 }
    assert.strictEqual(targetAfterRefusal(state, 4_000), 2_000)
    assert.strictEqual(readableAfterRefusal(state), 2_000)
  })

  it("below what was refused where only the limit is known", () => {
    const state = { refusal: refusal({ measured: 3_000, limit: 4_000 }), refusals: 1 }
    assert.strictEqual(targetAfterRefusal(state, 4_000), 3_000)
    assert.strictEqual(readableAfterRefusal(state), 2_250)
  })

  it("further with each refusal in a row: the same target is not tried twice", () => {
    for (const fields of [{ limit: 4_000 }, { limit: 4_000, requested: 4_100 }]) {
      const targets = [1, 2, 3, 4].map((refusals) =>
        targetAfterRefusal({ refusal: refusal({ measured: 3_900, ...fields }), refusals }, 4_000)
      )
      for (let i = 1; i < targets.length; i++) assert.isBelow(targets[i] ?? 0, targets[i - 1] ?? 0)
    }
  })

  it("is unknown where the limit is nobody's, or far above what was refused and not the provider's own", () => {
    const state = { refusal: refusal({ measured: 3_000 }), refusals: 1 }
    assert.isUndefined(targetAfterRefusal(state, undefined))
    assert.isUndefined(targetAfterRefusal(state, 1_000_000))
    assert.closeTo(targetAfterRefusal(state, 3_300) ?? 0, 3_000, 0.001)
    assert.strictEqual(targetAfterRefusal(state, 2_800), 2_800)
  })

  it("shows a window by itself where no limit is stated, or none that can be trusted", () => {
    assert.strictEqual(shownByRefusal({ refusal: refusal({ measured: 3_000 }) }), 3_000)
    assert.strictEqual(shownByRefusal({ refusal: refusal({ measured: 3_000, limit: 16_000 }) }), 3_000)
    assert.strictEqual(shownByRefusal({ refusal: refusal({ measured: 3_000, limit: 2_900 }) }), Infinity)
    assert.strictEqual(shownByRefusal({ refusal: undefined }), Infinity)
    // too many bytes say nothing of tokens
    assert.strictEqual(shownByRefusal({ refusal: { ...refusal({ measured: 3_000 }), unit: "bytes" } }), Infinity)
  })

  it("without a refusal is the limit itself", () => {
    assert.strictEqual(targetAfterRefusal({ refusal: undefined, refusals: 0 }, 4_000), 4_000)
    assert.strictEqual(readableAfterRefusal({ refusal: undefined, refusals: 0 }), Infinity)
  })
})
