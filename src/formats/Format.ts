/**
 * What a format has to offer, and the text that it is asked about.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import type { Transcript } from "./Transcript.ts"

/**
 * `history: "full"` gives everything that was ever said, as if nothing had been compacted; `"last-seen"` what the model
 * saw last. They differ only where the format records compactions.
 *
 * @since 0.1.0
 * @category models
 */
export interface DecodeOptions {
  readonly history?: "full" | "last-seen"
}

/**
 * A text, with what several formats want to know about it worked out once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly text: string
  /** the whole text as one JSON value */
  readonly json: () => Either.Either<unknown, TranscriptInvalid>
  /** the first line that is not blank, as JSON; `undefined` where it is none */
  readonly firstLine: () => unknown
}

/**
 * One format of session files.
 *
 * @since 0.1.0
 * @category models
 */
export interface Format {
  /** the word by which a person forces it */
  readonly name: string
  /** what such a file looks like, to go on from "expected …" */
  readonly description: string
  /** whether the text is, by its content, meant to be of this format; it may still be broken */
  readonly recognises: (input: Input) => boolean
  readonly decode: (input: Input, options?: DecodeOptions) => Either.Either<Transcript, TranscriptInvalid>
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * @since 0.1.0
 * @category conversions
 */
export const parseJson = (text: string): Either.Either<unknown, unknown> =>
  Either.try(() => JSON.parse(text) as unknown)

// Engines tell the place of a syntax error in words of their own; where there is a position in it, people get a line.
const syntaxError = (text: string, error: unknown): TranscriptInvalid => {
  const said = error instanceof Error ? error.message : String(error)
  const position = /position (\d+)/u.exec(said)?.[1]
  const line = position === undefined ? undefined : text.slice(0, Number(position)).split("\n").length
  return new TranscriptInvalid({
    reason: "not-json",
    detail: `it is not JSON (${said})`,
    ...(line === undefined ? {} : { line })
  })
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const input = (raw: string): Input => {
  const text = raw.startsWith("\ufeff") ? raw.slice(1) : raw
  let json: Either.Either<unknown, TranscriptInvalid> | undefined
  return {
    text,
    json: () => (json ??= Either.mapLeft(parseJson(text), (error) => syntaxError(text, error))),
    firstLine: () => {
      const start = text.search(/\S/u)
      if (start === -1) return undefined
      const end = text.indexOf("\n", start)
      return Either.getOrUndefined(parseJson(text.slice(start, end === -1 ? undefined : end)))
    }
  }
}

/**
 * @since 0.1.0
 * @category errors
 */
export const noMessages = (detail = "it holds no messages") => new TranscriptInvalid({ reason: "no-messages", detail })
