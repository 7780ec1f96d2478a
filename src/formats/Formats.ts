/**
 * All formats, and how the one of a text is found.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid, TranscriptUnwritable } from "../errors/FormatError.ts"
import * as AiderHistory from "./AiderHistory.ts"
import * as AiSdkModel from "./AiSdkModel.ts"
import * as AiSdkUi from "./AiSdkUi.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as ClaudeCode from "./ClaudeCode.ts"
import * as ClineSession from "./ClineSession.ts"
import * as CodexRollout from "./CodexRollout.ts"
import * as DshSession from "./DshSession.ts"
import * as GeminiCliChat from "./GeminiCliChat.ts"
import * as GeminiContents from "./GeminiContents.ts"
import * as LangChain from "./LangChain.ts"
import * as LangGraphStream from "./LangGraphStream.ts"
import * as MiniSweAgent from "./MiniSweAgent.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpencodeRows from "./OpencodeRows.ts"
import * as OpenHandsEvents from "./OpenHandsEvents.ts"
import * as OpenHandsLlmLog from "./OpenHandsLlmLog.ts"
import * as PiSession from "./PiSession.ts"
import * as RooTask from "./RooTask.ts"
import * as SessionLog from "./SessionLog.ts"
import * as SpecStory from "./SpecStory.ts"
import * as SweAgentLlmLog from "./SweAgentLlmLog.ts"
import * as SweAgentTrajectory from "./SweAgentTrajectory.ts"
import {
  type DecodeOptions,
  type Encoded,
  type EncodeOptions,
  type File,
  folder,
  type Format,
  input,
  type Input,
  linesLookedAt,
  type Reader
} from "./Format.ts"
import type { Transcript } from "./Transcript.ts"

/**
 * The formats in the order in which they are asked: the more particular ones come first.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: ReadonlyArray<Format> = [
  SessionLog.format,
  PiSession.format,
  DshSession.format,
  ClaudeCode.format,
  CodexRollout.format,
  SweAgentLlmLog.format,
  OpencodeRows.format,
  AiderHistory.format,
  SpecStory.format,
  MiniSweAgent.format,
  SweAgentTrajectory.format,
  OpenHandsLlmLog.format,
  OpenHandsEvents.format,
  RooTask.format,
  ClineSession.format,
  GeminiCliChat.format,
  GeminiContents.format,
  LangGraphStream.format,
  LangChain.format,
  AiSdkUi.format,
  AiSdkModel.format,
  AnthropicMessages.format,
  OpenAiChat.format
]

/** Of a folder, the formats that keep a session in one are asked for it. */
const candidates = (given: Input): ReadonlyArray<Format> =>
  given.folder.length === 0 ? all : all.filter((format) => format.folder === true)

const find = (given: Input): Format | undefined => candidates(given).find((format) => format.recognises(given))

/** A text, or the files of a folder. */
type Source = string | ReadonlyArray<File>

const isText = (source: Source): source is string => typeof source === "string"

const empty = (what: string) => new TranscriptInvalid({ reason: "empty", detail: `${what} is empty` })

const inputOf = (source: Source): Either.Either<Input, TranscriptInvalid> => {
  const given = isText(source) ? input(source) : folder(source)
  if (given === undefined) return Either.left(empty("the folder"))
  return given.folder.length === 0 && given.text.trim() === "" ? Either.left(empty("it")) : Either.right(given)
}

/**
 * The name of the format that the text, or the folder, is of, found by its content.
 *
 * @since 0.1.0
 * @category conversions
 */
export const detect = (source: string | ReadonlyArray<File>): string | undefined =>
  Either.match(inputOf(source), { onLeft: () => undefined, onRight: (given) => find(given)?.name })

/** All descriptions would be a page; the names can be looked up. */
const expected = (formats: ReadonlyArray<Format>) =>
  `a file of one of the formats ${formats.map((format) => format.name).join(", ")}`

