/**
 * Puts the names of a folder on disk: a file that was synced is lost with the power as long as its name was not.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"

/** What systems answer that cannot sync a folder, and need not. Every other failure may mean that names are lost. */
const cannot: ReadonlySet<unknown> = new Set(["EINVAL", "EPERM", "EACCES", "EBADF", "EISDIR", "ENOTSUP", "ENOSYS"])

const isCannot = (error: PlatformError): boolean =>
  error._tag === "SystemError" && cannot.has((error.cause as { readonly code?: unknown } | undefined)?.code)

/**
 * Syncs the folder itself, where the platform can.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sync = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void, PlatformError> =>
  Effect.scoped(Effect.flatMap(fs.open(path, { flag: "r" }), (folder) => folder.sync)).pipe(
    Effect.catchIf(isCannot, () => Effect.void)
  )

const parentOf = (path: string): string => {
  const slash = path.lastIndexOf("/", path.length - 2)
  return slash > 0 ? path.slice(0, slash) : slash === 0 ? "/" : "."
}

/**
 * Syncs the folder and those above it: one that is there may be the work of a process that died before it did.
 *
 * @since 0.1.0
 * @category combinators
 */
export const syncWithParents = (fs: FileSystem.FileSystem, path: string): Effect.Effect<void, PlatformError> => {
  const parent = parentOf(path)
  const own = sync(fs, path)
  return parent === path ? own : Effect.zipRight(own, syncWithParents(fs, parent))
}
