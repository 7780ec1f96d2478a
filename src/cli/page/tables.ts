/**
 * Tables that stand in more than one place of the page.
 *
 * @since 0.1.0
 */
import { partNames, type Parts, parts } from "../inspect/parts.ts"
import type { Heavy } from "../inspect/report.ts"
import { percent, whole } from "../say.ts"
import { element, table } from "./dom.ts"

/**
 * The parts that occur, in tokens and as shares of `window`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const partTable = (caption: string, given: Parts, window: number): HTMLElement => {
  const present = parts.filter((part) => given[part] > 0)
  return table(
    caption,
    [
      {
        name: "part",
        words: "short",
        cell: (part) =>
          element("span", {}, element("span", { class: `swatch ${part}`, "aria-hidden": "true" }), partNames[part])
      },
      { name: "tokens", cell: (part) => whole(given[part]) },
      { name: "of the window", cell: (part) => percent(given[part] / window) }
    ],
    present
  )
}

/**
 * Messages, with their shares of `all` tokens, which are called `of`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const heavyTable = (caption: string, rows: ReadonlyArray<Heavy>, all: number, of: string): HTMLElement => {
  const most = rows.reduce((largest, { tokens }) => Math.max(largest, tokens), 1)
  return table<Heavy>(
    caption,
    [
      { name: "place", words: "short", cell: ({ place }) => place },
      {
        name: "what",
        words: "short",
        cell: ({ part, tool }) => (tool === null ? partNames[part] : `${partNames[part]}: ${tool}`)
      },
      { name: "tokens", cell: ({ tokens }) => whole(tokens) },
      { name: of, cell: ({ tokens }) => percent(tokens / all) },
      {
        name: "begins",
        words: "long",
        cell: ({ part, tokens, words }) =>
          element(
            "span",
            {},
            element("span", {
              class: `weight ${part}`,
              style: `inline-size: ${((100 * tokens) / most).toFixed(1)}%`,
              "aria-hidden": "true"
            }),
            words
          )
      }
    ],
    rows
  )
}
