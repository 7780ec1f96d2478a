// What a run found, and how it is told.
import Table from "cli-table3"
import type { Settled } from "./judge.ts"
import { anyMoment, type Place, type StoreName } from "./places.ts"

/** How often a process died at such a place, up to which of the boundaries of a life, and whether these are all. */
export interface Kills {
  readonly times: number
  readonly upTo: number
  readonly all: boolean
}

export const noKills: Kills = { times: 0, upTo: 0, all: false }

export interface Report {
  readonly store: StoreName
  readonly kills: Map<Place, Kills>
  /** events that were acknowledged, and turns that ended */
  acknowledged: number
  turns: number
  /** sessions that had all their turns */
  sessions: number
  /** acknowledged events that were not there as they were */
  lost: number
  /** batches of which a part was there */
  partial: number
  /** openings that failed */
  unopened: number
  readonly settled: { -readonly [key in keyof Settled]: number }
  /** summaries that landed, and those among them that a dead writer had paid for */
  summaries: number
  reused: number
  paidTwice: number
  /** milliseconds from a death until a session of it was open again, where that was not hurried */
  longestWait: number
  readonly violations: Array<string>
}

export const emptyReport = (store: StoreName): Report => ({
  store,
  kills: new Map(),
  acknowledged: 0,
  turns: 0,
  sessions: 0,
  lost: 0,
  partial: 0,
  unopened: 0,
  settled: { turns: 0, steps: 0, compactions: 0 },
  summaries: 0,
  reused: 0,
  paidTwice: 0,
  longestWait: 0,
  violations: []
})

const rows: ReadonlyArray<readonly [string, (report: Report) => number]> = [
  ["acknowledged events", (report) => report.acknowledged],
  ["turns that ended", (report) => report.turns],
  ["sessions that had all their turns", (report) => report.sessions],
  ["turns settled on opening", (report) => report.settled.turns],
  ["steps settled on opening", (report) => report.settled.steps],
  ["compactions settled on opening", (report) => report.settled.compactions],
  ["summaries that landed", (report) => report.summaries],
  ["of these paid for by a dead writer", (report) => report.reused],
  ["summaries paid for twice", (report) => report.paidTwice],
  ["longest wait for a session, ms", (report) => Math.round(report.longestWait)],
  ["LOST acknowledged events", (report) => report.lost],
  ["batches there in part", (report) => report.partial],
  ["sessions that could not be reopened", (report) => report.unopened],
  ["violations of all kinds", (report) => report.violations.length]
]

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const style = { head: [], border: [], compact: true }

const killsAt = (place: Place, kills = noKills): string => {
  const { all, times, upTo } = kills
  if (times === 0) return ""
  if (place === anyMoment) return String(times)
  return `${times} (${all ? "each one" : `the first ${upTo}`} of a life)`
}

export const tableOf = (reports: ReadonlyArray<Report>): string => {
  const table = new Table({ head: ["", ...reports.map(({ store }) => store)], style })
  const line = (name: string, cell: (report: Report) => string) =>
    table.push([name, ...reports.map((report) => ({ content: cell(report), hAlign: "right" as const }))])
  const say = (value: number) => value.toLocaleString("en-US")
  const places = new Set(reports.flatMap(({ kills }) => [...kills.keys()]))
  for (const place of places) line(`kills ${place}`, ({ kills }) => killsAt(place, kills.get(place)))
  line("kills", ({ kills }) => say([...kills.values()].reduce((sum, { times }) => sum + times, 0)))
  for (const [name, figure] of rows) line(name, (report) => say(figure(report)))
  return table.toString()
}
