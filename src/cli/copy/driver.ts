/**
 * Loads the driver of a database. It is the user's, since it has parts that are compiled for a machine: it is looked for
 * where this command is installed, and then where it is run.
 *
 * @since 0.1.0
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Context from "effect/Context"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { BadInput } from "../exitCode.ts"

/**
 * Where a database is. `shown` is how it is told to people, without a password.
 *
 * @since 0.1.0
 * @category models
 */
export type Address =
  | { readonly _tag: "Sqlite"; readonly shown: string; readonly file: string }
  | { readonly _tag: "Postgres"; readonly shown: string; readonly url: string }

const drivers = {
  Sqlite: { name: "@effect/sql-sqlite-node", module: "SqliteClient" },
  Postgres: { name: "@effect/sql-pg", module: "PgClient" }
} as const

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isMissing = (error: unknown): boolean =>
  ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(String((error as { code?: unknown } | undefined)?.code))

/** The specifier is no literal, so that the bundle leaves it for when it is asked for. */
const load = (specifier: string): Promise<unknown> => import(specifier)

const loadFrom = async (specifier: string): Promise<unknown> => {
  try {
    return await load(specifier)
  } catch (error) {
    if (!isMissing(error)) throw error
    return load(pathToFileURL(createRequire(join(process.cwd(), "package.json")).resolve(specifier)).href)
  }
}

const client = (
  address: Address,
  readOnly: boolean
): Effect.Effect<Layer.Layer<SqlClient.SqlClient, unknown>, BadInput> => {
  const { module, name } = drivers[address._tag]
  return Effect.tryPromise({
    try: () => loadFrom(`${name}/${module}`),
    catch: (error) =>
      new BadInput({
        message: isMissing(error)
          ? `${address.shown} needs a driver that is not installed: npm install ${name}`
          : `the driver of ${address.shown} does not load here (${name}): ${message(error)}`
      })
  }).pipe(
    Effect.map((loaded) => {
      const { layer } = loaded as { readonly layer: (config: object) => Layer.Layer<SqlClient.SqlClient, unknown> }
      return address._tag === "Sqlite"
        ? layer({ filename: address.file, readonly: readOnly, disableWAL: readOnly })
        : layer({ url: Redacted.make(address.url), maxConnections: 4 })
    })
  )
}

/** The innermost cause says what happened; what stands around it are the driver's names for where. */
const reason = (error: unknown): string => {
  const { cause } = (error ?? {}) as { readonly cause?: unknown }
  return (cause === undefined || cause === null ? undefined : reason(cause)) || message(error)
}

/**
 * A client of the database, for as long as the scope is open. A SQLite file that is only read is left as it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect: (
  address: Address,
  options: { readonly readOnly: boolean }
) => Effect.Effect<Context.Context<SqlClient.SqlClient>, BadInput, Scope.Scope> = Effect.fnUntraced(function* (
  address,
  { readOnly }
) {
  const layer = yield* client(address, readOnly)
  const built = yield* Effect.exit(Layer.build(layer))
  if (Exit.isSuccess(built)) return built.value
  return yield* new BadInput({
    message: `${address.shown} cannot be opened: ${reason(Cause.squash(built.cause))}`
  })
})
