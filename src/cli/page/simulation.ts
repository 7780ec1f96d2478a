/**
 * The page's view of a simulation.
 *
 * @since 0.1.0
 */
import { whole } from "../say.ts"
import { cheapest, columnsOf } from "../simulate/figures.ts"
import type { Report } from "../simulate/report.ts"
import { type Child, element, section, table } from "./dom.ts"
import { behind, figure, legend, swatch } from "./figure.ts"
import * as Charts from "./simulationCharts.ts"

const inShort = (report: Report): HTMLElement => {
  const found = cheapest(report)
  const told = report.toldWindow === report.window ? "" : `, and the adapter was told ${whole(report.toldWindow)}`
  return section(
    "in-short",
    "In short",
    ...(found === "" ? [] : [element("p", { class: "advice" }, found)]),
    element("p", {}, `The provider's window was ${whole(report.window)} tokens${told}.`),
    ...report.variants.flatMap(({ name, unfit }) =>
      unfit.length === 0
        ? []
        : [
            element(
              "p",
              { class: "advice" },
              `${name}: ${unfit.length} turns did not fit; the first: ${unfit[0]!.detail}.`
            )
          ]
    ),
    ...report.notes.map((note) => element("p", {}, `Note: ${note}.`))
  )
}

const comparison = (report: Report): HTMLElement =>
  section(
    "policies",
    "The policies",
    table(
      "What each policy came to",
      [
        { name: "policy", words: "long", cell: ({ name }) => name },
        ...columnsOf(report).map(([name, cell]) => ({
          name,
          cell: (variant: Report["variants"][number]) => cell(variant, report)
        }))
      ],
      report.variants
    ),
    figure(
      "totals-chart",
      Charts.totalsLabel(report),
      (width) => Charts.totals(report, width),
      legend(...Charts.shares.map(([, name, colour]) => swatch(`bar ${colour}`, name)))
    ),
    behind(
      "The settings of each policy",
      element(
        "dl",
        {},
        ...report.variants.map(({ name, settings }) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, JSON.stringify(settings)))
        )
      )
    )
  )

const requests = (report: Report, session: number): HTMLElement =>
  figure(
    "requests-chart",
    Charts.requestsLabel(report, session),
    (width) => Charts.requests(report, session, width),
    legend(
      swatch("line estimate", "tokens of the request, as the provider counted it"),
      swatch("line window", `window, ${whole(report.window)}`),
      swatch("ring window", "refused as too long")
    )
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const view = (report: Report): ReadonlyArray<Child> => {
  const sessions = report.variants[0]?.sessions ?? []
  const shown = element("div", {}, requests(report, 0))
  const select = element(
    "select",
    { id: "choose" },
    ...sessions.map(({ session }, i) => element("option", { value: String(i) }, session))
  )
  select.addEventListener("change", () => shown.replaceChildren(requests(report, Number(select.value))))
  return [
    inShort(report),
    comparison(report),
    section(
      "requests",
      "Request by request",
      sessions.length < 2
        ? null
        : element("p", { class: "choose" }, element("label", { for: "choose" }, "Session"), " ", select),
      shown
    )
  ]
}
