// Files of one JSON value a line.
import * as Either from "effect/Either"
import { parseJson } from "../Format.ts"

/** Where each of several JSON objects that stand on one line begins and ends. */
const objectsOf = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let start = 0
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const unit = line[i]
    if (quoted) {
      if (unit === "\\") i++
      else if (unit === '"') quoted = false
    } else if (unit === '"') quoted = true
    else if (unit === "{") {
      if (depth++ === 0) start = i
    } else if (unit === "}" && --depth === 0) found.push(line.slice(start, i + 1))
  }
  return found
}

export interface Line {
  /** from 1 */
  readonly number: number
  readonly values: ReadonlyArray<unknown>
  /** it is not the one value that a line should be */
  readonly odd?: string
}

const lineOf = (text: string, number: number): Line => {
  const whole = parseJson(text)
  if (Either.isRight(whole)) return { number, values: [whole.right] }
  // some writers lose a line break, and two records stand on one line
  const values = objectsOf(text).flatMap((part) => {
    const value = parseJson(part)
    return Either.isRight(value) ? [value.right] : []
  })
  return { number, values, odd: values.length > 1 ? `${values.length} records stand on one line` : "it is not JSON" }
}

/** The lines that are not blank. */
export function* lines(text: string): Generator<Line> {
  let number = 0
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start)
    const end = found === -1 ? text.length : found
    number++
    const line = text.slice(start, end)
    if (line.trim() !== "") yield lineOf(line, number)
    start = end + 1
  }
}
