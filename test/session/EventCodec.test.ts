import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as EventCodec from "../../src/session/EventCodec.ts"

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
