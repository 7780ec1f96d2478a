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

describe("a body of which nobody knows what it is", () => {
  const read = (...pieces: ReadonlyArray<string>) => {
    const decoder = ServerSentEvents.makeEither()
    return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
  }

  it("is an event stream if it begins like one", () => {
    for (const start of ["data: a\n\n", ": alive\n\ndata: a\n\n", "\r\n\r\nevent: message\r\ndata: a\r\n\r\n"]) {
      assert.deepStrictEqual(read(start, "data: b\n\n"), [message("a"), message("b")])
    }
  })

  it("is one event if it begins like anything else, however it is cut", () => {
    for (const whole of ['{\n  "error": {\n    "message": "a"\n  }\n}', "<html>\n<p>a", '"a"', "Bad Gateway"]) {
      assert.deepStrictEqual(read(`\n ${whole}`), [message(whole)])
      assert.deepStrictEqual(read("\n", ...whole), [message(whole)])
    }
    assert.deepStrictEqual(read("", " \n"), [])
  })

  it("is the same however it is cut", () => {
    const pieces = ["data: ", "\n", "\r", "{", "}", '"', "a", ":", "event: ", " ", "error: ", "["]
    FastCheck.assert(
      FastCheck.property(
        FastCheck.string({ maxLength: 40, unit: FastCheck.constantFrom(...pieces) }),
        FastCheck.nat(60),
        (text, cut) => {
          assert.deepStrictEqual(read(text.slice(0, cut), text.slice(cut)), read(text))
        }
      )
    )
  })
})

it("an object that stands in a stream without a field's name is an event of its own", () => {
  assert.deepStrictEqual(decode('data: a\n\n{"error":{"message":"b"}}\n\ndata: c\n{"d":1}\n'), [
    message("a"),
    message('{"error":{"message":"b"}}'),
    message("c"),
    message('{"d":1}')
  ])
})
