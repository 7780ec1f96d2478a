/**
 * Reads the rows of a log, page by page, and trusts none of them.
 *
 * @since 0.1.0
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Seq } from "../session/Ids.ts"
import * as LogFrame from "../session/LogFrame.ts"
import type { SqlDatabase } from "./sqlDatabase.ts"

/**
 * A row as the database gives it: SQLite may hold anything in any column, and drivers give large numbers as text.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  readonly seq: unknown
  readonly event_count: unknown
  readonly line: unknown
}

/**
 * A row that is what its writer wrote.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly header: LogFrame.Header
  readonly bytes: Uint8Array
}

/** A page ends once it holds so many bytes, and holds at least one row. */
const pageBytes = 4 * 1024 * 1024
const pageRows = 256

const encoder = new TextEncoder()

/** The next page: which rows is decided on the short columns, so that a long line is not read to be left behind. */
const page = ({ batches, sql }: SqlDatabase, key: string, from: Seq, before: Seq) => sql<Row>`
  SELECT b.seq, b.event_count, b.line FROM ${batches} b JOIN (
    SELECT seq, SUM(byte_count) OVER (ORDER BY seq) - byte_count AS bytes_before FROM ${batches}
    WHERE session = ${key} AND seq >= ${from} AND seq < ${before} ORDER BY seq LIMIT ${pageRows}
  ) p ON b.seq = p.seq WHERE b.session = ${key} AND p.bytes_before < ${pageBytes} ORDER BY b.seq`

/**
 * The rows whose seq is at least `from` and below `before`, in order.
 *
 * @since 0.1.0
 * @category getters
 */
export const pages = (
  database: SqlDatabase,
  key: string,
  from: Seq,
  before: Seq
): Stream.Stream<ReadonlyArray<Row>, SqlError> =>
  Stream.paginateChunkEffect(from, (start) =>
    Effect.map(database.alone(page(database, key, start, before)), (rows) => {
      const last = rows.at(-1)
      const next = last === undefined ? Option.none() : Option.some(Number(last.seq) + 1)
      return [Chunk.of(rows), next] as const
    })
  )

/**
 * The place of the batch that holds the event at `from`.
 *
 * @since 0.1.0
 * @category getters
 */
export const batchOf = ({ alone, batches, sql }: SqlDatabase, key: string, from: Seq): Effect.Effect<Seq, SqlError> =>
  Effect.map(
    alone(sql<Pick<Row, "seq">>`SELECT seq FROM ${batches} WHERE session = ${key} AND seq <= ${from}
      ORDER BY seq DESC LIMIT 1`),
    ([row]) => (row === undefined ? 0 : Number(row.seq))
  )

/**
 * Checks the row that has to begin at `next` against its form and its checksum, or says what is wrong with it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const verify = (row: Row, next: Seq): Either.Either<Line, string> => {
  if (Number(row.seq) !== next) return Either.left(`the row begins at seq ${String(row.seq)} and ${next} comes next`)
  if (typeof row.line !== "string") return Either.left("the row's line is no text")
  const bytes = encoder.encode(row.line)
  return Either.flatMap(LogFrame.verify(bytes), (header) =>
    header.seq === next && header.count === Number(row.event_count)
      ? Either.right({ header, bytes })
      : Either.left(
          `the row says seq ${next} and ${String(row.event_count)} events, and its line seq ${header.seq} and ${header.count}`
        )
  )
}
