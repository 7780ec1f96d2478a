import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as CodePoints from "../../src/compaction/CodePoints.ts"

/** Halves of pairs, whole pairs and other units, in any order. */
const anyUnits = FastCheck.array(FastCheck.constantFrom("a", "é", "中", "😀", "\ud83d", "\ude00"), {
  maxLength: 40
}).map((parts) => parts.join(""))

describe("exceeds", () => {
  it.prop(
    "says what counting all of the text would say",
    [anyUnits, FastCheck.integer({ min: 0, max: 40 })],
    ([text, limit]) => assert.strictEqual(CodePoints.exceeds(text, limit), Array.from(text).length > limit)
  )
})
