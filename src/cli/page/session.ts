/**
 * The page's view of one session.
 *
 * @since 0.1.0
 */
import { partNames } from "../inspect/parts.ts"
import type { Run, SessionReport } from "../inspect/report.ts"
import { percent, whole } from "../say.ts"
import * as Charts from "./charts.ts"
import { checkpoints } from "./checkpoints.ts"
import { type Child, type Column, element, section, table } from "./dom.ts"
import { behind, figure, legend, swatch } from "./figure.ts"
import { heavyTable, partTable } from "./tables.ts"
import { stretches } from "./thin.ts"

const inShort = (session: SessionReport): HTMLElement => {
  const facts: ReadonlyArray<readonly [string, string]> = [
    [
      "Next request",
      `${whole(session.tokens)} tokens, ${percent(session.tokens / session.window.tokens)} of the window`
    ],
    ["Window", `${whole(session.window.tokens)} tokens (${session.window.why})`],
    ["Model", session.route ?? "the file does not say"],
    [
      "Session",
      `${whole(session.messages)} messages, ${whole(session.steps.place.length)} requests, ${whole(session.said)} tokens said in all`
    ],
    [
      "Growth",
      `${whole(session.growth.median)} tokens a request in the middle, ${whole(session.growth.p95)} or less in 19 of 20`
    ]
  ]
  return section(
    "in-short",
    "In short",
    ...session.advice.map((sentence) => element("p", { class: "advice" }, sentence)),
    element(
      "dl",
      {},
      ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))
    )
  )
}

interface Stretch {
  readonly from: number
  readonly to: number
}

const rowsTold = 200

const requests = ({ from, to }: Stretch): string => (to - from === 1 ? whole(to) : `${whole(from + 1)} to ${whole(to)}`)

const figureOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : whole(value)

/** Of several steps in one row the last is told, and of sizes the largest. */
const steps = (session: SessionReport): HTMLElement => {
  const { apart, counted, generation, place, predicted, tokens } = session.steps
  const last = ({ to }: Stretch): number => to - 1
  const most = (values: ReadonlyArray<number>) => (stretch: Stretch) =>
    whole(values.slice(stretch.from, stretch.to).reduce((a, b) => Math.max(a, b), 0))
  const error = (stretch: Stretch): string => {
    const i = last(stretch)
    const said = predicted[i]
    const found = counted[i]
    return said === null || said === undefined || found === null || found === undefined
      ? ""
      : apart[i] === null
        ? percent((said - found) / found)
        : `left out (${apart[i]})`
  }
  const columns: ReadonlyArray<Column<Stretch>> = [
    { name: "request", cell: requests },
    { name: "place", words: "short", cell: (stretch) => place[last(stretch)] ?? "" },
    { name: "carried", cell: most(tokens) },
    { name: "counted", cell: (stretch) => figureOf(counted[last(stretch)]) },
    { name: "predicted", cell: (stretch) => figureOf(predicted[last(stretch)]) },
    { name: "error", cell: error },
    { name: "generation", cell: (stretch) => whole(generation[last(stretch)] ?? 0) }
  ]
  return table("Tokens of each request", columns, stretches(place.length, rowsTold), true)
}

const pressure = (session: SessionReport): HTMLElement => {
  const { checkpoints: found, forecast, policy, steps: all, window } = session
  const bounded = Charts.showsWindow(session)
  const counts = all.counted.filter((count) => count !== null).length
  return section(
    "pressure",
    "Pressure over the requests",
    figure(
      "pressure-chart",
      Charts.pressureLabel(session),
      (width) => {
        const chart = Charts.pressure(session, width)
        // a short way with a pointer; the buttons below do the same for everybody
        chart.addEventListener("click", (event) => {
          const at = Charts.checkpointAt(
            session,
            chart,
            (event as MouseEvent).clientX - chart.getBoundingClientRect().x
          )
          const button = at === undefined ? null : document.querySelector(`[data-generation="${at + 1}"]`)
          if (button instanceof HTMLElement) button.click()
        })
        return chart
      },
      legend(
        swatch("line estimate", "tokens of the request, estimated"),
        ...(counts === 0
          ? []
          : [swatch(Charts.drawsDots(counts) ? "dot counted" : "line counted", "counted by the provider")]),
        ...(bounded
          ? [
              swatch("line window", `window, ${whole(window.tokens)}`),
              swatch("line threshold", `pressure begins, ${whole(policy.threshold)}`)
            ]
          : []),
        ...(found.length > 0 ? [swatch("bar checkpoint", "compaction in the file, with its generation")] : []),
        ...(forecast.runs.length > 0 ? [swatch("triangle", "pressure would have compacted here")] : [])
      ),
      bounded ? null : element("p", {}, `The window of ${whole(window.tokens)} tokens is far above what is drawn.`)
    ),
    behind("Pressure as a table", steps(session))
  )
}

