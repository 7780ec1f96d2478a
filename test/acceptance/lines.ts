// The lines of docs/acceptance.md and docs/faults.md, and the marks by which tests name them. The documents are the data:
// nothing else lists the lines.

/**
 * What shows a line: a test whose name carries its mark; one that comes with a later part; one that waits for something in
 * this part; or none, because the line cannot apply here.
 */
export type Status = "test" | "later" | "waits" | "not here"

export interface Line {
  /** `A45`, `P14`, `PAIR-3`, `OPPOSITES-7b` */
  readonly mark: string
  /** what holds, in a sentence */
  readonly says: string
  readonly status: Status
  /** why it does not apply, what brings it, or what is different here */
  readonly note: string
}

const entry =
  /^- \*\*(?<mark>[A-Z]+-?\d+[ab]?)\*\* (?<says>.+?)(?: _(?<kind>Here|Not here|With part \d|Waits for):_ (?<note>.+))?$/

const statusOf = (kind: string | undefined): Status => {
  if (kind === undefined || kind === "Here") return "test"
  if (kind === "Not here") return "not here"
  return kind === "Waits for" ? "waits" : "later"
}

/** The entries of a document, in its order. A list item that is none is an error, so that no line is lost to a slip. */
export const read = (document: string): ReadonlyArray<Line> =>
  document
    .split("\n")
    .filter((text) => text.startsWith("- **"))
    .map((text) => {
      const groups = entry.exec(text)?.groups
      if (groups === undefined) throw new Error(`this entry cannot be read: ${text}`)
      const { kind, mark = "", note = "", says = "" } = groups
      const part = kind?.startsWith("With part") === true ? `${kind.toLowerCase()}: ` : ""
      return { mark, says, status: statusOf(kind), note: `${part}${note}` }
    })

const bracket = /\[((?:[A-Z]+-?\d+[ab]?)(?: [A-Z]+-?\d+[ab]?)*)\]/g

/** The marks in a text: `… [A45 P14]` holds two. */
export const marksIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(bracket)].flatMap(([, marks = ""]) => marks.split(" "))
