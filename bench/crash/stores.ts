// The stores of a run, with boundaries at which a process may end, and what lies in them as bytes.
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqliteClient } from "@effect/sql-sqlite-node"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { existsSync, readFileSync } from "node:fs"
import * as LogStore from "../../src/layers/LogStore.ts"
import { SqlLogStore } from "../../src/sql/index.ts"
import { type Kill, passing, type StoreName } from "./places.ts"

/** As short as it may be, since whoever comes after a death waits for it. */
const lease = "1 second"

export interface Address {
  readonly store: StoreName
  /** a folder of its own */
  readonly directory: string
}

const isLog = (path: string) => path.endsWith(".jsonl")

const fileWith = (file: FileSystem.File, path: string, kill: Kill | undefined): FileSystem.File => {
  const other = passing(kill, "at another call")
  const methods: Partial<FileSystem.File> = isLog(path)
    ? {
        writeAll: (bytes) =>
          passing(kill, "before a write").pipe(
            Effect.zipRight(
              passing(
                kill,
                "inside a write",
                // at least one byte, and not the last
                file.writeAll(
                  bytes.subarray(
                    0,
                    Math.min(Math.max(1, Math.floor(bytes.length * (kill?.share ?? 0))), bytes.length - 1)
                  )
                )
              )
            ),
            Effect.zipRight(file.writeAll(bytes))
          ),
        truncate: (length) => Effect.zipRight(other, file.truncate(length)),
        sync: Effect.zipRight(passing(kill, "before a sync"), Effect.zipLeft(file.sync, passing(kill, "after a sync")))
      }
    : {
        writeAll: (bytes) => Effect.zipRight(other, file.writeAll(bytes)),
        sync: Effect.zipRight(other, file.sync)
      }
  // the methods are on the prototype, some of them as getters; the place in a file is that of the file itself
  const seek: FileSystem.File["seek"] = (offset, from) => file.seek(offset, from)
  return Object.create(file, Object.getOwnPropertyDescriptors({ ...methods, seek })) as FileSystem.File
}

const fileSystem = (kill: Kill | undefined) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => {
      const other = passing(kill, "at another call")
      return {
        ...fs,
        open: (path, options) =>
          Effect.zipRight(
            other,
            Effect.map(fs.open(path, options), (file) => fileWith(file, path, kill))
          ),
        link: (from, to) => Effect.zipRight(other, fs.link(from, to)),
        remove: (path, options) => Effect.zipRight(other, fs.remove(path, options)),
        makeDirectory: (path, options) => Effect.zipRight(other, fs.makeDirectory(path, options))
      }
    })
  ).pipe(Layer.provide(NodeFileSystem.layer))

const connectionWith = (connection: Connection, kill: Kill | undefined): Connection => {
  const around = <A, E>(statement: Effect.Effect<A, E>) =>
    Effect.zipRight(passing(kill, "before a statement"), Effect.zipLeft(statement, passing(kill, "after a statement")))
  return {
    ...connection,
    execute: (...args) => around(connection.execute(...args)),
    executeRaw: (...args) => around(connection.executeRaw(...args)),
    executeValues: (...args) => around(connection.executeValues(...args)),
    executeUnprepared: (...args) => around(connection.executeUnprepared(...args))
  }
}

const client = ({ directory }: Address, kill: Kill | undefined) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      SqlClient.make({
        acquirer: Effect.map(sql.reserve, (connection) => connectionWith(connection, kill)),
        compiler: Statement.makeCompilerSqlite(),
        spanAttributes: []
      })
    )
  ).pipe(Layer.provide(SqliteClient.layer({ filename: `${directory}/logs.db` })), Layer.provide(Reactivity.layer))

/** A batch as it lies there, whole lines only: what a write that was cut left behind is none. */
export interface Batch {
  readonly seq: number
  readonly count: number
  readonly events: ReadonlyArray<unknown>
}

export interface Store {
  readonly log: typeof LogStore.LogStore.Service
  /** Read without the library. */
  readonly batches: (session: string) => Effect.Effect<ReadonlyArray<Batch>>
  /** As if the time of all leases were over: who holds one is dead. */
  readonly afterLeases: Effect.Effect<void>
}

const parsed = (line: string): Batch => JSON.parse(line) as Batch

const fileStore = ({ directory }: Address, kill: Kill | undefined): Effect.Effect<Store, never, Scope.Scope> =>
  Effect.map(Layer.build(Layer.provide(LogStore.layerFile({ directory }), fileSystem(kill))), (context) => ({
    log: Context.get(context, LogStore.LogStore),
    batches: (session) =>
      Effect.sync(() => {
        const path = `${directory}/${session}.jsonl`
        return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map(parsed) : []
      }),
    afterLeases: Effect.void
  }))

const sqlStore = (address: Address, kill: Kill | undefined): Effect.Effect<Store, unknown, Scope.Scope> =>
  Effect.map(Layer.build(Layer.provideMerge(SqlLogStore.layer({ lease }), client(address, kill))), (context) => {
    const sql = Context.get(context, SqlClient.SqlClient)
    return {
      log: Context.get(context, LogStore.LogStore),
      batches: (session) =>
        sql<{
          readonly line: string
        }>`SELECT line FROM effect_compaction_batches WHERE session = ${session} ORDER BY seq`.pipe(
          Effect.map((rows) => rows.map(({ line }) => parsed(line))),
          Effect.orDie
        ),
      afterLeases: Effect.orDie(Effect.asVoid(sql`UPDATE effect_compaction_writers SET expires = 1 WHERE expires <> 0`))
    }
  })

/** The store at that place, for this process. */
export const open = (address: Address, kill?: Kill): Effect.Effect<Store, unknown, Scope.Scope> =>
  address.store === "file" ? fileStore(address, kill) : sqlStore(address, kill)
