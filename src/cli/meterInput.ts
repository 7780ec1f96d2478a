/**
 * Reads the transcripts that the meter is held against: files, and folders of files.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { File } from "../formats/Format.ts"
import * as Formats from "../formats/Formats.ts"
import type { Transcript } from "../formats/Transcript.ts"
import { BadInput } from "./exitCode.ts"

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

const decode = (file: string, source: string | ReadonlyArray<File>, options: Formats.Options) =>
  Formats.decode(source, options).pipe(
    Either.map((transcript): Read => ({ file, transcript })),
    Either.mapLeft(({ message }) => new BadInput({ message: `${file}: ${message}` }))
  )

/** A folder may be one session in several files, or several sessions in a file each. */
const readFolder = Effect.fnUntraced(function* (folder: string, options: Formats.Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.mapError(
    fs.readDirectory(folder),
    (error) => new BadInput({ message: `cannot read ${folder}: ${error.message}` })
  )
  // some tools keep a session's events one a file, in a folder of their own
  const events = names.includes("events")
    ? yield* Effect.orElseSucceed(fs.readDirectory(path.join(folder, "events")), () => [])
    : []
  const all = [...names, ...events.map((name) => `events/${name}`)]
  const files = yield* Effect.forEach(all.filter((name) => /\.(jsonl?|traj)$/u.test(name)).toSorted(), (name) =>
    Effect.map(textOf(path.join(folder, name)), (text): File => ({ name, text }))
  )
  if (files.length === 0) {
    return yield* new BadInput({ message: `${folder} holds no .json, .jsonl or .traj files` })
  }
  if (Formats.detect(files) !== undefined) return [yield* decode(folder, files, options)]
  return yield* Effect.forEach(files, ({ name, text }) => decode(path.join(folder, name), text, options))
})

/**
 * The transcripts at one path.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = Effect.fnUntraced(function* (path: string, options: Formats.Options = {}) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.mapError(
    fs.stat(path),
    () => new BadInput({ message: `there is no file or folder ${path} that may be read` })
  )
  if (found.type === "Directory") return yield* readFolder(path, options)
  return [yield* decode(path, yield* textOf(path), options)]
})
