/**
 * The report of a simulation for people.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import type { Report, VariantReport } from "./simulateReport.ts"

const say = (value: number) => Math.round(value).toLocaleString("en-US")

const share = (part: number, whole: number) => (whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`)

/** Enough digits to tell two policies apart, whatever the currency. */
const money = (amount: number) => (amount >= 100 ? say(amount) : amount.toPrecision(3))

type Column = readonly [name: string, cell: (variant: VariantReport, report: Report) => string]

const columns: ReadonlyArray<Column> = [
  ["answered", ({ answered, recorded }) => `${answered}/${recorded}`],
  ["sent", ({ tokensSent }) => say(tokensSent)],
  ["of uncompacted", ({ tokensSent, tokensSentWithout }) => share(tokensSent, tokensSentWithout)],
  ["cached", ({ billed }) => share(billed.cachedTokens, billed.inputTokens)],
  ["prunes", ({ prunes }) => say(prunes)],
  ["summaries", ({ summaries }) => say(summaries)],
  ["summary tokens", ({ spend }) => say(spend.inputTokens + spend.outputTokens)],
  ["overflows", ({ overflows }) => say(overflows)],
  ["rescues", ({ rescues }) => say(rescues)],
  ["peak", ({ peakPressure }, { window }) => share(peakPressure, window)]
]

const priced: Column = ["money", ({ money: amount }) => (amount === null ? "" : money(amount))]

/** No colours: the table goes to files and pipes as it goes to a terminal. */
const style = { head: [], border: [], compact: true }

const grid = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const table = new Table({ style, head: [...head], colAligns: head.map((_, i) => (i === 0 ? "left" : "right")) })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}

const widthOf = (text: string) => Math.max(...text.split("\n").map((line) => line.length))

/** Where a line for each policy is too wide, a table for each. */
const tables = (report: Report, width: number): string => {
  const shown = report.prices === null ? columns : [...columns, priced]
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

/**
 * What the numbers say: the policy that answered the most, of these the one that costs least.
 *
 * Without prices an input token from the cache counts a tenth, and an output token five: about what most providers ask.
 */
const cheapest = ({ prices, variants }: Report): string => {
  if (variants.length < 2) return ""
  const costOf = ({ billed, money: amount, spend }: VariantReport) =>
    amount ??
    [billed, spend].reduce(
      (sum, { cachedTokens, inputTokens, outputTokens }) => sum + inputTokens - 0.9 * cachedTokens + 5 * outputTokens,
      0
    )
  const answered = Math.max(...variants.map((variant) => variant.answered))
  const whole = variants.filter((variant) => variant.answered === answered).toSorted((a, b) => costOf(a) - costOf(b))
  const [best, next] = whole
  if (best === undefined) return ""
  if (next === undefined) return `Only "${best.name}" answered ${say(answered)} requests.`
  const by =
    prices === null ? "if cached input costs a tenth of input, and output five times as much" : "at these prices"
  const less = share(costOf(next) - costOf(best), costOf(next))
  return costOf(next) === costOf(best)
    ? `"${best.name}" and "${next.name}" cost the same, ${by}.`
    : `"${best.name}" costs least, ${by}: ${less} less than "${next.name}", the next.`
}

const told = ({ toldWindow, window }: Report) =>
  toldWindow === window ? "" : `, the adapter was told ${say(toldWindow)}`

/**
 * `width` is how many characters a line of the terminal has.
 *
 * @since 0.1.0
 * @category conversions
 */
export const render = (report: Report, width: number): string =>
  [
    `${report.transcript} (${report.format}), window ${say(report.window)}${told(report)}, simulated provider`,
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
