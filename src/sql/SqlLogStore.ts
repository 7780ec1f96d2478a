/**
 * Logs in the tables of a database, one row a batch, for applications on several machines, or with a database anyway.
 *
 * @since 0.1.0
 */
import type { MigrationError } from "@effect/sql/Migrator"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LogWriteFailed, SessionCorrupt } from "../errors/SessionError.ts"
import { boundedRun, grace } from "../layers/bounded.ts"
import * as LogOwner from "../layers/logOwner.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import { type Batch, type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"
import { fromSessionId } from "./sessionKey.ts"
import * as SqlDatabase from "./sqlDatabase.ts"
import { describe } from "./sqlFault.ts"
import * as SqlLease from "./sqlLease.ts"
import * as SqlRows from "./sqlRows.ts"
import * as SqlWriter from "./sqlWriter.ts"

/**
 * `tablePrefix` (default `effect_compaction_`; a-z, 0-9 and _) begins the names of the store's three tables.
 *
 * `lease` (default 30 seconds, at least one) is how long a session stays locked once its owner is frozen or gone, and a
 * third of it how often a live owner makes it last on. `host` names this machine to who finds a session locked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly tablePrefix?: string
  readonly lease?: Duration.DurationInput
  readonly host?: string
}

const unusable = (session: SessionId, did: string) => (error: SqlError) =>
  new LogWriteFailed({ session, seq: 0, written: "no", detail: `the log could not be ${did}: ${describe(error)}` })

const corrupt = (session: SessionId, seq: Seq) => (reason: string) => new SessionCorrupt({ session, seq, reason })

/**
 * Makes the lease last on, until it is somebody else's. A renewal that fails is only told: there are two more before the
 * lease runs out, and once it has, the session is still ours until somebody opens it.
 */
const renewing = (database: SqlDatabase.SqlDatabase, session: SessionId, lease: SqlLease.Lease, length: number) => {
  const every = length / 3
  const renewal = SqlLease.renew(database, lease, length).pipe(
    Effect.disconnect,
    Effect.timeoutFail({ duration: every, onTimeout: () => "the database did not answer in time" }),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning(
          `session "${session}": its lease was not renewed: ${typeof error === "string" ? error : describe(error)}`
        ),
        true
      )
    )
  )
  return Effect.repeat(Effect.delay(renewal, every), { until: (ours) => !ours }).pipe(
    Effect.zipRight(
      Effect.logWarning(`session "${session}": its lease had run out and another owner has it: nothing more is written`)
    ),
    SqlDatabase.inRealTime
  )
}

/** Within a bound, since a database that is gone must not hold up the end of an application. */
const releasing = (database: SqlDatabase.SqlDatabase, session: SessionId, writer: string, length: number) =>
  Effect.gen(function* () {
    const release = SqlLease.release(database, fromSessionId(session), writer)
    const answered = yield* boundedRun(Effect.mapError(release, describe), grace)
    const exit = Option.getOrElse(answered, () => Exit.fail("the database did not answer in time"))
    if (Exit.isSuccess(exit)) return
    yield* Effect.logWarning(
      `session "${session}": its lease was not given back and runs out in ${length / 1000} s at most: ${String(Cause.squash(exit.cause))}`
    )
  })

