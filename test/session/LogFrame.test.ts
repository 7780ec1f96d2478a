import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { crc32 } from "node:zlib"
import * as Crc32 from "../../src/session/Crc32.ts"
import * as LogFrame from "../../src/session/LogFrame.ts"
import * as LogScan from "../../src/session/LogScan.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const line = (seq: number, events: ReadonlyArray<unknown>) => Either.getOrThrow(LogFrame.encode(seq, events))

/** A line of that text with a right sum. */
const summed = (text: string) => encoder.encode(`${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`)

const join = (...parts: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat(parts))

/** Scans `bytes` in chunks of that size. */
const scan = (bytes: Uint8Array, size = bytes.length || 1, synced = Infinity) => {
  const scan = LogScan.make(undefined, synced)
  const found: Array<{ readonly seq: number; readonly events: ReadonlyArray<unknown> }> = []
  for (let at = 0; at < bytes.length; at += size) {
    // one buffer for all chunks, as a reader may do it
    const lines = scan.push(bytes.slice(at, at + size))
    if (Either.isLeft(lines)) return { found, end: Either.left(lines.left) }
    for (const { bytes, header } of lines.right) {
      found.push({
        seq: header.seq,
        events: Either.getOrThrow(
          LogFrame.decodeEvents(Either.getOrThrow(LogFrame.eventsOf(bytes, header)), header.count)
        )
      })
    }
  }
  return { found, end: scan.end() }
}

const fault = (bytes: Uint8Array) => Either.getOrThrow(Either.flip(scan(bytes).end))

describe("Crc32", () => {
  for (const [name, compute] of Object.entries({ compute: Crc32.compute, portable: Crc32.portable })) {
    it.prop(
      `${name} is zlib's, of any part`,
      [FastCheck.uint8Array({ maxLength: 100 }), FastCheck.nat(20)],
      ([bytes, start]) => {
        assert.strictEqual(compute(bytes), crc32(bytes))
        assert.strictEqual(compute(bytes, start, Math.max(start, bytes.length - 3)), crc32(bytes.slice(start, -3)))
      }
    )
  }
})

describe("LogFrame", () => {
  it("is this text, for ever", () => {
    assert.strictEqual(
      decoder.decode(line(12, [{ seq: 12, type: "message/user", data: "é" }, 13])),
      '{"v":1,"seq":12,"count":2,"events":[{"seq":12,"type":"message/user","data":"é"},13],"sum":"303e4eb0"}\n'
    )
  })

  it.prop("brings any JSON back", [FastCheck.array(FastCheck.jsonValue(), { minLength: 1 })], ([events]) => {
    const { found, end } = scan(line(0, events))
    assert.deepStrictEqual(found, [{ seq: 0, events: JSON.parse(JSON.stringify(events)) }])
    assert.strictEqual(Either.getOrThrow(end).next, events.length)
  })

  it("keeps half of a surrogate pair", () => {
    assert.deepStrictEqual(scan(line(0, ["\ud83d", "\ude00x"])).found, [{ seq: 0, events: ["\ud83d", "\ude00x"] }])
  })

  it("says why events are no JSON", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    for (const event of [cyclic, 1n]) {
      const reason = Either.getOrThrow(Either.flip(LogFrame.encode(0, [event])))
      assert.match(reason, /cannot be written as JSON: .*(circular|BigInt)/i)
    }
  })

  it("refuses each form that is not exactly its own", () => {
    const good = '{"v":1,"seq":0,"count":1,"events":[1]'
    assert.strictEqual(scan(summed(good)).found.length, 1)
    for (const bad of [
      '{"v":01,"seq":0,"count":1,"events":[1]',
      '{"v":,"seq":0,"count":1,"events":[1]',
      '{"v":1,"seq":00,"count":1,"events":[1]',
      '{"v":1,"seq":0,"count":0,"events":[]',
      '{"v":1,"seq":0,"count":99999999999999999,"events":[1]',
      '{"v":1,"seq":-1,"count":1,"events":[1]',
      '{"v":1, "seq":0,"count":1,"events":[1]',
      '{"seq":0,"v":1,"count":1,"events":[1]',
      '{"v":1,"seq":0,"count":1,"events":{}',
      "",
      "[1]"
    ]) {
      assert.deepInclude(fault(join(line(0, [1]), summed(bad))), { seq: 1, line: 2 }, bad)
    }
  })

  it("refuses a count that is not that of the events", () => {
    const bytes = summed('{"v":1,"seq":0,"count":2,"events":[1]').slice(0, -1)
    const header = Either.getOrThrow(LogFrame.verify(bytes))
    assert.strictEqual(
      Either.getOrThrow(
        Either.flip(LogFrame.decodeEvents(Either.getOrThrow(LogFrame.eventsOf(bytes, header)), header.count))
      ),
      "the line holds 1 events and says 2"
    )
  })
})

