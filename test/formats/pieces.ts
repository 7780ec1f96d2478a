import * as Either from "effect/Either"
import { Formats, Lines } from "../../src/formats/index.ts"

/** The text as a file gives it: bytes in pieces of this size. */
export const readInPieces = (text: string, size: number, options: Formats.Options = {}) => {
  const bytes = new TextEncoder().encode(text)
  const lines = Lines.splitter()
  const reader = Formats.reader(options)
  const take = (some: Iterable<string>) => Either.all(Array.from(some, (line) => reader.line(line)))
  for (let start = 0; start < bytes.length; start += size) {
    const taken = take(lines.push(bytes.subarray(start, start + size)))
    if (Either.isLeft(taken)) return Either.left(taken.left)
  }
  const rest = lines.end()
  if (rest !== undefined) {
    const taken = take([rest])
    if (Either.isLeft(taken)) return Either.left(taken.left)
  }
  return reader.end(rest !== undefined)
}
