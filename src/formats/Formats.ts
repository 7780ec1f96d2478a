/**
 * All formats, and how the one of a text is found.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import { type DecodeOptions, type Format, input, type Input } from "./Format.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as SessionLog from "./SessionLog.ts"
import type { Transcript } from "./Transcript.ts"

/**
 * The formats in the order in which they are asked: the more particular ones come first.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: ReadonlyArray<Format> = [SessionLog.format, OpenAiChat.format]

const find = (text: Input): Format | undefined => all.find((format) => format.recognises(text))

/**
 * The name of the format that the text is of, found by its content.
 *
 * @since 0.1.0
 * @category conversions
 */
export const detect = (text: string): string | undefined => find(input(text))?.name

const expected = () => all.map((format) => `${format.description} (${format.name})`).join("; or ")

const unrecognised = (text: Input): TranscriptInvalid => {
  const json = text.json()
  // a text whose first line is JSON is somebody's log, and "it is not JSON" would be no help
  return Either.isLeft(json) && text.firstLine() === undefined
    ? json.left
    : new TranscriptInvalid({
        reason: "unknown-shape",
        detail: `it is JSON, but of no known form; expected ${expected()}`
      })
}

/**
 * Reads a text as the format that its content shows, or as the one that is named.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (
  text: string,
  options: DecodeOptions & { readonly format?: string } = {}
): Either.Either<Transcript, TranscriptInvalid> => {
  const given = input(text)
  if (given.text.trim() === "") {
    return Either.left(new TranscriptInvalid({ reason: "empty", detail: "it is empty" }))
  }
  const { format: name } = options
  const format = name === undefined ? find(given) : all.find((each) => each.name === name)
  if (format !== undefined) return format.decode(given, options)
  return Either.left(
    name === undefined
      ? unrecognised(given)
      : new TranscriptInvalid({
          reason: "unknown-format",
          detail: `there is no format "${name}"; there are ${all.map((each) => each.name).join(", ")}`
        })
  )
}