describe("LogScan", () => {
  const log = join(line(0, ["a", { b: 1 }]), line(2, [null]), line(3, ["ä".repeat(40)]))
  const lengths = [0, line(0, ["a", { b: 1 }]).length, line(0, ["a", { b: 1 }]).length + line(2, [null]).length]

  it("finds the same whatever the chunks", () => {
    const whole = scan(log)
    assert.deepStrictEqual(Either.getOrThrow(whole.end), { next: 4, length: log.length, lines: 3, torn: 0 })
    for (let size = 1; size < log.length; size++) assert.deepStrictEqual(scan(log, size), whole)
  })

  it("takes a log that was cut anywhere for the batches before the cut", () => {
    for (let cut = 0; cut < log.length; cut++) {
      const { found, end } = scan(log.slice(0, cut))
      const lines = lengths.findLastIndex((length) => length <= cut)
      assert.strictEqual(found.length, lines)
      const { length, torn } = Either.getOrThrow(end)
      assert.deepStrictEqual([length, torn], [lengths[lines], cut - lengths[lines]!])
    }
  })

  it("refuses a log with any flipped bit, or opens a prefix where the last newline or a zero is what it made", () => {
    const batches = scan(log).found
    for (let bit = 0; bit < log.length * 8; bit++) {
      const bytes = log.slice()
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      const { end, found } = scan(bytes)
      const line = lengths.findLastIndex((length) => length <= bit >> 3)
      assert.deepStrictEqual(found, batches.slice(0, line))
      if (Either.isRight(end)) {
        assert.strictEqual(line, 2)
        assert.isTrue(bit >> 3 === log.length - 1 || bytes[bit >> 3] === 0, `bit ${bit}`)
      } else {
        assert.deepInclude(end.left, { line: line + 1, seq: [0, 2, 3][line]! })
      }
    }
  })

  it("takes zeros at the end for a write that a power loss tore, and nowhere else", () => {
    const hole = line(4, ["x".repeat(50)]).fill(0, 10, 40)
    const torn = (bytes: Uint8Array) => Either.getOrThrow(scan(bytes).end)
    const expected = (size: number) => ({ next: 4, length: log.length, lines: 3, torn: size })
    assert.deepStrictEqual(torn(join(log, hole)), expected(hole.length))
    assert.deepStrictEqual(torn(join(log, hole, hole.slice(0, 7))), expected(hole.length + 7))
    assert.deepStrictEqual(torn(join(log, new Uint8Array(4096))), expected(4096))
    assert.deepInclude(fault(join(log, hole, line(5, [1]))), { seq: 4, line: 4 })
  })

  it("ends at a hole that lies behind what was synced, whatever follows it, and refuses one before", () => {
    const holes = [new Uint8Array(60), join(encoder.encode('{"'), new Uint8Array(9), encoder.encode("\n"))]
    for (const hole of holes) {
      for (const after of [line(5, [1]), join(line(5, [1]), encoder.encode("x\n{"))]) {
        const bytes = join(log, hole, after)
        for (const size of [bytes.length, 7]) {
          const { end, found } = scan(bytes, size, log.length)
          assert.strictEqual(found.length, 3)
          const torn = hole.length + after.length
          assert.deepStrictEqual(end, Either.right({ next: 4, length: log.length, lines: 3, torn }))
          assert.isTrue(Either.isLeft(scan(join(bytes, line(6, [1])), size, log.length + 1).end))
        }
      }
    }
    // what has no hole is judged as ever
    assert.isTrue(Either.isLeft(scan(join(log, line(9, [1])), undefined, 0).end))
    assert.isTrue(Either.isLeft(scan(join(log, encoder.encode("x\n")), undefined, 0).end))
  })

  it("refuses holes in the seqs, lines that were swapped and lines that are there twice", () => {
    const [first, second] = [line(0, [1]), line(1, [2])]
    for (const bytes of [join(second), join(second, first), join(first, first), join(first, line(2, [3]))]) {
      assert.match(fault(bytes).reason, /^the line begins at seq \d and \d comes next$/)
    }
  })

  it("refuses a newer version by name, torn or not, and never cuts it", () => {
    const newer = encoder.encode('{"v":2,"seq":4,"and":"\u0000"}\n')
    for (const tail of [newer, newer.slice(0, -1), newer.slice(0, 7)]) {
      const found = fault(join(log, tail))
      assert.deepInclude(found, { seq: 4, line: 4 })
      assert.include(found.reason, "format version 2, newer than version 1")
    }
  })

  it("refuses foreign text, with and without newlines, as soon as it is seen", () => {
    for (const text of ["hello", "hello\n", '{"type":"user"}\n', "\n"]) {
      assert.deepInclude(fault(encoder.encode(text)), { seq: 0, line: 1, reason: "the line is not a batch" })
    }
    assert.isTrue(Either.isLeft(LogScan.make().push(encoder.encode("hel"))))
  })
})
