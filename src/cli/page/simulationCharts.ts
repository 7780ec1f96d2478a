/**
 * The charts of a simulation: what each policy sent in all, and what each of its requests carried.
 *
 * @since 0.1.0
 */
import * as Plot from "@observablehq/plot"
import { percent, whole } from "../say.ts"
import type { Report, VariantReport } from "../simulate/report.ts"
import { axes, type Drawn, frame, mostPoints, short } from "./frame.ts"
import { drawn } from "./thin.ts"

/**
 * What the input of all requests was made of, in words, and the colour of the style sheet that stands for it.
 *
 * @since 0.1.0
 * @category constants
 */
export const shares = [
  ["cached", "input that the prefix cache served", "user"],
  ["fresh", "input that it did not", "calls"],
  ["summaries", "summary calls, input and output", "checkpoint"]
] as const

const sharesOf = ({ billed, spend }: VariantReport): Readonly<Record<(typeof shares)[number][0], number>> => ({
  cached: billed.cachedTokens,
  fresh: billed.inputTokens - billed.cachedTokens,
  summaries: spend.inputTokens + spend.outputTokens
})

/**
 * In words, for who does not see it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const totalsLabel = ({ variants }: Report): string =>
  `Tokens that each policy sent. ${variants
    .map((variant) => {
      const { cached, fresh, summaries } = sharesOf(variant)
      return `${variant.name}: ${whole(cached + fresh)}, of which ${percent(cached / Math.max(1, cached + fresh))} cached, and ${whole(summaries)} for summaries.`
    })
    .join(" ")}`

/** A bar and the name above it. */
const rowHeight = 46

/**
 * @since 0.1.0
 * @category constructors
 */
export const totals = ({ variants }: Report, width: number): Drawn => {
  const rows = variants.flatMap((variant, i) =>
    shares.map(([share, , colour]) => ({ row: i, colour: `var(--${colour})`, tokens: sharesOf(variant)[share] }))
  )
  return Plot.plot({
    ...frame(width, 60 + rowHeight * variants.length),
    marginLeft: 12,
    marginTop: 8,
    x: {
      label: "tokens",
      labelAnchor: "center",
      labelArrow: "none",
      tickFormat: short,
      ticks: Math.max(2, width / 110)
    },
    // names of policies are as long as people make them: they stand above their bars, where the width is theirs
    y: { axis: null, domain: variants.map((_, i) => i), padding: 0.6 },
    marks: [
      Plot.gridX({ stroke: "var(--grid)", strokeOpacity: 1 }),
      Plot.barX(rows, { x: "tokens", y: "row", fill: ({ colour }: { readonly colour: string }) => colour }),
      Plot.text(variants, {
        x: 0,
        y: (_: VariantReport, i: number) => i,
        text: ({ name }: VariantReport) => cutTo(name, width),
        textAnchor: "start",
        dy: -rowHeight / 2 + 6,
        fill: "currentColor"
      })
    ]
  })
}

const cutTo = (name: string, width: number): string => {
  const most = Math.max(12, Math.floor((width - 90) / 7))
  return name.length > most ? `${name.slice(0, most - 1)}…` : name
}

interface Point {
  readonly row: number
  readonly step: number
  readonly tokens: number
  readonly generation: number
  readonly outcome: string
}

/** Every policy has the same scales below the others, so that they are compared by the eye. */
const panelHeight = 120

/**
 * In words, for who does not see it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const requestsLabel = ({ variants, window }: Report, session: number): string =>
  `Tokens that each request carried, policy by policy, in a window of ${whole(window)}. ${variants
    .map(({ name, sessions }) => {
      const series = sessions[session]?.series ?? []
      const most = series.reduce((largest, { tokens }) => Math.max(largest, tokens), 0)
      const refused = series.filter(({ outcome }) => outcome === "refused").length
      return `${name}: ${whole(series.length)} requests, the largest ${whole(most)}, ${whole(refused)} refused, generation ${whole(series.at(-1)?.generation ?? 0)} at the end.`
    })
    .join(" ")}`

/**
 * @since 0.1.0
 * @category constructors
 */
export const requests = ({ variants, window }: Report, session: number, width: number): Drawn => {
  const points = variants.flatMap(({ sessions }, row) => {
    const series = sessions[session]?.series ?? []
    return drawn(
      series.map(({ tokens }) => tokens),
      Math.floor(mostPoints / 2)
    ).map((i): Point => ({ row, step: i + 1, ...series[i]! }))
  })
  const refused = variants.flatMap(({ sessions }, row) =>
    (sessions[session]?.series ?? []).flatMap(({ outcome, tokens }, i) =>
      outcome === "refused" ? [{ row, step: i + 1, tokens }] : []
    )
  )
  const steps = Math.max(2, ...variants.map(({ sessions }) => sessions[session]?.series.length ?? 0))
  const top = points.reduce((most, { tokens }) => Math.max(most, tokens), window) * 1.3
  return Plot.plot({
    ...frame(width, 70 + panelHeight * variants.length),
    marginTop: 8,
    x: { domain: [1, steps] },
    y: { domain: [0, top] },
    fy: { axis: null, padding: 0.12 },
    marks: [
      ...axes(width, steps, top),
      Plot.ruleY([window], { stroke: "var(--window)", strokeWidth: 1.5 }),
      Plot.lineY(points, { fy: "row", x: "step", y: "tokens", stroke: "var(--estimate)", strokeWidth: 1.5 }),
      Plot.dot(refused, { fy: "row", x: "step", y: "tokens", r: 4, stroke: "var(--window)", fill: "var(--surface)" }),
      Plot.text(variants, {
        fy: (_: VariantReport, i: number) => i,
        text: ({ name }: VariantReport) => cutTo(name, width),
        frameAnchor: "top-left",
        dx: 6,
        dy: 4,
        fill: "currentColor",
        stroke: "var(--surface)",
        strokeWidth: 4,
        fontWeight: "bold"
      }),
      Plot.tip(
        points,
        Plot.pointerX({
          fy: "row",
          x: "step",
          y: "tokens",
          title: ({ generation, outcome, step, tokens }: Point) =>
            [
              `request ${whole(step)}${outcome === "refused" ? ", refused" : ""}`,
              `${whole(tokens)} tokens, ${percent(tokens / window)} of the window`,
              `generation ${generation}`
            ].join("\n"),
          fill: "var(--surface)",
          stroke: "currentColor"
        })
      )
    ]
  })
}
