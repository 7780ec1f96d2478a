/**
 * Appends batches to a log by compare-and-append: a row is written only where the log ends, and only by the writer that
 * has the session now.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { LogWriteFailed } from "../errors/SessionError.ts"
import { boundedRun, grace } from "../layers/bounded.ts"
import type { LogHandle } from "../services/LogStore.ts"
import type { Seq, SessionId } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import type { SqlDatabase } from "./sqlDatabase.ts"
import { describe, notCarriedOut } from "./sqlFault.ts"
import * as SqlLease from "./sqlLease.ts"

/**
 * `next` is where the log ends, as far as this writer knows.
 *
 * @since 0.1.0
 * @category models
 */
export interface SqlWriter {
  readonly next: () => Seq
  readonly append: LogHandle["append"]
}

const decoder = new TextDecoder()

/** One statement, so that there is nothing to undo; the row of the writers is held until it is through. */
const insert = ({ batches, locked, sql, writers }: SqlDatabase, lease: SqlLease.Lease, row: Row) => sql`
  INSERT INTO ${batches} (session, seq, event_count, byte_count, line)
  SELECT w.session, ${row.seq}, ${row.count}, ${row.bytes}, ${row.line} FROM ${writers} w
  WHERE w.session = ${lease.key} AND w.writer = ${lease.writer} AND w.fence = ${lease.fence} AND COALESCE(
    (SELECT b.seq + b.event_count FROM ${batches} b WHERE b.session = w.session ORDER BY b.seq DESC LIMIT 1), 0
  ) = ${row.seq} ${locked} RETURNING seq`

interface Row {
  readonly seq: Seq
  readonly count: number
  readonly bytes: number
  readonly line: string
}

/**
 * `next` is where the log ends now. The writer ends with the scope, after an append that has begun.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly database: SqlDatabase
  readonly session: SessionId
  readonly lease: SqlLease.Lease
  readonly next: Seq
}) {
  const { database, lease, session } = options
  const semaphore = yield* Effect.makeSemaphore(1)
  let { next } = options
  let ended: { readonly written: "no" | "unknown"; readonly detail: string } | undefined

  const failure = (seq: Seq, written: "no" | "unknown", detail: string) =>
    new LogWriteFailed({ session, seq, written, detail })

  const end = (seq: Seq, written: "no" | "unknown", detail: string) => {
    ended = { written, detail: `this writer ended when ${detail}` }
    return failure(seq, written, detail)
  }

  /** Nothing was written: who has the session, or what else is not as this writer left it. */
  const refused = Effect.fnUntraced(function* (seq: Seq) {
    const held = yield* Effect.option(database.alone(SqlLease.holder(database, lease.key)))
    if (Option.isNone(held)) return failure(seq, "no", "the database refused it, and does not say who has the session")
    const { value } = held
    if (value === undefined) return end(seq, "no", "the row of its writers was removed from the database")
    if (value.writer === lease.writer && value.fence === lease.fence) {
      return end(
        seq,
        "no",
        `something else than its writer changed the log, which does not end at seq ${next} any more`
      )
    }
    const since = new Date(value.since).toISOString()
    return end(seq, "no", `its lease had run out and ${value.owner} took the session over at ${since}: open it again`)
  })

  const appendOne: LogHandle["append"] = Effect.fnUntraced(function* ({ events, seq }) {
    if (ended !== undefined) return yield* failure(seq, ended.written, ended.detail)
    if (seq !== next) return yield* failure(seq, "no", `the next free seq is ${next}`)
    if (events.length === 0) return
    const encoded = LogFrame.encode(seq, events)
    if (Either.isLeft(encoded)) return yield* failure(seq, "no", encoded.left)
    const line = encoded.right.subarray(0, -1)
    const row = { seq, count: events.length, bytes: line.length, line: decoder.decode(line) }
    const rows = yield* Effect.mapError(database.alone(insert(database, lease, row)), (error) => {
      const detail = `the write failed: ${describe(error)}`
      return notCarriedOut(error) ? failure(seq, "no", detail) : end(seq, "unknown", detail)
    })
    if (rows.length === 0) return yield* yield* refused(seq)
    next += events.length
  })

  const close = Effect.sync(() => (ended ??= { written: "no", detail: "the log is closed" }))
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(Effect.interruptible(boundedRun(semaphore.withPermits(1)(close), grace)), close)
  )

  const writer: SqlWriter = {
    next: () => next,
    append: (batch, sync) => semaphore.withPermits(1)(Effect.uninterruptible(appendOne(batch, sync)))
  }
  return writer
}) satisfies (...args: never) => Effect.Effect<SqlWriter, never, Scope.Scope>
