/**
 * `effect-compaction copy`: sessions from one store into another.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { textOption } from "./textOption.ts"

const places =
  "A folder of logs, one log file (.jsonl), sqlite:FILE, or postgres://user@host/database (the password in the address or in PGPASSWORD). A database needs its driver, which you install: @effect/sql-sqlite-node or @effect/sql-pg."

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "copy",
  {
    from: Args.text({ name: "from" }).pipe(
      Args.withDescription(`The store to copy from, which is only read. ${places}`)
    ),
    to: Args.text({ name: "to" }).pipe(
      Args.withDescription(
        "The store to copy to, of the same kinds. A folder, a file or a SQLite database is made if it is not there, and so are the tables."
      )
    ),
    session: textOption("session", "id", "Copy this session only. Default: all that the store holds."),
    whileOpen: Options.boolean("while-open").pipe(
      Options.withDescription(
        "Copy sessions that somebody has open too, up to the last whole batch that is written when it is read. Without it they are refused, with who has them."
      )
    ),
    tablePrefix: textOption(
      "table-prefix",
      "prefix",
      "What the names of a database's tables begin with. Default: effect_compaction_"
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print the report as one JSON document on stdout. Progress stays on stderr.")
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./copy/run.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    "Copies sessions between stores, batch by batch as they are written. Before a session is told as copied both ends are opened and folded, and their events, surface, generation, prices and records compared. A session that is there already is never overwritten: if it is the beginning of the one to copy, the copy goes on behind it, so the same command again takes up one that was killed. Until then the destination holds that beginning: do not work in it."
  )
)
