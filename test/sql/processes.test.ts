import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { OpenError } from "../../src/errors/SessionError.ts"
import { plain, readAll } from "../layers/logs.ts"
import { databases } from "./databases.ts"
import { connect, start } from "./logs.ts"
import { owner } from "./owner.ts"

/** The test's own limit ends what never is. */
const onceItRanOut = <A, R>(open: Effect.Effect<A, OpenError, R>): Effect.Effect<A, OpenError, R> =>
  Effect.retry(open, { schedule: Schedule.spaced("50 millis"), while: ({ _tag }) => _tag === "SessionLocked" })

for (const database of databases) {
  describe.skipIf(database.missing !== undefined)(`processes on ${database.name}`, () => {
    it.scopedLive("I9 that race for a session: one has it, also when the tables are not there yet", () =>
      Effect.gen(function* () {
        const place = yield* database.fresh
        const owners = yield* Effect.all(Array.from({ length: 3 }, () => owner(place)))
        const said = yield* Effect.all(
          owners.map((one) => one.said),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(
          said.map(({ done, tag }) => (done ? "open" : tag)),
          ["open", "SessionLocked", "SessionLocked"]
        )
        const winner = owners[said.findIndex(({ done }) => done)]!
        assert.deepStrictEqual(yield* winner.append("mine"), { done: true })
      })
    )

    it.scopedLive("of which one is killed: its session is locked for the lease, then goes on where it was", () =>
      Effect.gen(function* () {
        const one = yield* start(database)
        const before = yield* Clock.currentTimeMillis
        const other = yield* owner(one.place, { lease: "2 seconds", host: "other" })
        assert.deepStrictEqual(yield* other.said, { done: true })
        assert.deepStrictEqual(yield* other.append("a"), { done: true })
        // while it works, and as long as its lease lasts when it does no more
        for (const end of [Effect.void, other.kill]) {
          yield* end
          const error = yield* Effect.flip(one.store.open("s"))
          if (error._tag !== "SessionLocked") return assert.fail(error.message)
          assert.match(error.message, /pid \d+ on other .* holds it since 20/)
          const { since = 0 } = error
          assert.isTrue(before <= since && since <= (yield* Clock.currentTimeMillis))
        }
        const log = yield* onceItRanOut(one.store.open("s"))
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: ["a"] }])
        yield* log.append({ seq: 1, events: ["b"] }, plain)
      })
    )

    it.scopedLive("I9 of which one is frozen: it is taken over, and what it writes when it wakes up is refused", () =>
      Effect.gen(function* () {
        const one = yield* start(database, { host: "here" })
        const sleeper = yield* owner(one.place, { lease: "1 second" })
        assert.deepStrictEqual(yield* sleeper.said, { done: true })
        assert.deepStrictEqual(yield* sleeper.append("a"), { done: true })
        yield* sleeper.signal("SIGSTOP")
        const log = yield* onceItRanOut(one.store.open("s"))
        yield* sleeper.signal("SIGCONT")
        // at the seq where the log ends for both
        const said = yield* sleeper.append("late")
        assert.strictEqual(said.tag, "LogWriteFailed")
        assert.match(said.message!, /seq 1 was not written: its lease had run out and pid \d+ on here took the session/)
        yield* log.append({ seq: 1, events: ["b"] }, plain)
        assert.strictEqual((yield* sleeper.append("again")).tag, "LogWriteFailed")
        assert.deepStrictEqual(yield* readAll(log), [
          { seq: 0, events: ["a"] },
          { seq: 1, events: ["b"] }
        ])
        const two = yield* connect(one.place)
        assert.strictEqual((yield* Effect.flip(two.store.open("s")))._tag, "SessionLocked")
      })
    )
  })
}
