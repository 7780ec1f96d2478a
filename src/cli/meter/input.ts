/**
 * Reads transcripts: files, standard input, and folders of files.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { File } from "../../formats/Format.ts"
import * as Formats from "../../formats/Formats.ts"
import type { Session, Transcript } from "../../formats/Transcript.ts"
import { BadInput } from "../exitCode.ts"
import { readTranscript } from "../input.ts"
import { filesIn } from "../sessionFolder.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly file: string
  readonly transcript: Transcript
}

const decode = (file: string, source: string | ReadonlyArray<File>, options: Formats.Options) =>
  Formats.decode(source, options).pipe(
    Either.map((transcript): Read => ({ file, transcript })),
    Either.mapLeft(({ message }) => new BadInput({ message: `${file}: ${message}` }))
  )

/** A folder may be one session in several files, or several sessions in a file each. */
const readFolder = Effect.fnUntraced(function* (folder: string, options: Formats.Options) {
  const path = yield* Path.Path
  const files = yield* filesIn(folder)
  if (Formats.detect(files) !== undefined) return [yield* decode(folder, files, options)]
  return yield* Effect.forEach(files, ({ name, text }) => decode(path.join(folder, name), text, options))
})

/**
 * The transcripts at one path; `-` is standard input.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = Effect.fnUntraced(function* (path: string, options: Formats.Options = {}) {
  if (path !== "-") {
    const fs = yield* FileSystem.FileSystem
    const found = yield* Effect.mapError(
      fs.stat(path),
      () => new BadInput({ message: `there is no file or folder ${path} that may be read` })
    )
    if (found.type === "Directory") return yield* readFolder(path, options)
  }
  return [{ file: path, transcript: yield* readTranscript(path, options) } satisfies Read]
})

/** Sessions of several files may have the same id: the later ones are told apart by a number. */
const withOwnIds = (sessions: ReadonlyArray<Session>): ReadonlyArray<Session> => {
  const taken = new Set<string>()
  return sessions.map((session) => {
    let id = session.id
    for (let number = 2; taken.has(id); number++) id = `${session.id}-${number}`
    taken.add(id)
    return id === session.id ? session : { ...session, id }
  })
}

/**
 * All sessions at one path, also those of the several files of a folder, as one transcript.
 *
 * @since 0.1.0
 * @category constructors
 */
export const readAll = Effect.fnUntraced(function* (path: string, format: string | undefined) {
  const options: Formats.Options = format === undefined ? {} : { format }
  const fs = yield* FileSystem.FileSystem
  const found = path === "-" ? Option.none() : yield* Effect.option(fs.stat(path))
  if (Option.isNone(found) || found.value.type !== "Directory") return yield* readTranscript(path, options)
  const all = yield* readFolder(path, options)
  const sessions = withOwnIds(all.flatMap(({ transcript }) => transcript.sessions))
  if (!Arr.isNonEmptyReadonlyArray(sessions)) return yield* new BadInput({ message: `${path} holds no sessions` })
  const formats = [...new Set(all.map(({ transcript }) => transcript.format))]
  return { format: formats.join(", "), sessions } satisfies Transcript
})
