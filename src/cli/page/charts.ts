/**
 * The charts of the page, each a function of the report's data. Colours are variables of the style sheet, so that a chart
 * needs no drawing again for light, dark or paper.
 *
 * @since 0.1.0
 */
import * as Plot from "@observablehq/plot"
import { type Part, partNames, parts } from "../inspect/parts.ts"
import type { SessionReport } from "../inspect/report.ts"
import { percent, whole } from "../say.ts"
import { axes, type Drawn, frame, height, mostPoints } from "./frame.ts"
import { drawn } from "./thin.ts"

const colourOf = (part: Part): string => `var(--${part})`

/**
 * The parts that occur in the session.
 *
 * @since 0.1.0
 * @category getters
 */
export const partsIn = ({ parts: last, steps }: SessionReport): ReadonlyArray<Part> =>
  parts.filter((part) => last[part] > 0 || steps.parts[part].some((tokens) => tokens > 0))

interface Point {
  readonly step: number
  readonly tokens: number
  readonly counted: number | null
  readonly place: string
  readonly generation: number
}

const pointsOf = ({ steps }: SessionReport): ReadonlyArray<Point> =>
  drawn(steps.tokens, mostPoints).map((i) => ({
    step: i + 1,
    tokens: steps.tokens[i]!,
    counted: steps.counted[i] ?? null,
    place: steps.place[i]!,
    generation: steps.generation[i]!
  }))

const largestOf = (session: SessionReport): number =>
  session.steps.tokens.reduce((most, tokens, i) => Math.max(most, tokens, session.steps.counted[i] ?? 0), 0)

/**
 * Whether the chart of pressure reaches up to the window: a session that is far below it would be a flat line.
 *
 * @since 0.1.0
 * @category predicates
 */
export const showsWindow = (session: SessionReport): boolean => largestOf(session) > session.policy.threshold / 4

/**
 * In words, for who does not see it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const pressureLabel = (session: SessionReport): string => {
  const { checkpoints, policy, steps, window } = session
  return `Tokens that each of ${whole(steps.place.length)} requests carried. The largest has ${whole(largestOf(session))}, the window ${whole(window.tokens)}, and pressure begins at ${whole(policy.threshold)}. ${
    checkpoints.length === 0
      ? "The file records no compaction."
      : `The file records ${whole(checkpoints.length)} compactions, before requests ${checkpoints
          .slice(0, 12)
          .map(({ step }) => step + 1)
          .join(", ")}${checkpoints.length > 12 ? " and later ones" : ""}.`
  }`
}

/** Numbers of generations are written where there is room for them. */
const labelled = (session: SessionReport, width: number) => {
  const steps = Math.max(1, session.steps.place.length - 1)
  const room = 26
  let last = -Infinity
  return session.checkpoints.flatMap(({ step }, i) => {
    const x = (step / steps) * (width - 64)
    if (x - last < room) return []
    last = x
    return [{ step: step + 1, generation: String(i + 1) }]
  })
}

/** As near as a finger or a shaky hand comes to a line, in pixels. */
const reach = 14

/**
 * The compaction that stands where a chart of pressure was clicked; undefined where none is near.
 *
 * @since 0.1.0
 * @category getters
 */
export const checkpointAt = (session: SessionReport, chart: Drawn, x: number): number | undefined => {
  const scale = chart.scale("x")
  if (scale === undefined) return undefined
  const away = session.checkpoints.map(({ step }) => Math.abs(Number(scale.apply(step + 1)) - x))
  const nearest = away.indexOf(Math.min(...away))
  return (away[nearest] ?? Infinity) <= reach ? nearest : undefined
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const drawsDots = (counts: number): boolean => counts <= 200

/**
 * @since 0.1.0
 * @category constructors
 */
export const pressure = (session: SessionReport, width: number): Drawn => {
  const points = pointsOf(session)
  const counted = points.filter((point) => point.counted !== null)
  const { checkpoints, forecast, policy, steps, window } = session
  const bounded = showsWindow(session)
  const top = Math.max(largestOf(session), bounded ? window.tokens : 0) * 1.06
  return Plot.plot({
    ...frame(width, height),
    x: { domain: [1, Math.max(2, steps.place.length)] },
    y: { domain: [0, top] },
    marginTop: 22,
    marks: [
      ...axes(width, steps.place.length, top),
      ...(bounded
        ? [
            Plot.ruleY([window.tokens], { stroke: "var(--window)", strokeWidth: 2 }),
            Plot.ruleY([policy.threshold], { stroke: "var(--threshold)", strokeWidth: 2, strokeDasharray: "6 4" })
          ]
        : []),
      Plot.ruleX(checkpoints, {
        x: ({ step }: { readonly step: number }) => step + 1,
        stroke: "var(--checkpoint)",
        strokeWidth: 2
      }),
      Plot.text(labelled(session, width), {
        x: "step",
        text: "generation",
        frameAnchor: "top",
        dy: -16,
        fill: "currentColor",
        fontWeight: "bold"
      }),
      Plot.lineY(points, { x: "step", y: "tokens", stroke: "var(--estimate)", strokeWidth: 2 }),
      drawsDots(counted.length)
        ? Plot.dot(counted, { x: "step", y: "counted", r: 3, fill: "var(--counted)" })
        : Plot.lineY(points, { x: "step", y: "counted", stroke: "var(--counted)", strokeWidth: 1.5 }),
      Plot.dot(forecast.runs.slice(0, 400), {
        x: ({ step }: { readonly step: number }) => step + 1,
        y: Math.max(0, top * 0.02),
        symbol: "triangle",
        r: 4,
        fill: "var(--threshold)"
      }),
      Plot.tip(
        points,
        Plot.pointerX({
          x: "step",
          y: "tokens",
          title: ({ counted, generation, place, step, tokens }: Point) =>
            [
              `request ${whole(step)}, ${place}`,
              `${whole(tokens)} tokens, ${percent(tokens / window.tokens)} of the window`,
              ...(counted === null ? [] : [`${whole(counted)} counted by the provider`]),
              `generation ${generation}`
            ].join("\n"),
          fill: "var(--surface)",
          stroke: "currentColor"
        })
      )
    ]
  })
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const compositionLabel = (session: SessionReport): string =>
  `What the tokens of each request were. In the next one: ${partsIn(session)
    .map((part) => `${partNames[part]} ${percent(session.tokens === 0 ? 0 : session.parts[part] / session.tokens)}`)
    .join(", ")}.`

/**
 * @since 0.1.0
 * @category constructors
 */
export const composition = (session: SessionReport, width: number): Drawn => {
  const { steps } = session
  const present = partsIn(session)
  const rows = drawn(steps.tokens, mostPoints / 2).flatMap((i) =>
    present.map((part) => ({ step: i + 1, part, tokens: steps.parts[part][i]! }))
  )
  const top = steps.tokens.reduce((most, tokens) => Math.max(most, tokens), 0) * 1.04
  return Plot.plot({
    ...frame(width, height),
    x: { domain: [1, Math.max(2, steps.place.length)] },
    y: { domain: [0, Math.max(top, 1)] },
    marks: [
      ...axes(width, steps.place.length, top),
      Plot.areaY(rows, {
        x: "step",
        y: "tokens",
        z: "part",
        order: present as Array<Part>,
        fill: ({ part }: { readonly part: Part }) => colourOf(part),
        stroke: "var(--surface)",
        strokeWidth: 0.5
      })
    ]
  })
}
