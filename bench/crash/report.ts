// What a run found, and how it is told.
import Table from "cli-table3"
import type { Settled } from "./judge.ts"
import type { Place, StoreName } from "./places.ts"

export interface Report {
  readonly store: StoreName
  readonly kills: Map<Place, number>
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
  ["LOST acknowledged events", (report) => report.lost],
  ["batches there in part", (report) => report.partial],
  ["sessions that could not be reopened", (report) => report.unopened],
  ["violations of all kinds", (report) => report.violations.length]
]

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const style = { head: [], border: [], compact: true }

export const tableOf = (reports: ReadonlyArray<Report>): string => {
  const table = new Table({ head: ["", ...reports.map(({ store }) => store)], style })
  const line = (name: string, figure: (report: Report) => number) =>
    table.push([
      name,
      ...reports.map((report) => ({ content: figure(report).toLocaleString("en-US"), hAlign: "right" as const }))
    ])
  const places = new Set(reports.flatMap(({ kills }) => [...kills.keys()]))
  for (const place of places) line(`kills ${place}`, ({ kills }) => kills.get(place) ?? 0)
  line("kills", ({ kills }) => [...kills.values()].reduce((sum, count) => sum + count, 0))
  for (const [name, figure] of rows) line(name, figure)
  return table.toString()
}
