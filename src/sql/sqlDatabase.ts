/**
 * What the store needs of a database: its tables, its clock, and statements that are nobody else's.
 *
 * `batches` has a row for each batch, whose `line` is the very line that a log file has for it (`LogFrame`), without the
 * newline: what is permanent about the format is the same wherever a log is kept. `writers` has a row for each session
 * that was ever opened, which is never removed: its fence counts the writers, and only grows.
 *
 * @since 0.1.0
 */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"

/**
 * `now` is the database's clock in epoch milliseconds. `locked` makes a statement wait for who changes the row that it
 * looks at, and look again: SQLite has one writer at a time anyway. `alone` keeps statements out of a transaction of the
 * application, which would undo them with itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface SqlDatabase {
  readonly sql: SqlClient.SqlClient
  readonly batches: Statement.Identifier
  readonly writers: Statement.Identifier
  readonly now: Statement.Fragment
  readonly locked: Statement.Fragment
  readonly alone: <A, E>(statements: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
}

interface Dialect extends Pick<SqlDatabase, "now" | "locked" | "alone"> {
  /** SQLite keeps any number in an INTEGER; PostgreSQL's is too small for a time. */
  readonly integer: Statement.Fragment
}

/**
 * What waits for a database waits in real time, whatever clock the application's effects run on.
 *
 * @since 0.1.0
 * @category utils
 */
export const inRealTime: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.withClock(
  Clock.make()
)

/**
 * What may stand before the names of the tables. Lower case, because PostgreSQL's `regclass`, by which the migrator looks
 * for its table, folds what is not.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isPrefix = (prefix: string): boolean => /^[a-z_][a-z0-9_]{0,39}$/.test(prefix)

const outsideTransactions = <A, E>(statements: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(statements, (context: Context.Context<never>) =>
    Context.omit(SqlClient.TransactionConnection)(context)
  )

const dialectOf = (sql: SqlClient.SqlClient): Dialect =>
  sql.onDialectOrElse<Dialect, Dialect, Dialect>({
    sqlite: () => ({
      integer: sql.literal("integer"),
      now: sql.literal("CAST((julianday('now') - 2440587.5) * 86400000 AS integer)"),
      locked: sql.literal(""),
      // A driver may have one connection, on which a statement could come to stand between the begin and the end of
      // another fiber's transaction: it is reserved.
      alone: (statements) =>
        Effect.scopedWith((scope) =>
          Effect.flatMap(Scope.extend(sql.reserve, scope), (connection) =>
            Effect.provideService(statements, SqlClient.TransactionConnection, [connection, 0])
          )
        )
    }),
    pg: () => ({
      integer: sql.literal("bigint"),
      now: sql.literal("CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)"),
      locked: sql.literal("FOR UPDATE OF w"),
      alone: outsideTransactions
    }),
    orElse: () => {
      throw new Error("the log store is made for SQLite and PostgreSQL, and this SqlClient is for neither")
    }
  })

const migrations = (sql: SqlClient.SqlClient, dialect: Dialect, names: Pick<SqlDatabase, "batches" | "writers">) =>
  Migrator.fromRecord({
    "1_logs": Effect.gen(function* () {
      yield* sql`CREATE TABLE ${names.writers} (
        session text NOT NULL PRIMARY KEY,
        fence ${dialect.integer} NOT NULL,
        writer text NOT NULL,
        owner text NOT NULL,
        since ${dialect.integer} NOT NULL,
        expires ${dialect.integer} NOT NULL
      )`
      yield* sql`CREATE TABLE ${names.batches} (
        session text NOT NULL,
        seq ${dialect.integer} NOT NULL,
        event_count ${dialect.integer} NOT NULL,
        byte_count ${dialect.integer} NOT NULL,
        line text NOT NULL,
        PRIMARY KEY (session, seq)
      )`
    })
  })

const patience = Schedule.intersect(Schedule.jittered(Schedule.spaced("50 millis")), Schedule.recurs(20))

/** The number of the last of the migrations. */
const newest = 1

/**
 * The tables are made, or brought up to date, by `Migrator`, which keeps what was done in a table of ours. Of several that
 * do it at once all but one fail, or are told that it is done before it is: so that table is asked, for as long as a commit
 * takes on a busy machine, and if it knows of nothing it is done again. (Not the tables themselves: a driver may remember
 * for minutes that a statement named a table which was not there.)
 */
const migrate = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  names: Pick<SqlDatabase, "batches" | "writers">,
  table: string
) => {
  const made = Effect.filterOrFail(
    sql`SELECT migration_id FROM ${sql(table)} WHERE migration_id = ${newest}`,
    (rows) => rows.length > 0,
    () =>
      new Migrator.MigrationError({
        reason: "locked",
        message: "somebody else was making the tables and did not come to an end"
      })
  )
  return Migrator.make({})({ loader: migrations(sql, dialect, names), table }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.catchSomeDefect((defect) =>
      defect instanceof Migrator.MigrationError ? Option.some(Effect.fail(defect)) : Option.none()
    ),
    Effect.zipRight(Effect.retry(made, patience)),
    Effect.retry(patience),
    inRealTime,
    Effect.asVoid
  )
}

/**
 * The database as it is: no table is made. `prefix` stands before the names of the tables.
 *
 * @since 0.1.0
 * @category constructors
 */
export const look = Effect.fnUntraced(function* (
  prefix: string
): Effect.fn.Return<SqlDatabase & Dialect, never, SqlClient.SqlClient> {
  if (!isPrefix(prefix)) {
    return yield* Effect.dieMessage(
      `the prefix of the tables is 1 to 40 characters of a-z, 0-9 and _ that begin with no digit, not ${JSON.stringify(prefix)}`
    )
  }
  // the names in our statements are those in the tables, whatever the application's client makes of its own
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  return { sql, batches: sql(`${prefix}batches`), writers: sql(`${prefix}writers`), ...dialectOf(sql) }
})

/**
 * The database with the tables in it, which are made if they are not there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  prefix: string
): Effect.fn.Return<SqlDatabase, Migrator.MigrationError | SqlError, SqlClient.SqlClient> {
  const database = yield* look(prefix)
  yield* outsideTransactions(migrate(database.sql, database, database, `${prefix}migrations`))
  return database
})
