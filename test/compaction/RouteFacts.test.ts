import { assert, describe, it } from "@effect/vitest"
import * as RouteFacts from "../../src/compaction/RouteFacts.ts"

describe("what a route showed of its window", () => {
  it("is as much as the largest input that was answered, whatever was told [WINDOW-2]", () => {
    const answered = RouteFacts.accepted({}, 40_000)
    assert.strictEqual(RouteFacts.windowOf(answered, 32_000), 40_000)
    assert.strictEqual(RouteFacts.windowOf(answered, 1_000_000), 1_000_000)
    assert.isUndefined(RouteFacts.windowOf(answered, undefined))
    assert.strictEqual(RouteFacts.windowOf(RouteFacts.accepted(answered, 900), 32_000), 40_000)
  })

  it("is the limit that a refusal stated, if nothing larger was answered, then or later [WINDOW-1 WINDOW-2]", () => {
    const refused = RouteFacts.refused({}, { limit: 16_000, limitCounts: "input" })
    assert.strictEqual(RouteFacts.windowOf(refused, 200_000), 16_000)
    assert.strictEqual(RouteFacts.windowOf(refused, undefined), 16_000)
    assert.strictEqual(RouteFacts.windowOf(RouteFacts.accepted(refused, 20_000), undefined), undefined)
    const answered = RouteFacts.accepted({}, 20_000)
    assert.deepStrictEqual(RouteFacts.stated(answered, { limit: 16_000 }), answered)
  })

  it("counts what is refused in a row, until something is answered", () => {
    const twice = RouteFacts.refused(RouteFacts.refused({}, {}), { limit: 16_000 })
    assert.deepStrictEqual(twice, { limit: 16_000, refusals: 2 })
    assert.deepStrictEqual(RouteFacts.answered(twice), { limit: 16_000 })
  })
})
