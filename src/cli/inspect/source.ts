/**
 * Reads the session file that is inspected, and keeps of it what inspecting needs.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { Options } from "../../formats/Formats.ts"
import { BadInput } from "../exitCode.ts"
import * as Input from "../input.ts"
import * as MeterInput from "../meterInput.ts"
import type { Kept } from "./kept.ts"

/**
 * A file line by line, standard input where it is called `-`, or a folder of one session's files.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = Effect.fnUntraced(function* (path: string, format: string | undefined, { keep }: Kept) {
  const options: Options = { keep, ...(format === undefined ? {} : { format }) }
  if (path === "-" || !(yield* isFolder(path))) return yield* Input.readTranscript(path, options)
  const [only, ...others] = yield* MeterInput.read(path, options)
  return only === undefined || others.length > 0
    ? yield* new BadInput({ message: `${path} holds several sessions: name one of its files` })
    : only.transcript
})

/** What is not there is for the reader to say. */
const isFolder = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )
