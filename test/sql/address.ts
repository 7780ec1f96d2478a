import { PgClient } from "@effect/sql-pg"
import { SqliteClient } from "@effect/sql-sqlite-node"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Layer from "effect/Layer"

/** Where a database is, as another process can be told. */
export type Address = { readonly filename: string } | { readonly port: number }

export const client = (address: Address): Layer.Layer<SqlClient.SqlClient, unknown> =>
  "filename" in address
    ? SqliteClient.layer(address)
    : PgClient.layer({ ...address, host: "127.0.0.1", username: "postgres", database: "postgres", maxConnections: 4 })