/**
 * The store alone. The tables are made, by migrations of their own, if they are not there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  options: Options = {}
): Effect.fn.Return<LogStore["Type"], MigrationError | SqlError, SqlClient> {
  const length = Duration.toMillis(options.lease ?? "30 seconds")
  if (!(length >= 1000 && length < Number.MAX_SAFE_INTEGER)) {
    return yield* Effect.dieMessage(`the lease of a session is at least a second and not without end, not ${length} ms`)
  }
  const database = yield* SqlDatabase.make(options.tablePrefix ?? "effect_compaction_")
  const me = LogOwner.here(options.host)

  /** Verifies the whole log and holds none of it. */
  const verify = Effect.fnUntraced(function* (session: SessionId, key: string, replay: Replay = () => Either.void) {
    let next = 0
    const take = (row: SqlRows.Row): Either.Either<void, SessionCorrupt> => {
      const line = SqlRows.verify(row, next)
      if (Either.isLeft(line)) return Either.left(corrupt(session, next)(line.left))
      const { bytes, header } = line.right
      const json = LogFrame.eventsOf(bytes, header)
      if (Either.isLeft(json)) return Either.left(corrupt(session, next)(json.left))
      const taken = replay({ seq: next, count: header.count, json: json.right })
      if (Either.isLeft(taken)) return Either.left(corrupt(session, taken.left.seq)(taken.left.reason))
      next += header.count
      return Either.void
    }
    yield* SqlRows.pages(database, key, 0, Number.MAX_SAFE_INTEGER).pipe(
      Stream.mapError(unusable(session, "read")),
      Stream.runForEach((rows) => {
        for (const row of rows) {
          const taken = take(row)
          if (Either.isLeft(taken)) return taken
        }
        return Either.void
      })
    )
    return next
  })

  /** What was written when the stream begins; an append meanwhile is not seen half. */
  const read = (session: SessionId, key: string, end: () => Seq): LogHandle["read"] =>
    Effect.fnUntraced(function* (from: Seq) {
      const before = end()
      if (from >= before) return Stream.empty
      let next = yield* Effect.mapError(SqlRows.batchOf(database, key, from), unusable(session, "read"))

      const decode = (rows: ReadonlyArray<SqlRows.Row>): Either.Either<Chunk.Chunk<Batch>, SessionCorrupt> => {
        const batches: Array<Batch> = []
        for (const row of rows) {
          const events = Either.flatMap(SqlRows.verify(row, next), ({ bytes, header }) =>
            Either.flatMap(LogFrame.eventsOf(bytes, header), (json) => LogFrame.decodeEvents(json, header.count))
          )
          if (Either.isLeft(events)) return Either.left(corrupt(session, next)(events.left))
          batches.push({ seq: next, events: events.right })
          next += events.right.length
        }
        return Either.right(Chunk.unsafeFromArray(batches))
      }
      const whole = Effect.suspend(() =>
        next === before ? Effect.void : corrupt(session, next)("rows were removed after it was opened")
      )
      return SqlRows.pages(database, key, next, before).pipe(
        Stream.mapError(unusable(session, "read")),
        Stream.mapEffect(decode),
        Stream.flattenChunks,
        Stream.concat(Stream.drain(Stream.fromEffect(whole)))
      )
    }, Stream.unwrap)

  const open = Effect.fnUntraced(function* (session: SessionId, replay?: Replay) {
    const owner = LogOwner.make(me, globalThis.crypto.randomUUID(), yield* Clock.currentTimeMillis)
    const { writer: id } = owner
    // before it is taken: an opener that is interrupted may have got it without knowing
    yield* Effect.addFinalizer(() => Effect.interruptible(releasing(database, session, id, length)))
    const lease = yield* SqlLease.take(database, { session, length, ...owner }).pipe(
      Effect.catchTag("SqlError", unusable(session, "opened"))
    )
    const renewal = yield* Effect.forkDaemon(renewing(database, session, lease, length))
    yield* Effect.addFinalizer(() => Fiber.interruptFork(renewal))
    const next = yield* verify(session, lease.key, replay)
    const writer = yield* SqlWriter.make({ database, session, lease, next })
    const handle: LogHandle = { writer: id, read: read(session, lease.key, writer.next), append: writer.append }
    return handle
  })

  const exists = (session: SessionId) => {
    const { alone, batches, sql } = database
    const found = alone(sql`SELECT 1 FROM ${batches} WHERE session = ${fromSessionId(session)} LIMIT 1`)
    return Effect.mapBoth(found, { onFailure: unusable(session, "read"), onSuccess: (rows) => rows.length > 0 })
  }

  return LogStore.of({ open, exists })
})

/**
 * A session has one writer, on whatever machine, by a lease that a live owner renews: who opens it meanwhile gets
 * `SessionLocked`, and once the lease has run out it is taken over. A former owner that wakes up is refused when it writes
 * (`LogWriteFailed`, `written: "no"`, with who has the session now). The lease's time is the database's own.
 *
 * What was acknowledged is committed, and as durable as the database makes a commit: PostgreSQL's `synchronous_commit` and
 * SQLite's `PRAGMA synchronous`, which has to be FULL to survive the machine's power. Made for SQLite and PostgreSQL; the
 * database's text is UTF-8. The driver needs transactions, for the migrations. Do not wait for a session inside of
 * `sql.withTransaction` over the same SQLite client: that has one connection, and the log waits for it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<LogStore, MigrationError | SqlError, SqlClient> =>
  Layer.effect(LogStore, make(options))
