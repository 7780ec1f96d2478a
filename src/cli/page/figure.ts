/**
 * What stands around a chart: its words, its legend, and the figures behind it.
 *
 * @since 0.1.0
 */
import { type Child, element } from "./dom.ts"

/**
 * A chart that is drawn again at each width of the page, with what it says in words.
 *
 * @since 0.1.0
 * @category constructors
 */
export const figure = (
  id: string,
  label: string,
  draw: (width: number) => Element,
  ...below: ReadonlyArray<Child>
): HTMLElement => {
  const canvas = element("div", { class: "canvas", role: "img", "aria-label": label, id })
  let drawnFor = 0
  const redraw = (): void => {
    const width = Math.max(240, Math.floor(canvas.clientWidth))
    if (width === drawnFor) return
    drawnFor = width
    const chart = draw(width)
    // the figure says it in words, and the table behind it in figures
    chart.setAttribute("aria-hidden", "true")
    canvas.replaceChildren(chart)
    // until it is drawn the style sheet keeps its room
    canvas.style.minBlockSize = "0"
  }
  new ResizeObserver(redraw).observe(canvas)
  return element("figure", {}, canvas, ...below)
}

/**
 * An entry of a legend; `kind` is the class of its mark.
 *
 * @since 0.1.0
 * @category constructors
 */
export const swatch = (kind: string, name: string): HTMLElement =>
  element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name)

/**
 * @since 0.1.0
 * @category constructors
 */
export const legend = (...items: ReadonlyArray<HTMLElement>): HTMLElement =>
  element("ul", { class: "legend" }, ...items)

/**
 * What is shown when it is asked for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const behind = (summary: string, content: HTMLElement): HTMLElement =>
  element("details", {}, element("summary", {}, summary), content)
