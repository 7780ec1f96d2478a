import { assert, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as EventCodec from "../../src/session/EventCodec.ts"
import * as SessionEvent from "../../src/session/SessionEvent.ts"
import { changed } from "./changed.ts"

it("an opening by a writer of a newer format is refused, never guessed at", () => {
  const opened = (formatVersion: number) => ({
    seq: 0,
    time: 0,
    type: "session/opened",
    data: { formatVersion, session: "s", writer: "w" }
  })
  assert.isTrue(Either.isRight(EventCodec.decode(opened(1))))
  assert.include(String(Either.getOrElse(Either.flip(EventCodec.decode(opened(2))), () => "")), "newer format")
})

it("a figure that JSON would turn into null is not written", () => {
  const end = (limit: number) =>
    ({ seq: 0, time: 0, type: "step/end", data: { turn: 0, step: 0, outcome: "refused", limit } }) as const
  assert.isTrue(Either.isRight(EventCodec.encode(end(4_000))))
  for (const limit of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.isTrue(Either.isLeft(EventCodec.encode(end(limit))))
})

it("sources on an event that cannot be on the surface are read as absent [A67]", () => {
  const start = {
    seq: 0,
    time: 0,
    type: "turn/start",
    data: { turn: 0, replaces: { first: 0, last: 0, sources: [0] } }
  }
  assert.deepStrictEqual(Either.getOrThrow(EventCodec.decode(start)), {
    seq: 0,
    time: 0,
    type: "turn/start",
    data: { turn: 0 }
  })
})

const events = FastCheck.tuple(Arbitrary.make(SessionEvent.Body), FastCheck.nat(), FastCheck.nat()).map(
  ([body, seq, time]) => ({ seq, time, ...body })
)

it("an event that is taken as it stands is what the schema makes of it, whatever was changed in it", () => {
  let same = 0
  FastCheck.assert(
    FastCheck.property(
      events,
      FastCheck.array(FastCheck.nat(20), { maxLength: 7 }),
      FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constantFrom(null, -1, 1.5, "", "text", "tool", true)),
      (event, path, by) => {
        for (const value of [event, changed(event, path, by)]) {
          const json: unknown = JSON.parse(JSON.stringify(value))
          const decoded = EventCodec.decode(json)
          if (Either.isRight(decoded) && decoded.right === json) same++
          if (typeof json !== "object" || json === null || Array.isArray(json)) continue
          // a key that nobody knows is left out by the schema, and only by it
          const bySchema = EventCodec.decode({ ...json, nobody: 1 })
          if (Either.isRight(decoded) && decoded.right.type === "skipped") assert.isTrue(Either.isRight(bySchema))
          else assert.deepStrictEqual(decoded, bySchema)
        }
      }
    ),
    { numRuns: 1_000 }
  )
  assert.isAbove(same, 900)
})

it("a key that is no key of a record is not taken as it stands", () => {
  const json = (metadata: string): unknown =>
    JSON.parse(
      `{"seq":0,"time":0,"type":"message/queued","data":{"message":{"role":"user","content":[],"metadata":${metadata}}}}`
    )
  const value = json('{"a":1}')
  assert.strictEqual(Either.getOrThrow(EventCodec.decode(value)), value)
  const odd = json('{"__proto__":{"a":1}}')
  assert.notStrictEqual(Either.getOrThrow(EventCodec.decode(odd)), odd)
})
