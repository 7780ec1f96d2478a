/**
 * Inspects a session file.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Policy from "../../compaction/Policy.ts"
import { runEstimator } from "../../compaction/RunEstimator.ts"
import { BadInput } from "../exitCode.ts"
import * as Input from "../input.ts"
import { pageWriter } from "../writePage.ts"
import * as Html from "./html.ts"
import { inspect } from "./inspection.ts"
import * as Kept from "./kept.ts"
import type { Look } from "./lines.ts"
import { type Report, version } from "./report.ts"
import * as Source from "./source.ts"
import * as Table from "./table.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly file: string
  readonly format: string | undefined
  readonly window: string | undefined
  readonly policy: string | undefined
  readonly session: string | undefined
  readonly html: string | undefined
  readonly full: boolean
  readonly json: boolean
}

const one = (report: Report, id: string): Report | undefined => {
  const sessions = report.sessions.filter((session) => session.id === id)
  return sessions.length === 0 ? undefined : { ...report, sessions }
}

/**
 * The report, as data.
 *
 * @since 0.1.0
 * @category constructors
 */
export const report = Effect.fnUntraced(function* (given: Arguments) {
  const window = given.window === undefined ? undefined : yield* Input.tokenCount("--window", given.window)
  const policy = given.policy === undefined ? Policy.defaults : yield* Input.readPolicy(given.policy)
  const kept = Kept.make(runEstimator, { prune: policy.prune })
  const { format, sessions } = yield* Source.read(given.file, given.format, kept)
  const whole: Report = {
    version,
    file: given.file === "-" ? "standard input" : given.file,
    format,
    history: given.full ? "full" : "last-seen",
    estimator: runEstimator.id,
    sessions: sessions.map((session) => inspect(session, kept, { window, policy, full: given.full }))
  }
  if (given.session === undefined) return whole
  const chosen = one(whole, given.session)
  if (chosen !== undefined) return chosen
  const ids = whole.sessions.map(({ id }) => id)
  const shown = ids.length > 10 ? `${ids.slice(0, 10).join(", ")} and ${ids.length - 10} more` : ids.join(", ")
  return yield* new BadInput({ message: `${whole.file} has no session "${given.session}"; it has ${shown}` })
})

/** A pipe has no width: its lines are as wide as the usual terminal. */
const usualColumns = 100

const look = (): Look => ({
  columns: Math.max(20, process.stdout.columns ?? usualColumns),
  bold: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === ""
})

/**
 * The report as text: a table, or one JSON document.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* (given: Arguments) {
  const write = given.html === undefined ? undefined : yield* pageWriter(given.html, given.file)
  const found = yield* report(given)
  if (write !== undefined) yield* write((assets) => Html.render(found, assets))
  return given.json ? JSON.stringify(found, undefined, 2) : Table.render(found, look(), given.session)
})
