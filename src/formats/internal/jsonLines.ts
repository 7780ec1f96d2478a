// Files of one JSON value a line.
import * as Either from "effect/Either"
import type { TranscriptInvalid } from "../../errors/FormatError.ts"
import { parseJson, type Reader } from "../Format.ts"
import type { Transcript } from "../Transcript.ts"
import { type Fields, fields } from "./values.ts"

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

interface Line {
  readonly values: ReadonlyArray<unknown>
  /** it is not the one value that a line should be */
  readonly odd?: string
}

const lineOf = (text: string): Line => {
  const whole = parseJson(text)
  if (Either.isRight(whole)) return { values: [whole.right] }
  // some writers lose a line break, and two records stand on one line
  const values = objectsOf(text).flatMap((part) => {
    const value = parseJson(part)
    return Either.isRight(value) ? [value.right] : []
  })
  return { values, odd: values.length > 1 ? `${values.length} records stand on one line` : "it is not JSON" }
}

/** What a decoder does with the records of its lines. */
export interface Records {
  /** `number` of the line, from 1 */
  readonly take: (record: Fields, place: string, number: number) => void
  readonly odd: (place: string, sentence: string) => void
  readonly end: () => Either.Either<Transcript, TranscriptInvalid>
}

/** Reads lines of one JSON record each. A line that is none is told, and left out. */
export const recordReader = ({ end, odd, take }: Records): Reader => {
  let number = 0
  return {
    line: (text) => {
      number++
      if (text.trim() === "") return Either.void
      const place = `line ${number}`
      const line = lineOf(text)
      if (line.odd !== undefined) odd(place, line.odd)
      for (const value of line.values) take(fields(value), place, number)
      return Either.void
    },
    end
  }
}
