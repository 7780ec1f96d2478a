/**
 * Marks a log whose appends are not all synced: how long it was when they began, all of it on disk. After a power loss only
 * what is behind that may have holes.
 *
 * The mark is on disk before the first such append, so one that was cut short has nothing behind it. Cut short it is a
 * smaller number: a log is never trusted further than it was synced.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isReason } from "./logFault.ts"
import * as LogFolder from "./logFolder.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly fs: FileSystem.FileSystem
  readonly directory: string
  readonly path: string
}

/**
 * How many bytes were on disk, where the log has a mark.
 *
 * @since 0.1.0
 * @category getters
 */
export const read = ({ fs, path }: Place): Effect.Effect<Option.Option<number>, PlatformError> =>
  fs.readFileString(path).pipe(
    Effect.map((text) => Option.some(Number(/^\d*/.exec(text)?.[0]))),
    Effect.catchIf(
      (error) => isReason(error, "NotFound"),
      () => Effect.succeedNone
    )
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const write = ({ directory, fs, path }: Place, length: number): Effect.Effect<void, PlatformError> =>
  Effect.scoped(
    Effect.flatMap(fs.open(path, { flag: "w", mode: 0o600 }), (file) =>
      Effect.zipRight(file.writeAll(new TextEncoder().encode(`${length}\n`)), file.sync)
    )
  ).pipe(Effect.zipRight(LogFolder.sync(fs, directory)))

/**
 * For a log that is on disk as it is. One that comes back after a power loss does no harm.
 *
 * @since 0.1.0
 * @category combinators
 */
export const remove = ({ fs, path }: Place): Effect.Effect<void, PlatformError> => fs.remove(path, { force: true })
