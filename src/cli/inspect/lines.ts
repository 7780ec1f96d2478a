/**
 * Headings, tables and sentences in no more than a terminal's width.
 *
 * @since 0.1.0
 */
import Table from "cli-table3"
import wrapAnsi from "wrap-ansi"
import { style } from "../tableStyle.ts"

/**
 * `columns` is how wide a line may be; `bold` whether the terminal may be told to stress headings.
 *
 * @since 0.1.0
 * @category models
 */
export interface Look {
  readonly columns: number
  readonly bold: boolean
}

type Cells = ReadonlyArray<string>

/**
 * @since 0.1.0
 * @category conversions
 */
export const heading = ({ bold, columns }: Look, text: string): string => {
  const lines = wrap(text, columns)
  return `\n${bold ? `\u001b[1m${lines}\u001b[0m` : lines}`
}

/** ASCII and what the report draws itself: what measures all other text takes longer to begin than the report to be written. */
const oneColumnEach = /^[ -~…█░]*$/u

/** By the width that a terminal draws: some characters take two columns. */
const cut = (text: string, columns: number): string => {
  if (oneColumnEach.test(text)) return text.length <= columns ? text : `${text.slice(0, Math.max(columns - 1, 1))}…`
  const [whole = ""] = wrapAnsi(text, columns, { hard: true, trim: false, wordWrap: false }).split("\n")
  if (whole === text) return text
  const [start = ""] = wrapAnsi(text, Math.max(columns - 1, 1), { hard: true, trim: false, wordWrap: false }).split(
    "\n"
  )
  return `${start}…`
}

const pathShown = 44

/**
 * Of a path the end says more than the start.
 *
 * @since 0.1.0
 * @category conversions
 */
export const shortPath = (text: string): string => {
  const points = [...text]
  return /^\S+$/u.test(text) && points.length > pathShown ? `…${points.slice(1 - pathShown).join("")}` : text
}

/** What borders and padding take beside the cells. */
const borders = (columns: number): number => 3 * columns + 1

const leastLast = 16

/**
 * Figures stand at the right. The last column is words, and gets the room that is left; where that is too little, each row is
 * a line of its own, with the words below it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const table = (look: Look, head: Cells, rows: ReadonlyArray<Cells>, words: boolean): string => {
  const widths = head.map((name, i) =>
    Math.max(...[name, ...rows.map((row) => row[i] ?? "")].map((cell) => cell.length))
  )
  const fixed = widths.slice(0, words ? -1 : undefined).reduce((sum, width) => sum + width, 0) + borders(head.length)
  const room = look.columns - fixed
  if (room < (words ? leastLast : 0)) {
    return rows
      .map((row) => {
        const figures = row.slice(0, words ? -1 : undefined)
        const told = figures.map((cell, i) => (i === 0 ? cell : `${head[i]} ${cell}`)).join(", ")
        const last = words ? row.at(-1) : undefined
        const lines = wrap(told, look.columns, "  ")
        return last === undefined || last === "" ? lines : `${lines}\n${cut(`  ${last}`, look.columns)}`
      })
      .join("\n")
  }
  const drawn = new Table({
    style,
    head: [...head],
    colAligns: head.map((_, i) => (i === 0 || (words && i === head.length - 1) ? "left" : "right"))
  })
  drawn.push(...rows.map((row) => row.map((cell, i) => (words && i === row.length - 1 ? cut(cell, room) : cell))))
  return drawn.toString()
}

/**
 * Broken at spaces; what is longer than a line stays whole.
 *
 * @since 0.1.0
 * @category conversions
 */
export const wrap = (text: string, columns: number, indent = ""): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const next = line === "" ? word : `${line} ${word}`
    if (next.length > columns && line !== "") {
      lines.push(line)
      line = `${indent}${word}`
    } else line = next
  }
  return [...lines, line].join("\n")
}