const composition = (session: SessionReport): HTMLElement => {
  const { place, parts: by } = session.steps
  const present = Charts.partsIn(session)
  return section(
    "composition",
    "What the requests are made of",
    figure(
      "composition-chart",
      Charts.compositionLabel(session),
      (width) => Charts.composition(session, width),
      legend(...present.map((part) => swatch(part, partNames[part])))
    ),
    partTable("What the next request carries", session.parts, session.window.tokens),
    behind(
      "Composition as a table",
      table<Stretch>(
        "What each request was made of, in tokens",
        [
          { name: "request", cell: requests },
          ...present.map((part) => ({ name: partNames[part], cell: ({ to }: Stretch) => whole(by[part][to - 1] ?? 0) }))
        ],
        stretches(place.length, rowsTold),
        true
      )
    )
  )
}

const repeats = ({ repeats: found }: SessionReport): HTMLElement | null =>
  found.heaviest.length === 0
    ? null
    : section(
        "repeats",
        "Asked for again",
        element(
          "p",
          {},
          `${whole(found.times)} calls asked for what had been asked for before; their results are ${whole(found.tokens)} tokens.`
        ),
        table(
          "The same file, or the same call with the same arguments",
          [
            { name: "tool", words: "short", cell: ({ tool }) => tool },
            { name: "asked for", words: "long", cell: ({ what }) => what },
            { name: "times", cell: ({ times }) => whole(times) },
            { name: "tokens", cell: ({ tokens }) => whole(tokens) },
            { name: "of them again", cell: ({ again }) => whole(again) }
          ],
          found.heaviest
        )
      )

const runNames: Readonly<Record<Run["kind"], string>> = {
  prune: "cut tool results",
  summary: "summary",
  overflow: "too long, rescued"
}

const forecast = (session: SessionReport): HTMLElement => {
  const { forecast: found, policy, window } = session
  const { overflowWithout } = found
  return section(
    "forecast",
    "What pressure would have done",
    element(
      "p",
      {},
      overflowWithout === null
        ? `Uncompacted, every request fits; the largest is estimated at ${whole(found.peakWithout)} tokens.`
        : `Uncompacted, request ${whole(overflowWithout.step + 1)} (${overflowWithout.place}) would be the first that is too long, with ${whole(overflowWithout.tokens)} tokens.`
    ),
    element(
      "p",
      {},
      found.runs.length === 0
        ? `Pressure, from ${whole(policy.threshold)} tokens on, would not have begun.`
        : `With the policy ${whole(found.sent)} tokens would have been sent instead of ${whole(found.sentWithout)}, and the largest request would have had ${whole(found.peak)} of ${whole(window.tokens)}. A summary is taken to be as long as it may be (${whole(policy.summaryMaxTokens)}), or half of what it stands for.`
    ),
    found.runs.length === 0
      ? null
      : table(
          "Compactions by the policy",
          [
            { name: "request", cell: ({ step }) => whole(step + 1) },
            { name: "place", words: "short", cell: ({ place }) => place },
            { name: "by", words: "short", cell: ({ kind }) => runNames[kind] },
            { name: "from", cell: ({ from }) => whole(from) },
            { name: "to", cell: ({ to }) => whole(to) }
          ],
          found.runs.slice(0, rowsTold),
          true
        )
  )
}

const accuracy = ({ accuracy: found }: SessionReport): HTMLElement | null =>
  found === null || found.errors.length === 0
    ? null
    : section(
        "accuracy",
        "Predictions against the provider's counts",
        table(
          "Errors as shares of the counted input",
          [
            { name: "reports before", words: "short", cell: ({ reports }) => reports },
            { name: "requests", cell: ({ rows }) => whole(rows) },
            { name: "mean", cell: ({ mean }) => percent(mean) },
            { name: "p95", cell: ({ p95 }) => percent(p95) },
            { name: "worst under", cell: ({ worstUnder }) => percent(worstUnder) }
          ],
          found.errors
        ),
        found.merit === undefined
          ? null
          : element(
              "p",
              {},
              `After five reports the errors come to ${found.merit.meter.toFixed(3)} of the growth since the last report; without a meter to ${found.merit.plusOutput.toFixed(3)}.`
            )
      )

const notes = ({ notes: found }: SessionReport): HTMLElement | null =>
  found.length === 0
    ? null
    : section("notes", "Notes on the file", element("ul", {}, ...found.map((note) => element("li", {}, note))))

/**
 * @since 0.1.0
 * @category constructors
 */
export const view = (session: SessionReport): ReadonlyArray<Child> => [
  inShort(session),
  pressure(session),
  composition(session),
  checkpoints(session),
  section(
    "heaviest",
    "Heaviest messages",
    heavyTable("The heaviest messages of the next request", session.heaviest, session.window.tokens, "of the window")
  ),
  repeats(session),
  forecast(session),
  accuracy(session),
  notes(session)
]
