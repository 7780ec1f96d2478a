import { assert, describe, it } from "@effect/vitest"
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { families } from "../../src/compaction/estimator/families.ts"
import { addText, countText, runEstimator } from "../../src/compaction/RunEstimator.ts"
import { anyText, runUnits, texts } from "./texts.ts"

const countsOf = (text: string): Array<number> => {
  const counts = families.map(() => 0)
  addText(text, counts)
  return counts
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

describe("countText", () => {
  it.prop("is whole, at most the bytes, and 0 for nothing alone, for every family", [anyText], ([text]) => {
    for (const tokens of countsOf(text)) {
      assert.isTrue(Number.isSafeInteger(tokens))
      assert.isAtMost(tokens, bytesOf(text))
      assert.strictEqual(tokens === 0, text === "")
    }
  })

  it.prop("never falls when text is appended, for any family [SCRIPT-1]", [anyText], ([text]) => {
    let before = families.map(() => 0)
    for (let end = 1; end <= text.length; end++) {
      const counts = countsOf(text.slice(0, end))
      counts.forEach((tokens, k) => assert.isAtLeast(tokens, before[k]!, JSON.stringify(text.slice(0, end))))
      before = counts
    }
  })

  it("is bounded by the bytes where the weights say more", () => {
    for (const text of ["\ue000", "\u1200\u13a0", "\ud800\udc00", "\udc00", "§", "ab"]) {
      for (const tokens of countsOf(text)) assert.isAtMost(tokens, bytesOf(text))
    }
  })

  it("adds to what is there, and prices by the generic weights where no family is named", () => {
    const counts = countsOf("some text")
    addText("some text", counts)
    assert.deepStrictEqual(
      counts,
      countsOf("some text").map((tokens) => 2 * tokens)
    )
    assert.strictEqual(countText("some text"), countsOf("some text")[families.indexOf("generic")])
  })

  for (const [kind, text] of Object.entries(texts)) {
    it(`is within 12 % of o200k and cl100k on ${kind} [P19 SCRIPT-1 SCRIPT-2 SCRIPT-3 OPPOSITES-4a OPPOSITES-4b]`, () => {
      assert.isAtMost(Math.abs(countText(text, "o200k") / o200k(text) - 1), 0.12)
      assert.isAtMost(Math.abs(countText(text, "cl100k") / cl100k(text) - 1), 0.12)
    })
  }

  it("is within a fifth on emoji and tool schemas [P19]", () => {
    const emoji = "Great 🎉 we shipped it 🚀 and the tests are green ✅ now, thanks 🙏 to all 😀 of you 👍\n".repeat(20)
    const schemas = Array.from({ length: 12 }, (_, i) =>
      JSON.stringify({
        type: "function",
        function: {
          name: `read_file_${i}`,
          description: "Reads a file of the project and returns its lines, numbered from 1.",
          parameters: {
            type: "object",
            properties: { path: { type: "string" }, from: { type: "integer", minimum: 1 }, lines: { type: "integer" } },
            required: ["path"],
            additionalProperties: false
          }
        }
      })
    ).join("")
    for (const text of [emoji, schemas]) {
      assert.isAtMost(Math.abs(countText(text, "o200k") / o200k(text) - 1), 0.2)
      assert.isAtMost(Math.abs(countText(text, "cl100k") / cl100k(text) - 1), 0.2)
    }
  })

  it("leans to the costly families where no family is known, and no more than a bound above the cheapest", () => {
    const generic = families.indexOf("generic")
    const costs = (text: string) => {
      const counts = countsOf(text)
      const sorted = counts.filter((_, k) => k !== generic).sort((a, b) => a - b)
      return { generic: counts[generic]!, least: sorted[0]!, middle: (sorted[3]! + sorted[4]!) / 2 }
    }
    const others = ["Αυτό το εργαλείο διαβάζει και γράφει τα αρχεία. ", "تقرأ هذه الأداة الملفات وتكتبها في المشروع. "]
    for (const text of others.map((sentence) => sentence.repeat(20))) {
      const { generic, least, middle } = costs(text)
      assert.isAbove(generic, 1.05 * middle, `${text.slice(0, 5)} ${generic} ${middle}`)
      assert.isAtMost(generic, 1.5 * least, `${text.slice(0, 5)} ${generic} ${least}`)
    }
    const { generic: code, least } = costs(texts["TypeScript"])
    assert.isAtMost(code, 1.12 * least, `${code} ${least}`)
  })

  for (const unit of runUnits) {
    it(`grows evenly on a run of ${JSON.stringify(unit)}`, () => {
      const [one, two, three] = [1000, 2000, 3000].map((count) => countText(unit.repeat(count)))
      assert.isAtMost(Math.abs(three! - two! - (two! - one!)), 1)
    })
  }
})

describe("runEstimator", () => {
  it("has one number a family", () => {
    const counts = runEstimator.message({ role: "user", content: [{ type: "text", text: "abcd" }] })
    assert.strictEqual(runEstimator.dimensions, families.length)
    assert.strictEqual(counts.length, families.length)
    assert.strictEqual(runEstimator.envelope({ route: { provider: "p", model: "m" } }).length, families.length)
  })

  it("makes the weights of a route once", () => {
    const route = { provider: "openai", model: "gpt-5" }
    assert.strictEqual(runEstimator.weights(route), runEstimator.weights(route))
    assert.deepStrictEqual(runEstimator.weights({ ...route }), runEstimator.weights(route))
  })
})
