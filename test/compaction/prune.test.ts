import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CodePoints from "../../src/compaction/CodePoints.ts"
import { markerLength, pruneResult, pruneText } from "../../src/compaction/prune.ts"
import type { ResultBlock } from "../../src/session/Message.ts"
import { textBlock } from "../../src/session/Message.ts"

const image: ResultBlock = { type: "image", source: { type: "base64", base64: "A".repeat(50_000) } }
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)
const points = (text: string): Array<string> => [...text]

/** Text in which every other character is likely to be a surrogate pair. */
const mixed = FastCheck.array(FastCheck.constantFrom("a", "é", "漢", "😀", "🧑‍💻", "\n", " ", "word "), {
  maxLength: 400,
  size: "max"
}).map((parts) => parts.join(""))

/** Budgets that a policy would accept. */
const budgets = FastCheck.record({
  head: FastCheck.nat(60),
  tail: FastCheck.nat(60),
  room: FastCheck.nat(40)
}).map(({ head, room, tail }) => ({ over: head + markerLength + tail + room, head, tail }))

describe("CodePoints", () => {
  it.prop(
    "count, clip and indices agree with the text spread out",
    [FastCheck.string({ unit: "binary" }), FastCheck.nat(40)],
    ([text, n]) => {
      const all = points(text)
      assert.strictEqual(CodePoints.count(text), all.length)
      assert.strictEqual(CodePoints.exceeds(text, n), all.length > n)
      assert.strictEqual(CodePoints.clip(text, n), all.slice(0, n).join(""))
      assert.strictEqual(text.slice(CodePoints.indexBefore(text, n)), n === 0 ? "" : all.slice(-n).join(""))
    }
  )

  it("steps back from an emoji on the limit [UNICODE-1]", () => {
    const text = "a".repeat(1999) + "😀 and more"
    assert.strictEqual(CodePoints.clip(text, 1999), "a".repeat(1999))
    assert.strictEqual(CodePoints.clip(text, 2000), "a".repeat(1999) + "😀")
    assert.strictEqual(
      CodePoints.clipToTokens(text, 2000, (part) => part.length),
      "a".repeat(1999)
    )
  })

  it.prop(
    "clipToTokens gives the longest start that fits [UNICODE-2]",
    [mixed, FastCheck.nat(120)],
    ([text, tokens]) => {
      const countText = (part: string) => Math.ceil(points(part).length / 3)
      const clipped = CodePoints.clipToTokens(text, tokens, countText)
      assert.isTrue(text.startsWith(clipped))
      assert.isTrue(isWellFormed(clipped))
      assert.isAtMost(countText(clipped), tokens)
      const next = points(text.slice(clipped.length))[0]
      if (next !== undefined && tokens > 0) assert.isAbove(countText(clipped + next), tokens)
    }
  )
})

