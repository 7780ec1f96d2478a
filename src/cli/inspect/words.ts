/**
 * The first words of a text, for people.
 *
 * @since 0.1.0
 */

const shown = 100
/** White space at the start is not words, so a little more is looked at than is shown. */
const lookedAt = 400

/**
 * On one line, without anything that a terminal would obey. A copy: a piece that was cut out of a long text would hold all
 * of it in memory.
 *
 * @since 0.1.0
 * @category conversions
 */
export const firstWords = (text: string): string => {
  const start = text.slice(0, lookedAt)
  const line = start.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()
  const points = [...line]
  const cut = points.length > shown || text.length > lookedAt ? `${points.slice(0, shown - 1).join("")}…` : line
  return Buffer.from(cut).toString()
}
