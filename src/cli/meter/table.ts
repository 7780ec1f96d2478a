/**
 * The meter's report for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import type { Figures, Merit, Report } from "./report.ts"
import { settled } from "./report.ts"
import { whole } from "../say.ts"
import { style } from "../tableStyle.ts"

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`

const routeName = (route: string | null): string => route ?? "(the file does not say)"

const meritCells = (merit: Merit | undefined): ReadonlyArray<string> =>
  merit === undefined
    ? ["0", "", "", "", ""]
    : [
        whole(merit.rows),
        whole(merit.growth),
        merit.meter.toFixed(3),
        merit.same.toFixed(3),
        merit.plusOutput.toFixed(3)
      ]

const meritTable = (
  name: string,
  lines: ReadonlyArray<{ readonly name: string; readonly merit: Merit | undefined }>
): string => {
  const table = new Table({
    style,
    head: [name, "rows", "growth", "meter", "same", "plus output"],
    colAligns: ["left", "right", "right", "right", "right", "right"]
  })
  table.push(...lines.map((line) => [line.name, ...meritCells(line.merit)]))
  return table.toString()
}

const errorTable = (groups: ReadonlyArray<Figures & { readonly route: string | null }>): string => {
  const table = new Table({
    style,
    head: ["route", "reports before", "rows", "mean", "p95", "worst under", "upper missed", "slack"],
    colAligns: ["left", "left", "right", "right", "right", "right", "right", "right"]
  })
  for (const group of groups) {
    for (const errors of group.errors) {
      const { mean, p95, reports, rows, upperMissed, upperSlack, worstUnder } = errors
      table.push([
        routeName(group.route),
        reports,
        whole(rows),
        percent(mean),
        percent(p95),
        percent(worstUnder),
        whole(upperMissed),
        percent(upperSlack)
      ])
    }
  }
  return table.toString()
}

const reasons: Readonly<Record<string, string>> = {
  "first-count": "the first count, of a session whose system prompt or tools are not in the file",
  "other-model": "another model counted before",
  compacted: "the tool compacted since the count before",
  fell: "the count fell by a tenth or more without a word in the file: text was dropped",
  invented: "the count is far below what the file shows was sent: it is invented",
  relay: "a relay counted, not the provider",
  "no-model": "the file does not say which model answered"
}

const apartLines = (report: Report): ReadonlyArray<string> =>
  report.files.flatMap(({ apart, file, meritApart, route }) =>
    Object.entries(apart).map(([reason, count]) => {
      const merit = meritApart[reason]
      const figure =
        merit === undefined
          ? ""
          : ` (meter ${merit.meter.toFixed(3)}, same ${merit.same.toFixed(3)}, plus output ${merit.plusOutput.toFixed(3)})`
      return `apart: ${file}, ${routeName(route)}: ${count}, ${reasons[reason] ?? reason}${figure}`
    })
  )

/**
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report): string => {
  if (report.sessions.every(({ rows }) => rows.length === 0)) {
    return "no file holds what a provider counted, so there is nothing to hold the meter against"
  }
  const merits = <G extends Figures>(groups: ReadonlyArray<G>, name: (group: G) => string) =>
    groups.flatMap((group) => (group.merit === undefined ? [] : [{ name: name(group), merit: group.merit }]))
  const routes = merits(report.routes, ({ route }) => routeName(route))
  const files = merits(report.files, ({ file, route }) => `${file}\n${routeName(route)}`)
  const comparable = report.routes.filter(({ errors }) => errors.length > 0)
  return [
    ...(routes.length === 0
      ? [`no request that can be compared came after ${settled} reports, so there is no sum of errors over growth`]
      : [
          `sum of errors over sum of growth, after ${settled} reports (estimator ${report.estimator}):`,
          meritTable("route", routes),
          meritTable("file and route", files)
        ]),
    ...(comparable.length === 0
      ? ["no request can be compared with what was predicted for it; why is said below"]
      : ["errors as shares of the counted input, by number of reports seen before:", errorTable(comparable)]),
    ...apartLines(report)
  ].join("\n")
}
