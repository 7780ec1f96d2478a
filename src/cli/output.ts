/**
 * Writes a file that a person named.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isReason } from "../layers/logFault.ts"
import { BadInput, RunFailed } from "./exitCode.ts"

/**
 * `option` named it; `force`: what is there already may go.
 *
 * @since 0.1.0
 * @category models
 */
export interface Output {
  readonly option: string
  readonly path: string
  readonly force: boolean
}

const infoOf = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.option(fs.stat(path)))

/** Where a link leads, to a file that is not there yet too. */
const targetOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const { dirname, resolve } = yield* Path.Path
  let at = path
  // a circle of links ends here, and is told when the file is written
  for (let links = 0; links < 40; links++) {
    const link = yield* Effect.option(fs.readLink(at))
    if (Option.isNone(link)) break
    at = resolve(dirname(at), link.value)
  }
  return at
})

/**
 * Fails where nothing can be written there, or something is there that may not go.
 *
 * @since 0.1.0
 * @category predicates
 */
export const refuseOutput = Effect.fnUntraced(function* ({ force, option, path }: Output) {
  const { dirname } = yield* Path.Path
  const target = yield* targetOf(path)
  const found = yield* infoOf(path)
  if (Option.isSome(found) && found.value.type === "Directory") {
    return yield* new BadInput({ message: `${option} ${path} is a folder` })
  }
  if (!force && (Option.isSome(found) || target !== path)) {
    return yield* new BadInput({ message: `${option} ${path} is there already; --force overwrites it` })
  }
  if (Option.isSome(found)) return
  const folder = yield* infoOf(dirname(target))
  if (Option.isNone(folder) || folder.value.type !== "Directory") {
    return yield* new BadInput({ message: `${option} ${path} cannot be written: there is no folder for it` })
  }
})

/**
 * Whether two paths lead to one file, through whatever links.
 *
 * @since 0.1.0
 * @category predicates
 */
export const sameFile = (one: string, other: string) =>
  Effect.map(
    Effect.all([infoOf(one), infoOf(other)]),
    ([a, b]) =>
      Option.isSome(a) &&
      Option.isSome(b) &&
      a.value.dev === b.value.dev &&
      Option.isSome(a.value.ino) &&
      Option.getOrUndefined(a.value.ino) === Option.getOrUndefined(b.value.ino)
  )

/**
 * The file has this text, or is as it was: a write that breaks off leaves nothing half done in its place. A link stays one,
 * and who may read the file stays as it was. What is no file (a device, a pipe) is written to.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replaceFile = Effect.fnUntraced(function* (output: Output, text: string) {
  const fs = yield* FileSystem.FileSystem
  const { option, path } = output
  // it may have come in the meantime
  yield* refuseOutput(output)
  const found = yield* infoOf(path)
  const told = Effect.mapError(
    (error: { readonly message: string }) =>
      new RunFailed({ message: `${option} ${path} could not be written: ${error.message}` })
  )
  if (Option.isSome(found) && found.value.type !== "File") return yield* told(fs.writeFileString(path, text))
  const target = yield* targetOf(path)
  const fresh = `${target}.${process.pid}.part`
  const mode = Option.isSome(found) ? found.value.mode & 0o777 : undefined
  const write = Effect.gen(function* () {
    yield* fs.writeFileString(fresh, text, { flag: "wx", ...(mode === undefined ? {} : { mode }) })
    // the mode that a file is made with is less than was asked for by the umask
    if (mode !== undefined) yield* fs.chmod(fresh, mode)
    yield* fs.rename(fresh, target)
  })
  // what was there before is not ours to remove
  const removed = Effect.ignore(fs.remove(fresh))
  yield* told(
    Effect.onError(write, (cause) =>
      Option.exists(Cause.failureOption(cause), (error) => isReason(error, "AlreadyExists")) ? Effect.void : removed
    )
  )
})