const unrecognised = (given: Input): TranscriptInvalid => {
  if (given.folder.length > 0) {
    return new TranscriptInvalid({
      reason: "unknown-shape",
      detail: `its files are of no known form; expected ${expected(candidates(given))}`
    })
  }
  const json = given.json()
  // a text whose first line is JSON is somebody's log, and "it is not JSON" would be no help
  return Either.isLeft(json) && given.firstLine() === undefined
    ? json.left
    : new TranscriptInvalid({
        reason: "unknown-shape",
        detail: `it is JSON, but of no known form; expected ${expected(all)}`
      })
}

const unknownFormat = (name: string) =>
  new TranscriptInvalid({
    reason: "unknown-format",
    detail: `there is no format "${name}"; there are ${all.map((each) => each.name).join(", ")}`
  })

const named = (name: string): Format | undefined => all.find((each) => each.name === name)

/**
 * What a caller may choose. `format` is the name of one of `all`; without it the content decides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends DecodeOptions {
  readonly format?: string
}

/**
 * Reads a text, or the files of a folder, as the format that the content shows, or as the one that is named.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (
  source: string | ReadonlyArray<File>,
  options: Options = {}
): Either.Either<Transcript, TranscriptInvalid> =>
  Either.flatMap(inputOf(source), (given) => {
    const { format: name } = options
    const format = name === undefined ? find(given) : named(name)
    if (format !== undefined) return format.decode(given, options)
    return Either.left(name === undefined ? unrecognised(given) : unknownFormat(name))
  })

/**
 * Reads a text of any length line by line, with the same outcome as `decode` of all of it. Its first lines are held back until the format is
 * found; of a format of lines nothing but what `keep` gives is held from then on. Any other text is held to its end.
 * `Lines.splitter` makes lines of bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reader = (options: Options = {}): Reader => {
  const { format: name } = options
  const held: Array<string> = []
  let filled = 0
  let chosen = name === undefined ? undefined : named(name)?.reader?.(options)
  let looking = name === undefined

  const choose = (): Either.Either<void, TranscriptInvalid> => {
    looking = false
    const first = input(held.join("\n"))
    chosen = all.find((format) => format.reader !== undefined && format.recognises(first))?.reader?.(options)
    if (chosen === undefined) return Either.void
    for (const line of held.splice(0)) {
      const taken = chosen.line(line)
      if (Either.isLeft(taken)) return taken
    }
    return Either.void
  }

  return {
    line: (text) => {
      if (filled < linesLookedAt && text.trim() !== "") filled++
      if (chosen !== undefined) return chosen.line(text)
      held.push(text)
      return looking && filled >= linesLookedAt ? choose() : Either.void
    },
    end: (torn) => {
      if (filled === 0) return Either.left(empty("it"))
      if (looking) {
        const taken = choose()
        if (Either.isLeft(taken)) return Either.left(taken.left)
      }
      return chosen === undefined ? decode(held.join("\n") + (torn ? "" : "\n"), options) : chosen.end(torn)
    }
  }
}

/**
 * The names of the formats that are written too.
 *
 * @since 0.1.0
 * @category constants
 */
export const written: ReadonlyArray<string> = all.flatMap(({ encode, name }) => (encode === undefined ? [] : [name]))

const unwritable = (name: string): TranscriptUnwritable =>
  all.some((format) => format.name === name)
    ? new TranscriptUnwritable({
        reason: "only-read",
        detail: `"${name}" is a format that is only read; there are ${written.join(", ")}`
      })
    : new TranscriptUnwritable({
        reason: "unknown-format",
        detail: `there is no format "${name}"; there are ${written.join(", ")}`
      })

/**
 * Writes a transcript as the format that it was read as, or as the one that is named: the messages, and with them the
 * system prompt and the tools where the format has a place for them. The notes say what it has none for.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (
  transcript: Transcript,
  options: EncodeOptions & { readonly format?: string } = {}
): Either.Either<Encoded, TranscriptUnwritable> => {
  const name = options.format ?? transcript.format
  const found = all.find((format) => format.name === name)?.encode
  return found === undefined ? Either.left(unwritable(name)) : found(transcript.sessions, options)
}
