import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogStore from "../../src/layers/LogStore.ts"
import { SqlLogStore } from "../../src/sql/index.ts"
import type { Database, Place } from "./databases.ts"

/** Another client of the database, with a store over it. */
export const connect = ({ client, tablePrefix }: Place, options: SqlLogStore.Options = {}) =>
  Effect.map(Layer.build(Layer.provideMerge(SqlLogStore.layer({ tablePrefix, ...options }), client)), (context) => {
    const sql = Context.get(context, SqlClient.SqlClient)
    return {
      context,
      sql,
      store: Context.get(context, LogStore.LogStore),
      batches: sql(`${tablePrefix}batches`),
      writers: sql(`${tablePrefix}writers`)
    }
  })

export type Connection = Effect.Effect.Success<ReturnType<typeof connect>>

/** A fresh place, and a connection to it. */
export const start = ({ fresh }: Database, options?: SqlLogStore.Options) =>
  Effect.flatMap(fresh, (place) => Effect.map(connect(place, options), (connection) => ({ place, ...connection })))

/** As if so much time had passed since anybody renewed a lease that all have run out. */
export const runOut = ({ sql, writers }: Connection) => sql`UPDATE ${writers} SET expires = 1 WHERE expires <> 0`
