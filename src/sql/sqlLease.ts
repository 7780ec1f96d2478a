/**
 * The right to write a session's log, for a time that is made longer as long as the writer lives.
 *
 * A row says who has it, by a fence that each taker makes one higher, and until when. Who finds that the time has run out
 * takes it over; whoever had it may still believe that it has it, and is refused when it writes, since an append asks for
 * the fence. So the lease decides who may open, and the fence who may write: nothing depends on two clocks that agree.
 *
 * @since 0.1.0
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { SessionLocked } from "../errors/SessionError.ts"
import type { SessionId } from "../session/Ids.ts"
import type { SqlDatabase } from "./sqlDatabase.ts"
import { fromSessionId } from "./sessionKey.ts"

/**
 * `owner` is for people, `since` epoch milliseconds, `length` of the lease in milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Claim {
  readonly session: SessionId
  readonly writer: string
  readonly owner: string
  readonly since: number
  readonly length: number
}

/**
 * A lease that was got. The database knows no other writer of this name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lease {
  readonly key: string
  readonly writer: string
  readonly fence: number
}

/**
 * Who has the lease of a session; `left` is how many milliseconds of it are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holder {
  readonly writer: string
  readonly fence: number
  readonly owner: string
  readonly since: number
  readonly left: number
}

/** Each round that fails means that somebody else got on; so many in a row do not happen by chance. */
const rounds = 32

/** One statement: it is one taker's, or another's. The time is the database's, since takers are on many machines. */
const claim = (database: SqlDatabase, { length, owner, since, writer }: Claim, key: string) => {
  const { now, sql, writers } = database
  return sql<{ readonly fence: unknown }>`INSERT INTO ${writers} (session, fence, writer, owner, since, expires)
    VALUES (${key}, 1, ${writer}, ${owner}, ${since}, ${now} + ${length})
    ON CONFLICT (session) DO UPDATE SET fence = ${writers}.fence + 1, writer = excluded.writer,
      owner = excluded.owner, since = excluded.since, expires = excluded.expires
    WHERE ${writers}.expires <= ${now}
    RETURNING fence`
}

/**
 * Nobody, if the session was never opened.
 *
 * @since 0.1.0
 * @category getters
 */
export const holder = (database: SqlDatabase, key: string): Effect.Effect<Holder | undefined, SqlError> => {
  const { now, sql, writers } = database
  const rows = sql<{
    readonly [column in "writer" | "fence" | "owner" | "since" | "remaining"]: unknown
  }>`SELECT writer, fence, owner, since, expires - ${now} AS remaining FROM ${writers} WHERE session = ${key}`
  return Effect.map(rows, ([row]) =>
    row === undefined
      ? undefined
      : {
          writer: String(row.writer),
          fence: Number(row.fence),
          owner: String(row.owner),
          since: Number(row.since),
          left: Number(row.remaining)
        }
  )
}

/**
 * Takes the lease, or fails at once with who has it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const take = (database: SqlDatabase, wanted: Claim): Effect.Effect<Lease, SessionLocked | SqlError> => {
  const { session, writer } = wanted
  const key = fromSessionId(session)
  return Effect.gen(function* () {
    for (let round = 0; round < rounds; round++) {
      const [row] = yield* claim(database, wanted, key)
      if (row !== undefined) return { key, writer, fence: Number(row.fence) }
      const held = yield* holder(database, key)
      if (held !== undefined && held.left > 0) {
        const left = `${Math.ceil(held.left / 1000)} s left unless it is renewed`
        return yield* new SessionLocked({ session, owner: `${held.owner} (its lease has ${left})`, since: held.since })
      }
    }
    return yield* new SessionLocked({ session, owner: "other openers, one after another," })
  }).pipe(database.alone)
}

/**
 * Makes the lease last `length` milliseconds from now, and says whether it is still ours. One that has run out is still
 * ours as long as nobody took it.
 *
 * @since 0.1.0
 * @category operations
 */
export const renew = (database: SqlDatabase, lease: Lease, length: number): Effect.Effect<boolean, SqlError> =>
  database.alone(
    Effect.map(
      // one that was given back stays so, whatever is still on its way
      database.sql`UPDATE ${database.writers} SET expires = ${database.now} + ${length}
        WHERE session = ${lease.key} AND writer = ${lease.writer} AND fence = ${lease.fence} AND expires <> 0
        RETURNING fence`,
      (rows) => rows.length > 0
    )
  )

/**
 * Gives the lease back, so that the next opener need not wait. A lease of somebody else is left alone.
 *
 * @since 0.1.0
 * @category operations
 */
export const release = (database: SqlDatabase, key: string, writer: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    database.alone(
      database.sql`UPDATE ${database.writers} SET expires = 0 WHERE session = ${key} AND writer = ${writer}`
    )
  )
