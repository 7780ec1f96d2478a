import { assert, describe, it } from "@effect/vitest"
import * as JsonBytes from "../../src/session/JsonBytes.ts"

const json = (text: string) => JsonBytes.make(new TextEncoder().encode(text))

describe("JSON as bytes", () => {
  it("finds a text where it stands whole, of any length, and nowhere else", () => {
    for (const of of ["a", "ab", "abc", "abcd", "abcde", '"seq":', "abcdefgh", "abcdefghijk", '"é😀":']) {
      const wanted = JsonBytes.text(of)
      const { bytes } = json(`xx${of}yy`)
      for (let at = 0; at < bytes.length + 4; at++) {
        assert.strictEqual(JsonBytes.isAt(JsonBytes.make(bytes), at, wanted), at === 2, `${of} at ${at}`)
      }
      for (let at = 2; at < 2 + wanted.length; at++) {
        const changed = bytes.slice()
        changed[at]! ^= 1
        assert.isFalse(JsonBytes.isAt(JsonBytes.make(changed), 2, wanted), `${of} changed at ${at}`)
      }
      const cut = JsonBytes.make(bytes.subarray(0, 1 + wanted.length))
      assert.isFalse(JsonBytes.isAt(cut, 2, wanted), `${of} cut`)
    }
  })

  it("takes a whole number that is nothing else", () => {
    for (const of of ["0", "7", "10", "1700000000000", "999999999999999"]) {
      assert.strictEqual(JsonBytes.naturalEnd(json(`${of},`), 0), of.length, of)
      assert.strictEqual(JsonBytes.naturalNumber, Number(of))
    }
    for (const of of ["", "-1", "01", "1.5", "1e3", "1E3", "1000000000000000", "x", '"1"', "null"]) {
      assert.strictEqual(JsonBytes.naturalEnd(json(`${of},`), 0), -1, of)
    }
  })
})
