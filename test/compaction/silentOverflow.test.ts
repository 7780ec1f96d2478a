import { assert, describe, it } from "@effect/vitest"
import { aboveStated, isFull, stoppedAtEdge } from "../../src/compaction/silentOverflow.ts"

const usage = (inputTokens: number, outputTokens = 0) => ({ inputTokens, outputTokens })

describe("a window is full", () => {
  it("a hundredth below its end, at least 16 tokens, and never where none is known", () => {
    assert.deepStrictEqual(
      [98_999, 99_000, 200_000].map((tokens) => isFull(tokens, 100_000)),
      [false, true, true]
    )
    assert.deepStrictEqual(
      [983, 984].map((tokens) => isFull(tokens, 1_000)),
      [false, true]
    )
    assert.isFalse(isFull(1e9, undefined))
  })
})

describe("a length stop at the window's edge", () => {
  const stopped = { finish: "length", isEmpty: true, usage: usage(995, 3) } as const
  it("is an overflow if nothing was said, and the request had not asked for so little [A122 P8]", () => {
    assert.deepStrictEqual(stoppedAtEdge(stopped, { window: 1_000 }), {
      limit: 1_000,
      limitCounts: "input-and-output",
      requested: 995
    })
    for (const [answered, known] of [
      [stopped, { window: undefined }],
      [stopped, { window: 2_000 }],
      [stopped, { window: 1_000, maxOutputTokens: 3 }],
      [{ ...stopped, isEmpty: false }, { window: 1_000 }],
      [{ ...stopped, finish: "stop" }, { window: 1_000 }],
      [{ ...stopped, usage: undefined }, { window: 1_000 }]
    ] as const) {
      assert.isUndefined(stoppedAtEdge(answered, known))
    }
  })
})

describe("usage above a window that the provider stated", () => {
  it("is an overflow after a normal stop, and where nobody says how it ended [A121 P8]", () => {
    const sign = { limit: 1_000, requested: 1_001 }
    assert.deepStrictEqual(aboveStated({ finish: "stop", usage: usage(1_001) }, 1_000), sign)
    assert.deepStrictEqual(aboveStated({ usage: usage(1_001) }, 1_000), sign)
    assert.isUndefined(aboveStated({ finish: "stop", usage: usage(1_000, 400) }, 1_000))
    assert.isUndefined(aboveStated({ finish: "tool-calls", usage: usage(1_001) }, 1_000))
    assert.isUndefined(aboveStated({ finish: "stop", usage: usage(1_001) }, undefined))
    assert.isUndefined(aboveStated({ finish: "stop", usage: undefined }, 1_000))
  })
})
