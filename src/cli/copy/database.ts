/**
 * Copies from and to a database.
 *
 * @since 0.1.0
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { LogWriteFailed, SessionCorrupt } from "../../errors/SessionError.ts"
import type { SessionId } from "../../session/Ids.ts"
import * as LogFrame from "../../session/LogFrame.ts"
import { fromSessionId, toSessionId } from "../../sql/sessionKey.ts"
import * as SqlDatabase from "../../sql/sqlDatabase.ts"
import { describe } from "../../sql/sqlFault.ts"
import * as SqlLease from "../../sql/sqlLease.ts"
import * as SqlLogStore from "../../sql/SqlLogStore.ts"
import * as SqlRows from "../../sql/sqlRows.ts"
import type { Source, SourceBatch, SourceLog } from "./source.ts"
import { BadInput } from "../exitCode.ts"

/**
 * A database that is connected, and the prefix of its tables.
 *
 * @since 0.1.0
 * @category models
 */
export interface Database {
  readonly shown: string
  readonly client: Context.Context<SqlClient>
  readonly tablePrefix: string
}

const batchesOf = (
  session: SessionId,
  rows: ReadonlyArray<SqlRows.Row>,
  from: number
): Either.Either<ReadonlyArray<SourceBatch>, SessionCorrupt> => {
  const batches: Array<SourceBatch> = []
  let next = from
  for (const row of rows) {
    const batch = Either.flatMap(SqlRows.verify(row, next), ({ bytes, header }) =>
      Either.map(LogFrame.eventsOf(bytes, header), (json): SourceBatch => ({
        seq: next,
        count: header.count,
        json,
        bytes: bytes.length + 1
      }))
    )
    if (Either.isLeft(batch)) return Either.left(new SessionCorrupt({ session, seq: next, reason: batch.left }))
    batches.push(batch.right)
    next += batch.right.count
  }
  return Either.right(batches)
}

const batches = (database: SqlDatabase.SqlDatabase, session: SessionId): SourceLog["batches"] =>
  SqlRows.pages(database, fromSessionId(session), 0, Number.MAX_SAFE_INTEGER).pipe(
    Stream.mapError(
      (error) =>
        new LogWriteFailed({ session, seq: 0, written: "no", detail: `the log could not be read: ${describe(error)}` })
    ),
    Stream.mapAccumEffect(0, (next, rows) =>
      Either.map(batchesOf(session, rows, next), (batches) => {
        const last = batches.at(-1)
        return [last === undefined ? next : last.seq + last.count, Chunk.unsafeFromArray(batches)] as const
      })
    ),
    Stream.flattenChunks
  )

/**
 * The sessions of a database, which is only read: no table is made, and no lease taken.
 *
 * @since 0.1.0
 * @category constructors
 */
export const source = Effect.fnUntraced(function* ({ client, shown, tablePrefix }: Database) {
  const database = yield* Effect.provide(SqlDatabase.look(tablePrefix), client)
  const { batches: table, sql } = database
  const unreadable = (error: SqlError) =>
    new BadInput({
      message: `no logs can be read in the tables ${tablePrefix}* of ${shown}: ${describe(error)}`
    })
  const logOf = (session: SessionId): SourceLog => ({
    session,
    owner: Effect.map(
      Effect.mapError(database.alone(SqlLease.holder(database, fromSessionId(session))), unreadable),
      (held) =>
        held === undefined || held.left <= 0
          ? undefined
          : `${held.owner} has it open since ${new Date(held.since).toISOString()} (its lease has ${Math.ceil(held.left / 1000)} s left unless it is renewed)`
    ),
    batches: batches(database, session)
  })
  const logs: Source["logs"] = (wanted) => {
    const keys =
      wanted === undefined
        ? sql<{ readonly session: unknown }>`SELECT DISTINCT session FROM ${table} ORDER BY session`
        : sql<{
            readonly session: unknown
          }>`SELECT DISTINCT session FROM ${table} WHERE session = ${fromSessionId(wanted)}`
    return Effect.mapBoth(database.alone(keys), {
      onFailure: unreadable,
      onSuccess: (rows) => ({ logs: rows.map(({ session }) => logOf(toSessionId(String(session)))), unusable: [] })
    })
  }
  const found: Source = { shown, logs }
  return found
})

/**
 * The store of the database. Its tables are made if they are not there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const target = ({ client, shown, tablePrefix }: Database) =>
  SqlLogStore.make({ tablePrefix }).pipe(
    Effect.provide(client),
    Effect.mapError(
      (error) =>
        new BadInput({
          message: `the tables ${tablePrefix}* cannot be made in ${shown}: ${error._tag === "SqlError" ? describe(error) : error.message}`
        })
    )
  )
