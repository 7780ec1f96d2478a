/**
 * Elements of the page. Text becomes text, whatever it holds: nothing of a transcript is ever read as markup.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type Child = Node | string | null

/**
 * @since 0.1.0
 * @category constructors
 */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== null))
  return made
}

/**
 * A part of the page with its heading; the heading names it for a screen reader too.
 *
 * @since 0.1.0
 * @category constructors
 */
export const section = (id: string, heading: string, ...children: ReadonlyArray<Child>): HTMLElement =>
  element("section", { "aria-labelledby": id }, element("h2", { id }, heading), ...children)

/**
 * `words`: it holds text, which stands at the left; a long one may break. Figures stand at the right.
 *
 * @since 0.1.0
 * @category models
 */
export interface Column<Row> {
  readonly name: string
  readonly words?: "short" | "long"
  readonly cell: (row: Row) => Child
}

/** From so many columns on a narrow screen has no room for a row side by side. */
const wide = 5

/** From so many on they are set smaller on any. */
const widest = 10

/**
 * A table that scrolls by itself where it is wider than the page, by keyboard too; one of many columns puts each row's
 * cells below each other on a narrow screen. `long`: it has more rows than a page should be made longer by, and scrolls
 * down as well.
 *
 * @since 0.1.0
 * @category constructors
 */
export const table = <Row>(
  caption: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  long = false
): HTMLElement => {
  // roles are said, since a row that is laid out otherwise than as a row would no longer be taken for one
  const head = element(
    "tr",
    { role: "row" },
    ...columns.map(({ name, words }) =>
      element("th", { scope: "col", role: "columnheader", class: words ?? "figure" }, name)
    )
  )
  const cells = (row: Row): ReadonlyArray<HTMLElement> =>
    columns.map(({ cell, name, words }, i) => {
      const attributes = { class: words ?? "figure", "data-name": name }
      return i === 0
        ? element("th", { scope: "row", role: "rowheader", ...attributes }, cell(row))
        : element("td", { role: "cell", ...attributes }, cell(row))
    })
  return element(
    "div",
    { class: long ? "scroll long" : "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      { role: "table", ...(columns.length < wide ? {} : { class: columns.length < widest ? "wide" : "wide widest" }) },
      element("caption", {}, caption),
      element("thead", { role: "rowgroup" }, head),
      element("tbody", { role: "rowgroup" }, ...rows.map((row) => element("tr", { role: "row" }, ...cells(row))))
    )
  )
}
