/**
 * Finds both stores, copies the sessions, and says what became of each.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { LogStore } from "../../services/LogStore.ts"
import { isPrefix } from "../../sql/sqlDatabase.ts"
import * as Database from "./database.ts"
import * as Files from "./files.ts"
import { copySession, type Outcome } from "./session.ts"
import type { Source } from "./source.ts"
import * as Driver from "./driver.ts"
import { BadInput, RunFailed } from "../exitCode.ts"
import { logTo } from "../logTo.ts"
import { sameFile } from "../output.ts"
import * as Progress from "../progress.ts"
import { whole } from "../say.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly from: string
  readonly to: string
  readonly session: string | undefined
  readonly whileOpen: boolean
  readonly tablePrefix: string | undefined
  readonly json: boolean
}

const bad = (message: string) => new BadInput({ message })

const addressOf = (place: string): Effect.Effect<Driver.Address | undefined, BadInput> => {
  if (place.startsWith("sqlite:")) {
    const file = place.slice("sqlite:".length).replace(/^\/\/(?=\/)/u, "")
    return file === ""
      ? bad("sqlite: needs a file, as in sqlite:sessions.db")
      : Effect.succeed({ _tag: "Sqlite", shown: place, file })
  }
  if (!/^postgres(?:ql)?:/u.test(place)) return Effect.succeed(undefined)
  return Effect.try({
    try: (): Driver.Address => {
      const url = new URL(place)
      url.password = ""
      // a driver takes more than this from the address, secrets too
      url.search = ""
      return { _tag: "Postgres", shown: url.href, url: place }
    },
    catch: () => bad("the address of the PostgreSQL database is no URL: postgres://user@host:5432/database")
  })
}

const kindOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.option(fs.stat(path))
  return Option.isNone(found) ? "absent" : found.value.type === "Directory" ? "folder" : "file"
})

const sourceAt = Effect.fnUntraced(function* (
  place: string,
  tablePrefix: string
): Effect.fn.Return<Source, BadInput, FileSystem.FileSystem | Scope.Scope> {
  const address = yield* addressOf(place)
  const kind = yield* kindOf(address?._tag === "Sqlite" ? address.file : place)
  if (address === undefined) {
    if (kind === "absent") return yield* bad(`cannot read the logs ${place}: there is no such file or folder`)
    return yield* kind === "folder" ? Files.sourceFolder(place) : Files.sourceFile(place)
  }
  if (address._tag === "Sqlite" && kind !== "file") {
    return yield* bad(`cannot read ${place}: there is no such file`)
  }
  const client = yield* Driver.connect(address, { readOnly: true })
  return yield* Database.source({ shown: address.shown, client, tablePrefix })
})

const targetAt = Effect.fnUntraced(function* (
  place: string,
  tablePrefix: string
): Effect.fn.Return<
  { readonly shown: string; readonly store: LogStore["Type"]; readonly one: boolean },
  BadInput,
  FileSystem.FileSystem | Scope.Scope
> {
  const address = yield* addressOf(place)
  if (address !== undefined) {
    const client = yield* Driver.connect(address, { readOnly: false })
    const { shown } = address
    return { shown, store: yield* Database.target({ shown, client, tablePrefix }), one: false }
  }
  const kind = yield* kindOf(place)
  if (kind === "folder" || (kind === "absent" && !place.endsWith(".jsonl"))) {
    return { shown: place, store: yield* Files.targetFolder(place), one: false }
  }
  if (!place.endsWith(".jsonl")) return yield* bad(`${place} is a file and no log: a log's name ends with .jsonl`)
  return { shown: place, store: yield* Files.targetFile(place), one: true }
})

const count = (value: number, what: string): string => `${whole(value)} ${what}${value === 1 ? "" : "s"}`

const lineOf = (session: string, outcome: Outcome): string => {
  if ("reason" in outcome) return `session "${session}": not copied: ${outcome.reason}`
  const { batches, bytes, events, generation, messages, tokens, whileOpen, written } = outcome
  const did = {
    copied: `copied ${count(events, "event")}`,
    continued: `its beginning was there; went on with ${whole(written)} of ${count(events, "event")}`,
    same: `there already: ${count(events, "event")}`
  }[outcome.outcome]
  const figures = `${count(batches, "batch").replace(/batchs$/u, "batches")}, ${count(bytes, "byte")}; generation ${generation}, ${count(messages, "message")}, ${count(tokens, "token")}`
  return `session "${session}": ${did} in ${figures}; the same at both ends${whileOpen ? " (it is open, and may have gone on)" : ""}`
}

/** What people see while a log is written. */
const progressOf = (session: string) => (events: number) => {
  const progress = Progress.make(process.stderr, events, "events")
  progress.line(`copying session "${session}": ${count(events, "event")}`)
  progress.session(session)
  return { written: (more: number) => progress.answered(more), done: () => progress.stop() }
}

/**
 * What became of each session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly from: string
  readonly to: string
  readonly sessions: ReadonlyArray<{ readonly session: string } & Outcome>
}

/**
 * Copies, and says of each session what became of it. It fails only where a store cannot be used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const copy: (given: Omit<Arguments, "json">) => Effect.Effect<Report, BadInput, FileSystem.FileSystem> =
  Effect.fnUntraced(
    function* (given) {
      const { from, session, tablePrefix = "effect_compaction_", to, whileOpen } = given
      if (!isPrefix(tablePrefix)) {
        return yield* bad(`--table-prefix takes 1 to 40 characters of a-z, 0-9 and _ that begin with no digit`)
      }
      // by another path it would be another lock, and a writer of the source could not keep the copy out
      if (from === to || (yield* sameFile(from, to)))
        return yield* bad(`${from} is both the source and the destination`)
      // the source first: where there is nothing to copy, no destination is made
      const source = yield* sourceAt(from, tablePrefix)
      const { logs, unusable } = yield* source.logs(session)
      if (logs.length + unusable.length === 0) {
        return yield* bad(`there is no session${session === undefined ? "" : ` "${session}"`} in ${source.shown}`)
      }
      const target = yield* targetAt(to, tablePrefix)
      if (target.one && logs.length > 1) {
        return yield* bad(
          `${to} is one log, and ${source.shown} has ${logs.length} sessions: choose one with --session`
        )
      }
      const sessions: Array<{ readonly session: string } & Outcome> = unusable.map((one) => ({
        ...one,
        outcome: "refused"
      }))
      for (const log of logs) {
        const progress = progressOf(log.session)
        const outcome = yield* copySession({ source: log, target: target.store, whileOpen, progress })
        sessions.push({ session: log.session, ...outcome })
      }
      return { from: source.shown, to: target.shown, sessions }
    },
    Effect.scoped,
    Effect.provide(logTo((line) => void process.stderr.write(`${line}\n`)))
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* ({ json, ...given }: Arguments) {
  const report = yield* copy(given)
  const { from, sessions, to } = report
  const text = json
    ? JSON.stringify(report)
    : sessions.map(({ session, ...outcome }) => lineOf(session, outcome)).join("\n")
  // past the console, which tidies up what the parser prints
  yield* Effect.sync(() => process.stdout.write(`${text}\n`))
  const left = sessions.filter((session) => "reason" in session).length
  if (left > 0) {
    return yield* new RunFailed({
      message: `${left} of ${count(sessions.length, "session")} from ${from} to ${to} ${left === 1 ? "was" : "were"} not copied`
    })
  }
})
