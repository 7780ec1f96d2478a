/**
 * What a simulation tells of each policy, and of all of them, in figures and words: the same for a terminal and for a page.
 *
 * @since 0.1.0
 */
import { whole } from "../say.ts"
import type { Report, VariantReport } from "./report.ts"

const share = (part: number, whole: number) => (whole === 0 ? "0 %" : `${Math.round((100 * part) / whole)} %`)

/** Enough digits to tell two policies apart, whatever the currency. */
const money = (amount: number) => (amount >= 100 ? whole(amount) : amount.toPrecision(3))

/**
 * @since 0.1.0
 * @category models
 */
export type Column = readonly [name: string, cell: (variant: VariantReport, report: Report) => string]

const columns: ReadonlyArray<Column> = [
  ["answered", ({ answered, recorded }) => `${answered}/${recorded}`],
  ["sent", ({ tokensSent }) => whole(tokensSent)],
  ["of uncompacted", ({ tokensSent, tokensSentWithout }) => share(tokensSent, tokensSentWithout)],
  ["cached", ({ billed }) => share(billed.cachedTokens, billed.inputTokens)],
  ["prunes", ({ prunes }) => whole(prunes)],
  ["summaries", ({ summaries }) => whole(summaries)],
  ["summary tokens", ({ spend }) => whole(spend.inputTokens + spend.outputTokens)],
  ["overflows", ({ overflows }) => whole(overflows)],
  ["rescues", ({ rescues }) => whole(rescues)],
  ["peak", ({ peakPressure }, { window }) => share(peakPressure, window)]
]

const priced: Column = ["money", ({ money: amount }) => (amount === null ? "" : money(amount))]

/**
 * @since 0.1.0
 * @category getters
 */
export const columnsOf = ({ prices }: Report): ReadonlyArray<Column> =>
  prices === null ? columns : [...columns, priced]

/**
 * What the numbers say: the policy that answered the most, of these the one that costs least.
 *
 * Without prices an input token from the cache counts a tenth, and an output token five: about what most providers ask.
 *
 * @since 0.1.0
 * @category getters
 */
export const cheapest = ({ prices, variants }: Report): string => {
  if (variants.length < 2) return ""
  const costOf = ({ billed, money: amount, spend }: VariantReport) =>
    amount ??
    [billed, spend].reduce(
      (sum, { cachedTokens, inputTokens, outputTokens }) => sum + inputTokens - 0.9 * cachedTokens + 5 * outputTokens,
      0
    )
  const answered = Math.max(...variants.map((variant) => variant.answered))
  const complete = variants.filter((variant) => variant.answered === answered).toSorted((a, b) => costOf(a) - costOf(b))
  const [best, next] = complete
  if (best === undefined) return ""
  if (next === undefined) return `Only "${best.name}" answered ${whole(answered)} requests.`
  const by =
    prices === null ? "if cached input costs a tenth of input, and output five times as much" : "at these prices"
  const less = share(costOf(next) - costOf(best), costOf(next))
  return costOf(next) === costOf(best)
    ? `"${best.name}" and "${next.name}" cost the same, ${by}.`
    : `"${best.name}" costs least, ${by}: ${less} less than "${next.name}", the next.`
}
