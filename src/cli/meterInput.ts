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
import type { File } from "../formats/Format.ts"
import * as Formats from "../formats/Formats.ts"
import type { Session, Transcript } from "../formats/Transcript.ts"
import { BadInput } from "./exitCode.ts"
import { readTranscript } from "./input.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly file: string
  readonly transcript: Transcript
}

const textOf = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(
    Effect.mapError((error) => new BadInput({ message: `cannot read ${path}: ${error.message}` }))
  )

const decode = (file: string, source: string | ReadonlyArray<File>, format: string | undefined) =>
  Formats.decode(source, format === undefined ? {} : { format }).pipe(
    Either.map((transcript): Read => ({ file, transcript })),
    Either.mapLeft(({ message }) => new BadInput({ message: `${file}: ${message}` }))
  )

/** A folder may be one session in several files, or several sessions in a file each. */
const readFolder = Effect.fnUntraced(function* (folder: string, format: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.mapError(
    fs.readDirectory(folder),
    (error) => new BadInput({ message: `cannot read ${folder}: ${error.message}` })
  )
  const files = yield* Effect.forEach(names.filter((name) => /\.(jsonl?|traj)$/u.test(name)).toSorted(), (name) =>
    Effect.map(textOf(path.join(folder, name)), (text): File => ({ name, text }))
  )
  if (files.length === 0) {
    return yield* new BadInput({ message: `${folder} holds no .json, .jsonl or .traj files` })
  }
  if (Formats.detect(files) !== undefined) return [yield* decode(folder, files, format)]
  return yield* Effect.forEach(files, ({ name, text }) => decode(path.join(folder, name), text, format))
})

const optionsOf = (format: string | undefined): Formats.Options => (format === undefined ? {} : { format })

/**
 * The transcripts at one path; `-` is standard input.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = Effect.fnUntraced(function* (path: string, format: string | undefined) {
  if (path !== "-") {
    const fs = yield* FileSystem.FileSystem
    const found = yield* Effect.mapError(
      fs.stat(path),
      () => new BadInput({ message: `there is no file or folder ${path} that may be read` })
    )
    if (found.type === "Directory") return yield* readFolder(path, format)
  }
  return [{ file: path, transcript: yield* readTranscript(path, optionsOf(format)) } satisfies Read]
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
  const fs = yield* FileSystem.FileSystem
  const found = path === "-" ? Option.none() : yield* Effect.option(fs.stat(path))
  if (Option.isNone(found) || found.value.type !== "Directory") return yield* readTranscript(path, optionsOf(format))
  const all = yield* readFolder(path, format)
  const sessions = withOwnIds(all.flatMap(({ transcript }) => transcript.sessions))
  if (!Arr.isNonEmptyReadonlyArray(sessions)) return yield* new BadInput({ message: `${path} holds no sessions` })
  const formats = [...new Set(all.map(({ transcript }) => transcript.format))]
  return { format: formats.join(", "), sessions } satisfies Transcript
})
