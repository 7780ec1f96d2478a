import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { plain, readAll } from "../layers/logs.ts"
import { databases } from "./databases.ts"
import { connect, type Connection, runOut, start } from "./logs.ts"

const batch = (seq: number, ...events: ReadonlyArray<unknown>) => ({ seq, events })

const expiry = ({ sql, writers }: Connection) =>
  Effect.map(sql<{ readonly expires: unknown }>`SELECT expires FROM ${writers} WHERE session = 's'`, ([row]) =>
    Number(row?.expires)
  )

const patiently = Schedule.spaced("20 millis")

/** Asks again until it is so; the test's own limit ends what never is. */
const eventually = <A, E>(ask: Effect.Effect<A, E>, holds: (answer: A) => boolean): Effect.Effect<A, E> =>
  Effect.flatMap(ask, (answer) =>
    holds(answer) ? Effect.succeed(answer) : Effect.delay(eventually(ask, holds), "20 millis")
  )

for (const database of databases) {
  describe.skipIf(database.missing !== undefined)(`a lease in ${database.name}`, () => {
    it.scoped("is for one, on whatever client, and free again at once when it is given back", () =>
      Effect.gen(function* () {
        const one = yield* start(database, { host: "one" })
        const two = yield* connect(one.place, { host: "two" })
        const scope = yield* Scope.make()
        yield* Scope.extend(one.store.open("s"), scope)
        const error = yield* Effect.flip(two.store.open("s"))
        assert.deepInclude(error, { _tag: "SessionLocked", session: "s", since: 0 })
        assert.match(
          error.message,
          /pid \d+ on one \(its lease has \d+ s left unless it is renewed\) holds it since 1970/
        )
        yield* two.store.open("t")
        yield* Scope.close(scope, Exit.void)
        yield* two.store.open("s")
      })
    )

    it.scoped("I9 that has run out is taken over, and the sleeper's write is refused", () =>
      Effect.gen(function* () {
        const one = yield* start(database, { host: "one" })
        const two = yield* connect(one.place, { host: "two" })
        const scope = yield* Scope.make()
        const sleeper = yield* Scope.extend(one.store.open("s"), scope)
        yield* sleeper.append(batch(0, "a"), plain)
        yield* runOut(one)
        const log = yield* two.store.open("s")
        assert.deepStrictEqual(yield* readAll(log), [batch(0, "a")])

        // at the very seq where the log ends, and again
        for (const _ of ["first", "again"]) {
          const error = yield* Effect.flip(sleeper.append(batch(1, "late"), plain))
          assert.deepInclude(error, { _tag: "LogWriteFailed", session: "s", seq: 1, written: "no" })
          assert.match(error.message, /its lease had run out and pid \d+ on two took the session over at 1970-/)
        }
        yield* log.append(batch(1, "b"), plain)
        // what the sleeper gives back is not the other's lease
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* Effect.flip(one.store.open("s")))._tag, "SessionLocked")
        yield* log.append(batch(2, "c"), plain)
        assert.deepStrictEqual(yield* readAll(log), [batch(0, "a"), batch(1, "b"), batch(2, "c")])
      })
    )

    it.scoped("that has run out and that nobody took is still its owner's", () =>
      Effect.gen(function* () {
        const one = yield* start(database)
        const log = yield* one.store.open("s")
        yield* runOut(one)
        yield* log.append(batch(0, "a"), plain)
        assert.deepStrictEqual(yield* readAll(log), [batch(0, "a")])
      })
    )

    it.scoped("I9 of nobody is taken by one of many who race for it", () =>
      Effect.gen(function* () {
        const one = yield* start(database)
        const clients = [one, ...(yield* Effect.all(Array.from({ length: 3 }, () => connect(one.place))))]
        for (let round = 0; round < 5; round++) {
          const session = `s${round}`
          yield* one.store.open(session)
          yield* runOut(one)
          const tries = clients.flatMap(({ store }) => [store.open(session), store.open(session)])
          const results = yield* Effect.scoped(Effect.all(tries.map(Effect.exit), { concurrency: "unbounded" }))
          assert.strictEqual(results.filter(Exit.isSuccess).length, 1, `round ${round}`)
        }
      })
    )

    it.scopedLive("is renewed while its owner lives, also after a renewal that failed", () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void warnings.push(String(message)))
        )
        const one = yield* start(database, { lease: "1 second" })
        const { sql, place } = one
        const log = yield* Effect.provide(one.store.open("s"), logger)
        const first = yield* expiry(one)
        yield* eventually(expiry(one), (now) => now > first)

        const moved = sql(`${place.tablePrefix}moved`)
        yield* sql`ALTER TABLE ${one.writers} RENAME TO ${moved}`
        yield* eventually(Effect.void, () => warnings.length > 0)
        yield* sql`ALTER TABLE ${moved} RENAME TO ${one.writers}`
        assert.match(warnings.join(), /session "s": its lease was not renewed: .*writers/)
        const third = yield* expiry(one)
        yield* eventually(expiry(one), (now) => now > third)
        yield* log.append(batch(0, "a"), plain)
        const two = yield* connect(place)
        assert.strictEqual((yield* Effect.flip(two.store.open("s")))._tag, "SessionLocked")
      })
    )

    it.scopedLive("that was taken over is told to its former owner's log, and renewed no more", () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void warnings.push(String(message)))
        )
        const one = yield* start(database, { lease: "1 second" })
        yield* Effect.provide(one.store.open("s"), logger)
        const two = yield* connect(one.place, { lease: "1 hour" })
        // its renewal may come in between
        yield* Effect.retry(Effect.zipRight(runOut(one), two.store.open("s")), patiently)
        const taken = yield* expiry(one)
        yield* eventually(Effect.void, () => warnings.length > 0)
        assert.match(warnings.join(), /session "s": its lease had run out and another owner has it/)
        assert.strictEqual(yield* expiry(one), taken)
      })
    )
  })
}
