/**
 * Writes a file that a person named.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { dirname } from "node:path"
import { BadInput, RunFailed } from "./exitCode.ts"

/**
 * Fails where something is there.
 *
 * @since 0.1.0
 * @category predicates
 */
export const refuseExisting = Effect.fnUntraced(function* (option: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(fs.exists(path), () => false)) {
    return yield* new BadInput({ message: `${option} ${path} is there already; --force overwrites it` })
  }
})

/**
 * Fails where the folder that the file is to be in is not there.
 *
 * @since 0.1.0
 * @category predicates
 */
export const refuseNowhere = Effect.fnUntraced(function* (option: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = dirname(path)
  if (yield* Effect.orElseSucceed(fs.exists(folder), () => true)) return
  return yield* new BadInput({ message: `${option} ${path} could not be written: there is no folder ${folder}` })
})

/**
 * The file has this text, or is as it was: a write that breaks off leaves nothing half done in its place.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replaceFile = Effect.fnUntraced(function* (option: string, path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const fresh = `${path}.${process.pid}.part`
  yield* fs.writeFileString(fresh, text, { flag: "wx" }).pipe(
    Effect.zipRight(fs.rename(fresh, path)),
    Effect.tapError(() => Effect.ignore(fs.remove(fresh))),
    Effect.onInterrupt(() => Effect.ignore(fs.remove(fresh))),
    Effect.mapError((error) => new RunFailed({ message: `${option} ${path} could not be written: ${error.message}` }))
  )
})
