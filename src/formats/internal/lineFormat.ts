// A format of lines: its whole text is read by the same steps as a file that comes in piece by piece.
import * as Either from "effect/Either"
import type { TranscriptInvalid } from "../../errors/FormatError.ts"
import type { Format, Reader } from "../Format.ts"
import type { Transcript } from "../Transcript.ts"

export const readText = (reader: Reader, text: string): Either.Either<Transcript, TranscriptInvalid> => {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start)
    const end = found === -1 ? text.length : found
    const taken = reader.line(text.slice(start, end))
    if (Either.isLeft(taken)) return Either.left(taken.left)
    start = end + 1
  }
  return reader.end(!text.endsWith("\n"))
}

export const lineFormat = (
  given: Pick<Format, "name" | "description" | "recognises" | "encode"> & Required<Pick<Format, "reader">>
): Format => ({ ...given, decode: (input, options) => readText(given.reader(options), input.text) })
