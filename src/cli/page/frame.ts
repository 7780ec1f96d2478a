/**
 * What all charts of the page have in common: their frame, and the axes of tokens over requests.
 *
 * @since 0.1.0
 */
import * as Plot from "@observablehq/plot"
import { whole } from "../say.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type Drawn = (SVGSVGElement | HTMLElement) & Plot.Plot

/**
 * More points than this cannot be told apart on any screen.
 *
 * @since 0.1.0
 * @category constants
 */
export const mostPoints = 1600

/**
 * @since 0.1.0
 * @category constants
 */
export const height = 300

/**
 * Tokens in the few characters that an axis has room for.
 *
 * @since 0.1.0
 * @category conversions
 */
export const short = (tokens: number): string =>
  tokens >= 1e6 ? `${+(tokens / 1e6).toFixed(1)}M` : tokens >= 1e3 ? `${+(tokens / 1e3).toFixed(1)}k` : String(tokens)

/** Ticks need about this much room. */
const ticksIn = (width: number): number => Math.max(2, Math.floor(width / 90))

/**
 * @since 0.1.0
 * @category constructors
 */
export const frame = (width: number, height: number): Plot.PlotOptions => ({
  width,
  height,
  marginLeft: 52,
  marginRight: 12,
  marginBottom: 40,
  className: "chart",
  style: { background: "transparent", color: "inherit", fontSize: "12px", fontFamily: "inherit", overflow: "visible" }
})

/**
 * Tokens upwards, requests to the right.
 *
 * @since 0.1.0
 * @category constructors
 */
export const axes = (width: number, steps: number, largest: number): ReadonlyArray<Plot.Markish> => [
  Plot.gridY({ stroke: "var(--grid)", strokeOpacity: 1 }),
  Plot.axisY({ tickFormat: short, label: null, tickSize: 0, ticks: 5 }),
  Plot.axisX({
    ticks: Math.min(ticksIn(width), Math.max(1, steps - 1)),
    tickFormat: (step: number) => (Number.isInteger(step) ? whole(step) : ""),
    label: "request",
    labelAnchor: "center",
    labelArrow: "none"
  }),
  Plot.ruleY([0], { stroke: "currentColor" }),
  // keeps the scale where nothing else reaches so far
  Plot.ruleY([largest], { stroke: "none" })
]
