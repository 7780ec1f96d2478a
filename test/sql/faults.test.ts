import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { grace } from "../../src/layers/bounded.ts"
import { SqlLogStore } from "../../src/sql/index.ts"
import { plain, readAll } from "../layers/logs.ts"
import { client } from "./address.ts"
import { databases } from "./databases.ts"
import { connect, type Connection, runOut, start } from "./logs.ts"

const [a, b] = [
  { seq: 0, events: ["a"] },
  { seq: 1, events: ["b"] }
] as const

for (const database of databases) {
  describe.skipIf(database.missing !== undefined)(`the store in ${database.name}`, () => {
    it.scoped("makes its tables once, whoever else does it at the same time, and keeps to its own", () =>
      Effect.gen(function* () {
        const place = yield* database.fresh
        const connections = yield* Effect.all(
          Array.from({ length: 6 }, () => connect(place)),
          { concurrency: "unbounded" }
        )
        const [{ sql, store }] = connections as [Connection]
        yield* Effect.scoped(Effect.flatMap(store.open("s"), (log) => log.append(a, plain)))
        const again = yield* connect(place)
        assert.isTrue(yield* again.store.exists("s"))
        const done = yield* sql`SELECT migration_id, name FROM ${sql(`${place.tablePrefix}migrations`)}`
        assert.deepStrictEqual(done, [{ migration_id: 1, name: "logs" }])
        // the application's own migrations are somewhere else
        yield* Effect.flip(sql`SELECT 1 FROM ${sql("effect_sql_migrations")}`)
        const other = yield* connect({ ...place, tablePrefix: `${place.tablePrefix}other_` })
        assert.isFalse(yield* other.store.exists("s"))
      })
    )

    it.scopedLive("makes its tables where somebody else began to and died, once that is undone", () =>
      Effect.gen(function* () {
        const place = yield* database.fresh
        const sql = Context.get(yield* Layer.build(place.client), SqlClient.SqlClient)
        const migrations = sql(`${place.tablePrefix}migrations`)
        yield* sql`CREATE TABLE ${migrations} (migration_id integer PRIMARY KEY NOT NULL,
          created_at timestamp NOT NULL DEFAULT current_timestamp, name VARCHAR(255) NOT NULL)`
        const begun = yield* Deferred.make<void>()
        const other = yield* sql`INSERT INTO ${migrations} (migration_id, name) VALUES (1, 'logs')`.pipe(
          Effect.zipRight(Deferred.succeed(begun, undefined)),
          Effect.zipRight(Effect.delay(Effect.fail("died"), "200 millis")),
          sql.withTransaction,
          Effect.exit,
          Effect.fork
        )
        yield* Deferred.await(begun)
        const { store } = yield* connect(place)
        assert.isTrue(Exit.isFailure(yield* Fiber.join(other)))
        assert.isFalse(yield* store.exists("s"))
      })
    )

    it.scoped("refuses options that cannot be meant", () =>
      Effect.gen(function* () {
        const place = yield* database.fresh
        for (const tablePrefix of ["", "a b", 'x"; DROP TABLE y; --', "Upper_", "1_", "x".repeat(41)]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(connect({ ...place, tablePrefix }))), tablePrefix)
        }
        for (const lease of [0, 999, Number.NaN, Number.POSITIVE_INFINITY]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(connect(place, { lease }))), String(lease))
        }
      })
    )

    it.scopedLive("writes outside of the application's transactions, which may be undone", () =>
      Effect.gen(function* () {
        const { sql, store } = yield* start(database)
        const log = yield* store.open("s")
        const append = yield* Effect.fork(Effect.delay(log.append(a, plain), "20 millis"))
        const undone = yield* Effect.exit(
          sql.withTransaction(Effect.zipRight(Effect.sleep("100 millis"), Effect.fail("undone")))
        )
        assert.isTrue(Exit.isFailure(undone))
        yield* Fiber.join(append)
        if (database.name === "PostgreSQL") {
          yield* Effect.exit(sql.withTransaction(Effect.zipRight(log.append(b, plain), Effect.fail("undone"))))
        } else yield* log.append(b, plain)
        assert.deepStrictEqual<unknown>(yield* readAll(log), [a, b])
      })
    )

    it.scoped("says that the log is not there when the database is not, and holds nobody up", () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void warnings.push(String(message)))
        )
        const { place, sql, store, writers } = yield* start(database)
        const scope = yield* Scope.make()
        const log = yield* Effect.provide(Scope.extend(store.open("s"), scope), logger)
        yield* sql`DROP TABLE ${writers}`
        const error = yield* Effect.flip(log.append(a, plain))
        // the database refused the statement: it is certain that nothing was written
        assert.deepInclude(error, { _tag: "LogWriteFailed", seq: 0, written: "no" })
        assert.match(error.message, /the write failed: .*writers/)
        const unopened = yield* Effect.flip(Effect.scoped(store.open("t")))
        assert.deepInclude(unopened, { _tag: "LogWriteFailed", session: "t", written: "no" })
        assert.match(unopened.message, new RegExp(`the log could not be opened: .*${place.tablePrefix}writers`))
        yield* Scope.close(scope, Exit.void)
        assert.match(
          warnings.join(),
          /session "s": its lease was not given back and runs out in 30 s at most: .*writers/
        )
      })
    )
  })
}

