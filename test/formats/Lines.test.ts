import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Lines } from "../../src/formats/index.ts"

const pieces = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  let start = 0
  for (const size of sizes) {
    found.push(bytes.subarray(start, start + size))
    start += size
  }
  return [...found, bytes.subarray(start)]
}

const split = (parts: ReadonlyArray<Uint8Array>) => {
  const lines = Lines.splitter()
  return { whole: parts.flatMap((part) => [...lines.push(part)]), rest: lines.end() }
}

const wild = FastCheck.array(FastCheck.constantFrom("a", "\n", "\r\n", "ü", "漢字", "🦊", "\ufeff", ""), {
  maxLength: 40
}).map((parts) => parts.join(""))

describe("Lines", () => {
  it("are the same however the bytes are cut", () => {
    FastCheck.assert(
      FastCheck.property(wild, FastCheck.array(FastCheck.nat({ max: 5 })), (text, sizes) => {
        const expected = text.replace(/^\ufeff/u, "").split("\n")
        const last = expected.pop()
        const { rest, whole } = split(pieces(new TextEncoder().encode(text), sizes))
        assert.deepStrictEqual(whole, expected)
        assert.strictEqual(rest ?? "", last)
      })
    )
  })

  it("keeps what it needs of bytes that are written over, Node's kind too", () => {
    for (const bytes of [new Uint8Array(2), Buffer.alloc(2)]) {
      const lines = Lines.splitter()
      bytes.set([0x61, 0x62])
      assert.deepStrictEqual([...lines.push(bytes)], [])
      bytes.set([0x63, 0x0a])
      assert.deepStrictEqual([...lines.push(bytes)], ["abc"])
    }
  })

  it("goes on over bytes that are no text, and over a character that the end cut off", () => {
    const { rest, whole } = split([Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0xf0, 0x9f)])
    assert.deepStrictEqual(whole, ["a\ufffd"])
    assert.strictEqual(rest, "b\ufffd")
  })
})
