import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as ServerSentEvents from "../../../src/layers/adapters/serverSentEvents.ts"

const decode = (...pieces: ReadonlyArray<string>) => {
  const decoder = ServerSentEvents.make()
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}
const message = (data: string) => ({ event: "message", data })

describe("serverSentEvents", () => {
  it("ends lines with LF, CRLF and CR, mixed", () => {
    assert.deepStrictEqual(decode("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\ndata: e\n\r\n"), [
      message("a"),
      message("b"),
      message("c"),
      message("d"),
      message("e")
    ])
  })

  it("joins data lines, takes one space off, and keeps the rest", () => {
    assert.deepStrictEqual(decode("data:a\ndata:  b\ndata\ndata: c: d\n\n"), [message("a\n b\n\nc: d")])
  })

  it("skips comments, unknown fields and events without data", () => {
    assert.deepStrictEqual(decode(": keep-alive\n\nid: 3\nretry: 9\nevent: ping\n\ndata: x\n: in between\n\n"), [
      message("x")
    ])
  })

  it("names events, and forgets the name after each", () => {
    assert.deepStrictEqual(decode("event: error\ndata: a\n\ndata: b\n\nerror: {}\n\n"), [
      { event: "error", data: "a" },
      message("b"),
      { event: "error", data: "{}" }
    ])
  })

  it("takes a byte order mark off the start, and nowhere else", () => {
    assert.deepStrictEqual(decode("", "\ufeffdata: a\ufeff\n\n"), [message("a\ufeff")])
  })

  it("gives the last event though no empty line closed it", () => {
    assert.deepStrictEqual(decode("data: a\n\ndata: b"), [message("a"), message("b")])
  })

  it("does not see how the text was cut", () => {
    const line = FastCheck.constantFrom("data: a", "data: é😀", ": c", "event: error", "", "data:", "x: y")
    const text = FastCheck.array(FastCheck.tuple(line, FastCheck.constantFrom("\n", "\r\n", "\r"))).map((lines) =>
      lines.map((pair) => pair.join("")).join("")
    )
    FastCheck.assert(
      FastCheck.property(text, FastCheck.array(FastCheck.nat(80)), (all, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length]
        const pieces = at.slice(1).map((end, i) => all.slice(at[i], end))
        assert.deepStrictEqual(decode(...pieces), decode(all))
      })
    )
  })
})
