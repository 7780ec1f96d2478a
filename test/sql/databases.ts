/** The databases that this machine has, each with clients of a place of one's own in it. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { afterAll } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { makeDirectory } from "../layers/logs.ts"
import { type Address, client } from "./address.ts"
import * as Postgres from "./postgres.ts"

/** Each build of `client` is another client of the same database; nobody else has tables of that prefix in it. */
export interface Place {
  readonly address: Address
  readonly client: Layer.Layer<SqlClient.SqlClient, unknown>
  readonly tablePrefix: string
}

export interface Database {
  readonly name: string
  readonly fresh: Effect.Effect<Place, never, Scope.Scope>
  /** Why it cannot be had on this machine. */
  readonly missing: string | undefined
}

let places = 0
const placeAt = (address: Address): Place => ({
  address,
  client: client(address),
  tablePrefix: `logs${++places}_`
})

// the driver is compiled where it is installed, and a machine may lack the means
const probe = await Effect.runPromiseExit(Effect.scoped(Layer.build(client({ filename: ":memory:" }))))

const sqlite: Database = {
  name: "SQLite",
  missing: Exit.isSuccess(probe)
    ? undefined
    : `its driver does not run here: ${Cause.pretty(probe.cause).split("\n")[0]}`,
  // Built once, because the driver makes a new file's journal a WAL, and of several that do so at once SQLite lets one fail.
  fresh: Effect.orDie(makeDirectory).pipe(
    Effect.map((directory) => placeAt({ filename: `${directory}/logs.db` })),
    Effect.tap(({ client }) => Effect.orDie(Effect.scoped(Layer.build(client))))
  )
}

/** One server for all tests of a file, once one asks for it. */
const scope = Effect.runSync(Scope.make())
let port: Promise<number> | undefined
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const postgres: Database = {
  name: "PostgreSQL",
  missing: Postgres.missing,
  fresh: Effect.map(
    Effect.promise(() => (port ??= Effect.runPromise(Scope.extend(Postgres.server, scope)))),
    (port) => placeAt({ port })
  )
}

export const databases: ReadonlyArray<Database> = [sqlite, postgres]