describe("pruneText", () => {
  it("leaves text within the budget alone, to the last code point [A56]", () => {
    const text = "😀".repeat(200)
    assert.strictEqual(pruneText(text, { over: 200, head: 10, tail: 10 }), undefined)
    assert.isDefined(pruneText(text + "a", { over: 200, head: 10, tail: 10 }))
  })

  it("keeps head and tail and says how much is gone between them", () => {
    const text = "H".repeat(100) + "m".repeat(12_345) + "T".repeat(50)
    assert.strictEqual(
      pruneText(text, { over: 1000, head: 100, tail: 50 }),
      `${"H".repeat(100)}\n[… 12345 characters were removed here to save room …]\n${"T".repeat(50)}`
    )
  })

  it("keeps nothing but the marker where head and tail are 0 [A57]", () => {
    assert.strictEqual(
      pruneText("x".repeat(500), { over: 100, head: 0, tail: 0 }),
      "\n[… 500 characters were removed here to save room …]\n"
    )
  })

  it("adds up what two passes removed, and nests no marker [OPPOSITES-11b]", () => {
    const once = pruneText("x".repeat(100_000), { over: 1000, head: 500, tail: 300 }) ?? ""
    const twice = pruneText(once, { over: 300, head: 100, tail: 50 }) ?? ""
    assert.strictEqual(twice.split("removed here to save room").length, 2)
    assert.include(twice, "[… 99850 characters")
  })

  it("does nothing that would not make the text shorter", () => {
    assert.strictEqual(pruneText("x".repeat(120), { over: 100, head: 60, tail: 40 }), undefined)
  })

  it.prop(
    "is done after one pass, even with a budget that head, marker and tail exceed [P27]",
    [mixed.map((text) => text.repeat(4)), FastCheck.nat(60), FastCheck.nat(60), FastCheck.integer({ min: 1, max: 60 })],
    ([text, head, tail, over]) => {
      const once = pruneText(text, { over, head, tail })
      if (once !== undefined) assert.strictEqual(pruneText(once, { over, head, tail }), undefined)
    }
  )

  it.prop(
    "keeps the ends, well formed, shorter, within the budget, once [A57 P27 UNICODE-3]",
    [mixed, budgets],
    ([text, budget]) => {
      const all = points(text)
      const pruned = pruneText(text, budget)
      if (all.length <= budget.over) return assert.strictEqual(pruned, undefined)
      if (pruned === undefined) return assert.fail("was not cut")
      assert.isTrue(isWellFormed(pruned))
      assert.isTrue(pruned.startsWith(all.slice(0, budget.head).join("")))
      assert.isTrue(pruned.endsWith(all.slice(all.length - budget.tail).join("")))
      assert.include(pruned, `${all.length - budget.head - budget.tail} characters`)
      assert.isAtMost(points(pruned).length, budget.over)
      assert.isBelow(points(pruned).length, all.length)
      assert.strictEqual(pruneText(pruned, budget), undefined)
    }
  )

  it("cuts a long text without a list of them [GIANT-3]", () => {
    const text = "log line 😀\n".repeat(1_000_000)
    const before = process.memoryUsage().heapUsed
    const pruned = pruneText(text, { over: 8192, head: 4096, tail: 1024 }) ?? ""
    assert.isBelow(pruned.length, 8192)
    // the flattened text itself may be counted (two bytes a unit); a list of characters would be eight bytes each on top
    assert.isBelow(process.memoryUsage().heapUsed - before, text.length * 3)
  })
})

describe("pruneResult", () => {
  it("counts the text of all blocks together and leaves the others in their places [A58]", () => {
    const content = [textBlock("A".repeat(300)), image, textBlock("B".repeat(300)), image, textBlock("C".repeat(300))]
    const pruned = pruneResult(content, { over: 400, head: 100, tail: 50 }) ?? []
    assert.deepStrictEqual(
      pruned.map((block) => block.type),
      ["text", "image", "image", "text"]
    )
    assert.strictEqual(pruned[1], image)
    assert.deepStrictEqual(
      pruned[0],
      textBlock(`${"A".repeat(100)}\n[… 750 characters were removed here to save room …]\n`)
    )
    assert.deepStrictEqual(pruned[3], textBlock("C".repeat(50)))
  })

  it("counts nothing but text [A56]", () => {
    const unknown: ResultBlock = { type: "unknown", value: "u".repeat(9000) }
    assert.strictEqual(pruneResult([image, unknown, textBlock("short")], { over: 400, head: 100, tail: 50 }), undefined)
    assert.strictEqual(pruneResult([], { over: 400, head: 100, tail: 50 }), undefined)
  })

  it.prop(
    "gives the same text as the blocks in one, keeps the other blocks, and is done after one pass",
    [
      FastCheck.array(
        FastCheck.oneof(
          { weight: 3, arbitrary: mixed.map((text) => textBlock(CodePoints.clip(text, 90))) },
          { weight: 1, arbitrary: FastCheck.constant(image) }
        ),
        { maxLength: 12, size: "max" }
      ),
      budgets
    ],
    ([content, budget]) => {
      const joined = (blocks: ReadonlyArray<ResultBlock>) =>
        blocks.map((block) => (block.type === "text" ? block.text : "")).join("")
      const before = JSON.stringify(content)
      const pruned = pruneResult(content, budget)
      assert.strictEqual(JSON.stringify(content), before)
      assert.strictEqual(pruned === undefined ? undefined : joined(pruned), pruneText(joined(content), budget))
      if (pruned === undefined) return
      assert.strictEqual(
        pruned.filter((block) => block === image).length,
        content.filter((block) => block === image).length
      )
      assert.strictEqual(pruneResult(pruned, budget), undefined)
    }
  )
})
