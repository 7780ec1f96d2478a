import { assert, describe, it } from "@effect/vitest"
import * as JsonBody from "../../../src/layers/adapters/jsonBody.ts"

const read = (value: unknown) => (JSON.parse(JsonBody.encode({ value })) as { value: unknown }).value

describe("the JSON of a body", () => {
  it("holds no half of a character, however deep, and every whole one", () => {
    assert.deepStrictEqual(read([{ text: "cut \ud83d" }, "\ude00 off", "😀"]), [
      { text: "cut \ufffd" },
      "\ufffd off",
      "😀"
    ])
    assert.notMatch(JsonBody.encode({ value: "\ud83d" }), /ud83d/)
  })

  it("is that of the value otherwise, also of a text that speaks of such halves", () => {
    for (const value of ["\\ud83d", "a", 1, null, { a: ["é😀"] }]) {
      assert.strictEqual(JsonBody.encode({ value }), JSON.stringify({ value }))
    }
  })
})
