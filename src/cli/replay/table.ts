/**
 * The report for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import type { Figures } from "./figures.ts"
import type { Report, SessionReport } from "./report.ts"

const say = (value: number) => Math.round(value).toLocaleString("en-US")

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const style = { head: [], border: [], compact: true }

const share = (tokens: number, window: number) => `${say(tokens)} (${Math.round((100 * tokens) / window)} %)`

const saved = ({ tokensSent, tokensSentWithout }: Figures) =>
  tokensSentWithout === 0 ? "" : ` (${Math.round(100 * (1 - tokensSent / tokensSentWithout))} % less)`

const rows = (report: Report): ReadonlyArray<readonly [string, string]> => [
  ["steps (requests of the conversation)", say(report.steps)],
  ["requests (with summary calls)", say(report.requests)],
  ["answered, of the recorded answers", `${say(report.answered)} of ${say(report.recorded)}`],
  ["tokens sent with compaction", `${say(report.tokensSent)}${saved(report)}`],
  ["tokens sent without it", say(report.tokensSentWithout)],
  ["prunes", say(report.prunes)],
  ["summaries (landed)", say(report.summaries)],
  ["overflows (refused requests)", say(report.overflows)],
  ["rescues (went through afterwards)", say(report.rescues)],
  ["retries (sent again by rescue)", say(report.retries)],
  ["retries without progress", say(report.retriesWithoutProgress)],
  ["retries that were not smaller", say(report.retriesNotSmaller)],
  ["peak pressure before a compaction, of the window", share(report.peakPressure, report.window)],
  ["final pressure, of the window", share(report.finalPressure, report.window)],
  ["generation (replacements landed)", say(report.generation)],
  [
    "spend (summary calls)",
    `${say(report.spend.calls)}: ${say(report.spend.inputTokens)} tokens in, ${say(report.spend.outputTokens)} out`
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
  ["sent", ({ tokensSent }) => say(tokensSent)],
  ["without", ({ tokensSentWithout }) => say(tokensSentWithout)],
  ["prunes", ({ prunes }) => say(prunes)],
  ["summaries", ({ summaries }) => say(summaries)],
  ["overflows", ({ overflows }) => say(overflows)],
  ["rescues", ({ rescues }) => say(rescues)],
  ["peak", ({ peakPressure }, window) => `${Math.round((100 * peakPressure) / window)} %`],
  ["unfit", ({ unfit }) => (unfit.length === 0 ? "" : say(unfit.length))]
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
  report.toldWindow === report.window ? "" : `, the adapter was told ${say(report.toldWindow)}`

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report): string => {
  const many = report.sessions.length > 1
  const notes = report.sessions.flatMap((session) => session.notes.map((note) => `note: ${note}`))
  return [
    `${report.transcript} (${report.format}): ${report.sessions.length} session${many ? "s" : ""}, provider ${report.provider}, window ${say(report.window)}${told(report)}`,
    ...(many ? [perSession(report)] : []),
    sums(report),
    ...report.unfit.map(
      ({ detail, session, skipped, tokens, turn, what, window }) =>
        `did not fit: ${session}${turn === null ? "" : `, turn ${turn + 1}`}: ${what}, ${say(tokens)} tokens in a window of ${say(window)} (${detail}); ${skipped} recorded answer${skipped === 1 ? " was" : "s were"} skipped`
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
