/**
 * The report for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import type { Figures } from "./figures.ts"
import type { Report, SessionReport } from "./report.ts"
import { whole } from "../say.ts"
import { style } from "../tableStyle.ts"

const share = (tokens: number, window: number) => `${whole(tokens)} (${Math.round((100 * tokens) / window)} %)`

const saved = ({ tokensSent, tokensSentWithout }: Figures) =>
  tokensSentWithout === 0 ? "" : ` (${Math.round(100 * (1 - tokensSent / tokensSentWithout))} % less)`

const rows = (report: Report): ReadonlyArray<readonly [string, string]> => [
  ["steps (requests of the conversation)", whole(report.steps)],
  ["requests (with summary calls)", whole(report.requests)],
  ["answered, of the recorded answers", `${whole(report.answered)} of ${whole(report.recorded)}`],
  ["tokens sent with compaction", `${whole(report.tokensSent)}${saved(report)}`],
  ["tokens sent without it", whole(report.tokensSentWithout)],
  ["prunes", whole(report.prunes)],
  ["summaries (landed)", whole(report.summaries)],
  ["overflows (refused requests)", whole(report.overflows)],
  ["rescues (went through afterwards)", whole(report.rescues)],
  ["retries (sent again by rescue)", whole(report.retries)],
  ["retries without progress", whole(report.retriesWithoutProgress)],
  ["retries that were not smaller", whole(report.retriesNotSmaller)],
  ["peak pressure, of the window", share(report.peakPressure, report.window)],
  ["final pressure, of the window", share(report.finalPressure, report.window)],
  ["generation (replacements landed)", whole(report.generation)],
  [
    "spend (summary calls)",
    `${whole(report.spend.calls)}: ${whole(report.spend.inputTokens)} tokens in, ${whole(report.spend.outputTokens)} out`
  ]
]

const sums = (report: Report): string => {
  const table = new Table({ style, colAligns: ["left", "right"] })
  table.push(...rows(report).map((row) => [...row]))
  return table.toString()
}

const columns: ReadonlyArray<readonly [string, (session: SessionReport, window: number) => string]> = [
  ["session", ({ session }) => (session.length > 32 ? `${session.slice(0, 31)}…` : session)],
  ["answered", ({ answered, recorded }) => `${answered}/${recorded}`],
  ["sent", ({ tokensSent }) => whole(tokensSent)],
  ["without", ({ tokensSentWithout }) => whole(tokensSentWithout)],
  ["prunes", ({ prunes }) => whole(prunes)],
  ["summaries", ({ summaries }) => whole(summaries)],
  ["overflows", ({ overflows }) => whole(overflows)],
  ["rescues", ({ rescues }) => whole(rescues)],
  ["peak", ({ peakPressure }, window) => `${Math.round((100 * peakPressure) / window)} %`],
  ["unfit", ({ unfit }) => (unfit.length === 0 ? "" : whole(unfit.length))]
]

const perSession = (report: Report): string => {
  const table = new Table({
    style,
    head: columns.map(([name]) => name),
    colAligns: columns.map((_, i) => (i === 0 ? "left" : "right"))
  })
  table.push(...report.sessions.map((session) => columns.map(([, cell]) => cell(session, report.window))))
  return table.toString()
}

const told = (report: Report) =>
  report.toldWindow === report.window ? "" : `, the adapter was told ${whole(report.toldWindow)}`

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report): string => {
  const many = report.sessions.length > 1
  const notes = report.sessions.flatMap((session) => session.notes.map((note) => `note: ${note}`))
  return [
    `${report.transcript} (${report.format}): ${report.sessions.length} session${many ? "s" : ""}, provider ${report.provider}, window ${whole(report.window)}${told(report)}`,
    ...(many ? [perSession(report)] : []),
    sums(report),
    ...report.unfit.map(
      ({ detail, session, skipped, tokens, turn, what, window }) =>
        `did not fit: ${session}${turn === null ? "" : `, turn ${turn + 1}`}: ${what}, ${whole(tokens)} tokens in a window of ${whole(window)} (${detail}); ${skipped} recorded answer${skipped === 1 ? " was" : "s were"} skipped`
    ),
    ...(many && notes.length > 0
      ? [`${notes.length} notes on how the recordings were read are in the sessions of the report: see --json`]
      : notes),
    report.replayVerified
      ? "replay verified: read back from the files, the logs fold to the same messages, generation and prices"
      : "REPLAY NOT VERIFIED: read back from the files, a log folds to something else",
    `logs: ${report.directory}`
  ].join("\n")
}
