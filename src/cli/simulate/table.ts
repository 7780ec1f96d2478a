/**
 * The report of a simulation for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import { whole } from "../say.ts"
import { cheapest, columnsOf } from "./figures.ts"
import type { Report } from "./report.ts"
import { style } from "../tableStyle.ts"

const grid = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const table = new Table({ style, head: [...head], colAligns: head.map((_, i) => (i === 0 ? "left" : "right")) })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}

const widthOf = (text: string) => Math.max(...text.split("\n").map((line) => line.length))

/** Where a line for each policy is too wide, a table for each. */
const tables = (report: Report, width: number): string => {
  const shown = columnsOf(report)
  const rows = report.variants.map((variant) => [variant.name, ...shown.map(([, cell]) => cell(variant, report))])
  const wide = grid(["policy", ...shown.map(([name]) => name)], rows)
  if (widthOf(wide) <= width) return wide
  return rows
    .map(([name = "", ...cells]) =>
      grid(
        [name, ""],
        cells.map((cell, i) => [shown[i]?.[0] ?? "", cell])
      )
    ) // prettier-ignore
    .join("\n")
}

const told = ({ toldWindow, window }: Report) =>
  toldWindow === window ? "" : `, the adapter was told ${whole(toldWindow)}`

/**
 * `width` is how many characters a line of the terminal has.
 *
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report, width: number): string =>
  [
    `${report.transcript} (${report.format}), window ${whole(report.window)}${told(report)}, simulated provider`,
    tables(report, width),
    cheapest(report),
    ...report.variants.flatMap(({ name, unfit }) =>
      unfit.length === 0
        ? []
        : [
            `"${name}": ${unfit.length} turn${unfit.length === 1 ? "" : "s"} did not fit, the first because ${unfit[0]?.detail}`
          ]
    ),
    ...report.notes.map((note) => `note: ${note}`)
  ]
    .filter((line) => line !== "")
    .join("\n")
