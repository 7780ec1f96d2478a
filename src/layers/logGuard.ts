/**
 * Looks whether a log is still its writer's. A lock keeps others out only while its folder is there: somebody may remove
 * it, by hand or with a clean-up, while the writer lives, and then another process gets in.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isReason } from "./logFault.ts"
import type { Lock } from "./logLock.ts"

/**
 * Each answers why the log is no longer the writer's, or nothing: because of its lock, or of its file, which the writer
 * left so many bytes long.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogGuard {
  readonly lock: Effect.Effect<string | undefined, PlatformError>
  readonly file: (length: number) => Effect.Effect<string | undefined, PlatformError>
}

/**
 * For the file at `path` that has this inode, where the file system has such numbers.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly fs: FileSystem.FileSystem
  readonly path: string
  readonly inode: number | undefined
  readonly lock: Lock
}): LogGuard => {
  const { fs, inode, lock, path } = options
  return {
    lock: Effect.map(lock.isHeld, (held) =>
      held ? undefined : `its lock in ${lock.folder} was removed: another process may have it open`
    ),
    file: (length) =>
      fs.stat(path).pipe(
        Effect.map(({ ino, size }) => {
          if (Option.getOrUndefined(ino) !== inode) return `another file is at ${path} now`
          return Number(size) === length
            ? undefined
            : `${path} is ${size} bytes long and this writer left it at ${length}: something else changed it`
        }),
        Effect.catchIf(
          (error) => isReason(error, "NotFound"),
          () => Effect.succeed(`${path} was removed`)
        )
      )
  }
}