const postgres = databases.find(({ name }) => name === "PostgreSQL")!
describe.skipIf(postgres.missing !== undefined)("a connection to PostgreSQL", () => {
  /** Holds the row that an append has to wait for, until the scope closes. */
  const hold = ({ sql, writers }: Connection, scope: Scope.Scope) =>
    Effect.gen(function* () {
      const connection = yield* Scope.extend(sql.reserve, scope)
      const on = <A, E>(statement: Effect.Effect<A, E>) =>
        Effect.provideService(statement, SqlClient.TransactionConnection, [connection, 0])
      yield* on(sql`BEGIN`)
      yield* on(sql`SELECT 1 FROM ${writers} FOR UPDATE`)
      yield* Scope.addFinalizer(scope, Effect.ignore(on(sql`ROLLBACK`)))
    })

  const waiting = ({ sql, batches }: Connection) =>
    sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE ${`%INSERT INTO "${batches.value}"%`}`

  const untilItWaits = (connection: Connection): Effect.Effect<number, unknown> =>
    Effect.flatMap(waiting(connection), ([row]) =>
      row === undefined ? Effect.zipRight(Effect.yieldNow(), untilItWaits(connection)) : Effect.succeed(row.pid)
    )

  it.scoped("that is lost during a write leaves it in doubt, and ends the writer", () =>
    Effect.gen(function* () {
      const one = yield* start(postgres)
      const other = yield* connect(one.place)
      const log = yield* one.store.open("s")
      yield* log.append(a, plain)
      const holding = yield* Scope.make()
      yield* hold(other, holding)
      const append = yield* Effect.fork(Effect.flip(log.append(b, plain)))
      const pid = yield* untilItWaits(other)
      yield* other.sql`SELECT pg_terminate_backend(${pid})`
      const error = yield* Fiber.join(append)
      assert.deepInclude(error, { _tag: "LogWriteFailed", seq: 1, written: "unknown" })
      yield* Scope.close(holding, Exit.void)
      const after = yield* Effect.flip(log.append(b, plain))
      assert.deepInclude(after, { written: "unknown" })
      assert.match(after.message, /this writer ended when the write failed: /)
      // the next open decides
      yield* runOut(other)
      const next = yield* other.store.open("s")
      assert.deepStrictEqual<unknown>(yield* readAll(next), [a])
    })
  )

  it.scoped("that waits does not let a taker by before the write is through, nor the write after the taker", () =>
    Effect.gen(function* () {
      const one = yield* start(postgres)
      const other = yield* connect(one.place)
      const log = yield* one.store.open("s")
      const holding = yield* Scope.make()
      yield* hold(other, holding)
      const append = yield* Effect.fork(Effect.either(log.append(a, plain)))
      yield* untilItWaits(other)
      const taken = yield* Effect.fork(Effect.zipRight(runOut(one), Effect.flatMap(other.store.open("s"), readAll)))
      yield* Scope.close(holding, Exit.void)
      const [written, read] = yield* Fiber.join(Fiber.zip(append, taken))
      // whoever came first: the taker reads what was acknowledged, and nothing comes after it
      assert.deepStrictEqual<unknown>(read, written._tag === "Right" ? [a] : [])
      assert.deepStrictEqual<unknown>(yield* readAll(log), read)
    })
  )

  it.scoped("that hangs holds up the end of a session no longer than its time", () =>
    Effect.gen(function* () {
      const one = yield* start(postgres)
      const other = yield* connect(one.place)
      const scope = yield* Scope.make()
      const log = yield* Scope.extend(one.store.open("s"), scope)
      const holding = yield* Scope.make()
      yield* hold(other, holding)
      const append = yield* Effect.fork(Effect.either(log.append(a, plain)))
      yield* untilItWaits(other)
      const closed = yield* Effect.fork(Scope.close(scope, Exit.void))
      while (closed.unsafePoll() === null) {
        yield* TestClock.adjust(grace)
        yield* Effect.yieldNow()
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      yield* Scope.close(holding, Exit.void)
      yield* Fiber.join(append)
    })
  )

  it.scoped("that cannot be made is said to be the reason", () =>
    Effect.gen(function* () {
      const nowhere = Layer.provide(SqlLogStore.layer(), client({ port: 1 }))
      const error = yield* Effect.flip(Layer.build(nowhere))
      assert.match(String(error), /SqlError/)
    })
  )
})
