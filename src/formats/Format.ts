/**
 * What a format has to offer, and the text that it is asked about.
 *
 * A format of lines is read by a `Reader`, which takes one line after the other; `decode` of its whole text is the same
 * steps run to the end. What a reader keeps is the messages, each block of them as `keep` gave it, so whoever only
 * wants to know sizes reads a file of any length in the memory that its stand-ins take: pairs, compactions, forks and
 * the place of each request are worked out on what was kept. A format that is one JSON document is read whole, in memory
 * in proportion to the file; `keep` works there too. `Formats.reader` finds the format by the first lines.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid, type TranscriptUnwritable } from "../errors/FormatError.ts"
import type { Block, Message } from "../session/Message.ts"
import type { Session, Transcript } from "./Transcript.ts"

/**
 * What is kept of a block: itself, or something smaller in its place. It is called once for each block of the file, in
 * the file's order, as the block is read; `place` is where it stands ("line 12"), as far as the format knows. Ids of calls and results have to stay, and a text that is not empty must not
 * become one. A piece that JavaScript cut out of a long text holds all of that text in memory, so it has to be a copy.
 *
 * @since 0.1.0
 * @category models
 */
export type Keep = (block: Block, role: Message["role"], place?: string) => Block

/**
 * `history: "full"` gives everything that was ever said, as if nothing had been compacted; `"last-seen"` what the model
 * saw last. They differ only where the format records compactions, or where a conversation went back and on from an
 * earlier place. `keep` is for reading large files in little memory; without it everything is kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface DecodeOptions {
  readonly history?: "full" | "last-seen"
  readonly keep?: Keep
}

/**
 * Reads a text line by line. A blank line counts as a line.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reader {
  /** the next line, without its line break; left where it makes no sense to go on */
  readonly line: (text: string) => Either.Either<void, TranscriptInvalid>
  /** `torn`: the last line had no line break behind it, so that it may be a write that a crash cut off */
  readonly end: (torn: boolean) => Either.Either<Transcript, TranscriptInvalid>
}

/**
 * One file of a session that some tools keep in a folder. `name` is its path inside the folder.
 *
 * @since 0.1.0
 * @category models
 */
export interface File {
  readonly name: string
  readonly text: string
}

/**
 * A text, with what several formats want to know about it worked out once. Of a folder it is its first file, and
 * `folder` has all of them in the order of their names.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input {
  /** where it is one of a folder's files */
  readonly name?: string
  readonly folder: ReadonlyArray<Input>
  readonly text: string
  /** the whole text as one JSON value */
  readonly json: () => Either.Either<unknown, TranscriptInvalid>
  /** the first line that is not blank, as JSON; `undefined` where it is none */
  readonly firstLine: () => unknown
  /** the first lines that are not blank, as JSON, without those that are none */
  readonly firstLines: () => ReadonlyArray<unknown>
}

/**
 * `time`, in epoch milliseconds, is what formats with times say of every message, which carries none. Default: 0.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodeOptions {
  readonly time?: number
}

/**
 * A text of a format. `notes` says in sentences what the format has no place for; without one the text reads back as the
 * same messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface Encoded {
  readonly text: string
  readonly notes: ReadonlyArray<string>
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
  /** a session of it may be a folder of files */
  readonly folder?: true
  /** whether the text is, by its content, meant to be of this format; it may still be broken */
  readonly recognises: (input: Input) => boolean
  readonly decode: (input: Input, options?: DecodeOptions) => Either.Either<Transcript, TranscriptInvalid>
  /** given where the format is one of lines, which its first lines show */
  readonly reader?: (options?: DecodeOptions) => Reader
  /** the messages of these sessions, whose pairs are whole, as a text that `decode` reads; absent: it is only read */
  readonly encode?: (
    sessions: ReadonlyArray<Session>,
    options?: EncodeOptions
  ) => Either.Either<Encoded, TranscriptUnwritable>
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Deeper than anything that a person or a tool says, and well within what a stack holds of a walk through it. */
const levels = 500

const isDeeper = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (left === 0) return true
  // no list of the values, and no function for each: every record of a file of hundreds of megabytes is looked through
  if (Array.isArray(value)) {
    for (const each of value) if (isDeeper(each, left - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as Readonly<Record<string, unknown>>)[name], left - 1)) return true
  return false
}

const tooDeep = new Error(`it is JSON that is nested more than ${levels} levels deep`)

/**
 * The value of a text that is JSON. One that is nested deeper than anybody nests is refused: whatever walks through a
 * value, `JSON.stringify` too, would run out of its stack.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseJson = (text: string): Either.Either<unknown, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return Either.left(error)
  }
  // each level takes at least two characters
  return text.length > 2 * levels && isDeeper(value, levels) ? Either.left(tooDeep) : Either.right(value)
}

// Engines tell the place of a syntax error in words of their own; where there is a position in it, people get a line.
const syntaxError = (text: string, error: unknown): TranscriptInvalid => {
  if (error === tooDeep) return new TranscriptInvalid({ reason: "not-json", detail: tooDeep.message })
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
 * Of so many lines that are not blank the form of a file is found: enough to get past the bookkeeping with which some
 * logs begin.
 *
 * @since 0.1.0
 * @category constants
 */
export const linesLookedAt = 20

/**
 * @since 0.1.0
 * @category constructors
 */
export const input = (raw: string, name?: string): Input => {
  const text = raw.startsWith("\ufeff") ? raw.slice(1) : raw
  let json: Either.Either<unknown, TranscriptInvalid> | undefined
  let lines: ReadonlyArray<Either.Either<unknown, unknown>> | undefined
  const parsedLines = () => {
    if (lines !== undefined) return lines
    const found: Array<Either.Either<unknown, unknown>> = []
    for (let start = 0; start < text.length && found.length < linesLookedAt;) {
      const end = text.indexOf("\n", start)
      const line = text.slice(start, end === -1 ? undefined : end)
      if (line.trim() !== "") found.push(parseJson(line))
      start = end === -1 ? text.length : end + 1
    }
    return (lines = found)
  }
  return {
    ...(name === undefined ? {} : { name }),
    folder: [],
    text,
    json: () => (json ??= Either.mapLeft(parseJson(text), (error) => syntaxError(text, error))),
    firstLine: () => {
      const [first] = parsedLines()
      return first === undefined ? undefined : Either.getOrUndefined(first)
    },
    firstLines: () => parsedLines().flatMap((line) => (Either.isRight(line) ? [line.right] : []))
  }
}

const byName = new Intl.Collator("en", { numeric: true })

/**
 * The files of one folder. Hidden ones and those that are not text in JSON are the caller's to leave out.
 *
 * @since 0.1.0
 * @category constructors
 */
export const folder = (files: ReadonlyArray<File>): Input | undefined => {
  const inputs = files.toSorted((a, b) => byName.compare(a.name, b.name)).map((file) => input(file.text, file.name))
  const [first] = inputs
  return first === undefined ? undefined : inputs.length === 1 ? first : { ...first, folder: inputs }
}

/**
 * @since 0.1.0
 * @category errors
 */
export const noMessages = (detail = "it holds no messages") => new TranscriptInvalid({ reason: "no-messages", detail })
