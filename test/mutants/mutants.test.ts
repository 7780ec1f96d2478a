import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { mutants } from "./mutants.ts"

describe("mutants", () => {
  it("there are enough of them, each with a name of its own and tests that exist, and every promise has one", () => {
    assert.isAtLeast(mutants.length, 14)
    assert.strictEqual(new Set(mutants.map(({ id }) => id)).size, mutants.length)
    for (const test of mutants.flatMap(({ tests }) => tests)) assert.isTrue(existsSync(test), test)
    const promises = new Set(mutants.flatMap(({ promises }) => promises))
    for (let n = 1; n <= 12; n++) assert.isTrue(promises.has(`I${String(n).padStart(2, "0")}`), `I${n}`)
  })

  it.each(mutants.flatMap(({ edits, id }) => edits.map((edit) => ({ id, ...edit }))))(
    "$id: its text still stands once in $file",
    ({ file, replace, search }) => {
      assert.strictEqual(readFileSync(file, "utf8").split(search).length - 1, 1)
      assert.notStrictEqual(search, replace)
    }
  )
})
