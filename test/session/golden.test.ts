import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as SessionState from "../../src/compaction/SessionState.ts"
import * as encodedEvents from "../../src/session/encodedEvents.ts"
import * as LogFrame from "../../src/session/LogFrame.ts"
import * as LogScan from "../../src/session/LogScan.ts"
import { Body } from "../../src/session/SessionEvent.ts"
import { leads, upcast, type Upcaster } from "../../src/session/upcasters.ts"
import { figures, fold } from "./golden/fold.ts"
import { batches, estimator } from "./golden/version1.ts"

const at = (name: string) => new URL(`golden/${name}`, import.meta.url)
const bytes = new Uint8Array(readFileSync(at("version1.jsonl")))
const stored: unknown = JSON.parse(readFileSync(at("version1.figures.json"), "utf8"))

const summed = (text: string) => `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`
const encode = (text: string) => new TextEncoder().encode(text)

describe("the golden log of format version 1", () => {
  it("holds every type of event", () => {
    const types = new Set(batches.flat().map(({ type }) => type))
    assert.sameMembers([...types], [...new Set(Body.members.map((member) => member.fields.type.literals[0]))])
  })

  it("is read to the state that it always was", () => {
    assert.deepStrictEqual(figures(fold(bytes, estimator), estimator), stored)
  })

  it("is what is written today for the same events, byte for byte", () => {
    const written = batches.map((events) =>
      Either.getOrThrow(LogFrame.encode(events[0]!.seq, Either.getOrThrow(encodedEvents.make(events))))
    )
    assert.strictEqual(Buffer.compare(Buffer.concat(written), bytes), 0)
  })

  it("has the bytes that it was written with", () => {
    assert.deepStrictEqual([bytes.length, crc32(bytes).toString(16)], [7665, "6ed2809c"])
  })
})

/** A made-up version: types stood in `kind`, and `body` was the name of `data`. */
const older = (value: unknown) => {
  const { data, type, ...rest } = value as { readonly data: unknown; readonly type: string }
  return { ...rest, kind: type, body: data }
}
const fromZero: Upcaster = {
  from: 0,
  event: (value) => {
    const { body, kind, ...rest } = value as { readonly body: unknown; readonly kind?: string }
    if (kind === undefined) throw new Error("it has no kind")
    return { ...rest, type: kind, data: body }
  }
}

const frameOf = (version: number, events: ReadonlyArray<{ readonly seq: number }>, values: ReadonlyArray<unknown>) =>
  summed(`{"v":${version},"seq":${events[0]!.seq},"count":${events.length},"events":${JSON.stringify(values)}`)

describe("older format versions", () => {
  // a writer of today goes on with a log of the older one
  const mixed = encode(
    batches.map((events, i) => frameOf(i < 8 ? 0 : 1, events, i < 8 ? events.map(older) : events)).join("")
  )

  it("are read through their upcasters, also in a log that goes on in today's", () => {
    assert.deepStrictEqual(figures(fold(mixed, estimator, [fromZero]), estimator), stored)
  })

  it("are refused by name where no upcaster leads here", () => {
    const scan = LogScan.make()
    assert.deepStrictEqual(Either.flip(scan.push(mixed)).pipe(Either.getOrThrow), {
      seq: 0,
      line: 1,
      reason: "it is written in format version 0, which never existed"
    })
  })

  it("are refused in words where an event cannot be turned", () => {
    const line = encode(frameOf(0, [{ seq: 0 }], [{ seq: 0 }])).subarray(0, -1)
    const header = Either.getOrThrow(LogFrame.verify(line, [fromZero]))
    assert.strictEqual(
      Either.getOrThrow(Either.flip(LogFrame.eventsOf(line, header, [fromZero]))),
      "its events of format version 0 cannot be read as version 1: it has no kind"
    )
  })

  it("go through every version between, in order, and through none twice", () => {
    const add = (from: number): Upcaster => ({ from, event: (value) => `${String(value)}${from}` })
    const known = [add(2), add(0), add(1)]
    assert.deepStrictEqual(upcast(["a"], 0, 3, known), Either.right(["a012"]))
    assert.deepStrictEqual(upcast(["a"], 2, 3, known), Either.right(["a2"]))
    assert.deepStrictEqual(upcast(["a"], 3, 3, known), Either.right(["a"]))
    assert.isFalse(leads(0, 3, [add(0), add(2)]))
    assert.isTrue(Either.isLeft(upcast(["a"], 0, 3, [add(0), add(2)])))
    assert.isFalse(leads(4, 3, known))
  })
})

describe("a newer format version", () => {
  it("is refused by name, in a line and in an event", () => {
    const reason = "it is written in format version 2, newer than version 1 which this release reads"
    const line = encode(frameOf(2, [{ seq: 0 }], [{}]))
    assert.deepStrictEqual(LogScan.make().push(line), Either.left({ seq: 0, line: 1, reason }))
    const opened = { seq: 0, time: 0, type: "session/opened", data: { formatVersion: 2, session: "s", writer: "w" } }
    assert.throws(() => fold(encode(frameOf(1, [opened], [opened])), estimator), /newer format/u)
    assert.strictEqual(fold(new Uint8Array(), estimator).revision, SessionState.empty(estimator).revision)
  })
})
