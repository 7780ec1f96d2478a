/**
 * The folder that the chat's tools work in, and cannot leave: not by a path, not through a link, and not through a link
 * that is made between the check and the use.
 *
 * Node opens nothing relative to an open folder, so each use is checked twice: the real path before, and afterwards that
 * what was opened is what stands at that path. A file is written under a new name beside its place, checked, and then put
 * in its place.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { constants, type BigIntStats, type Dirent } from "node:fs"
import * as Fs from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

/**
 * A path that a tool may not or cannot use, in words for the model and the person alike.
 *
 * @since 0.1.0
 * @category errors
 */
export class PathRefused extends Data.TaggedError("PathRefused")<{ readonly message: string }> {}

type FileOperations = Pick<
  typeof Fs,
  "open" | "realpath" | "lstat" | "readdir" | "mkdir" | "rename" | "unlink" | "chmod"
>

/**
 * `root` is the folder's real path.
 *
 * @since 0.1.0
 * @category models
 */
export interface Folder {
  readonly root: string
  readonly named: string
  readonly fs: FileOperations
}

/**
 * What a file was when it was read, so that writing it again can see that nobody else did.
 *
 * @since 0.1.0
 * @category models
 */
export type Version = Pick<BigIntStats, "ino" | "dev" | "size" | "mtimeNs">

const refuse = (message: string) => Effect.fail(new PathRefused({ message }))

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "it may not be used by you",
  EPERM: "it may not be used by you",
  ENOTDIR: "a part of the path is no folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a link",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only"
}

const attempt = <A>(path: string, use: () => Promise<A>): Effect.Effect<A, PathRefused> =>
  Effect.tryPromise({
    try: use,
    catch: (error) => new PathRefused({ message: `${path}: ${reasons[codeOf(error)] ?? codeOf(error)}` })
  })

const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** How a real path inside is called in answers. */
export const shortName = ({ root }: Folder, path: string): string => relative(root, path) || "."

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (named: string, fs: FileOperations = Fs): Effect.Effect<Folder, PathRefused> =>
  Effect.map(
    attempt(named, () => fs.realpath(named)),
    (root) => ({ root, named: resolve(named), fs })
  )

const outside = (given: string) =>
  refuse(`${given}: this is outside of the working folder, which the tools cannot leave`)

/** Where a path leads by its words alone; what is not there is not asked for outside. */
const placeOf = (folder: Folder, given: string): Effect.Effect<string, PathRefused> => {
  if (given.includes("\0")) return refuse(`${JSON.stringify(given)} is no path`)
  const place = resolve(folder.root, given)
  if (isInside(folder.root, place)) return Effect.succeed(place)
  return isInside(folder.named, place)
    ? Effect.succeed(join(folder.root, relative(folder.named, place)))
    : outside(given)
}

/**
 * The real path of something that is there.
 *
 * @since 0.1.0
 * @category getters
 */
export const existing = Effect.fnUntraced(function* (folder: Folder, given: string, path = given) {
  const place = yield* placeOf(folder, path)
  const real = yield* attempt(given, () => folder.fs.realpath(place))
  return isInside(folder.root, real) ? real : yield* outside(given)
})

const isSame = (a: Version, b: Version) => a.ino === b.ino && a.dev === b.dev

/** What was opened is what stands at a path that no link leads away from. */
const verify = Effect.fnUntraced(function* (folder: Folder, handle: Fs.FileHandle, path: string, given: string) {
  const held = yield* attempt(given, () => handle.stat({ bigint: true }))
  const real = yield* attempt(given, () => folder.fs.realpath(path))
  const there = yield* attempt(given, () => folder.fs.lstat(path, { bigint: true }))
  if (real !== path || !isSame(held, there)) {
    return yield* refuse(`${given}: it was replaced while it was opened, so that it was not used`)
  }
  return held
})

const opened = (folder: Folder, path: string, given: string, flags: number, mode?: number) =>
  Effect.acquireRelease(
    // a pipe without a writer would wait for one for ever
    attempt(given, () => folder.fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode)),
    (handle) => Effect.ignore(attempt(given, () => handle.close()))
  )

/**
 * Opens a file of the folder for reading, for as long as the scope; `path` is a real one, of `existing`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open: (
  folder: Folder,
  path: string,
  given: string
) => Effect.Effect<{ readonly handle: Fs.FileHandle; readonly version: Version }, PathRefused, Scope.Scope> =
  Effect.fnUntraced(function* (folder, path, given) {
    const handle = yield* opened(folder, path, given, constants.O_RDONLY)
    const stats = yield* verify(folder, handle, path, given)
    if (stats.isDirectory()) return yield* refuse(`${given}: it is a folder`)
    if (!stats.isFile()) return yield* refuse(`${given}: it is no ordinary file`)
    return { handle, version: stats }
  })

/**
 * What a folder holds, by name. Links are told as links, and not followed.
 *
 * @since 0.1.0
 * @category getters
 */
export const entries = Effect.fnUntraced(function* (folder: Folder, path: string, given: string) {
  const before = yield* attempt(given, () => folder.fs.lstat(path, { bigint: true }))
  if (!before.isDirectory()) return yield* refuse(`${given}: it is no folder`)
  const found: ReadonlyArray<Dirent> = yield* attempt(given, () => folder.fs.readdir(path, { withFileTypes: true }))
  const after = yield* attempt(given, () => folder.fs.lstat(path, { bigint: true }))
  const real = yield* attempt(given, () => folder.fs.realpath(path))
  if (real !== path || !isSame(before, after)) {
    return yield* refuse(`${given}: it was replaced while it was read, so that it was not used`)
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
})

/** The real path of a folder to write in; what of it is missing is made, one by one, and looked at after. */
const folderFor = (folder: Folder, place: string, given: string): Effect.Effect<string, PathRefused> =>
  Effect.gen(function* () {
    const found = yield* Effect.either(existing(folder, given, place))
    if (found._tag === "Right") return found.right
    const there = yield* Effect.option(attempt(given, () => folder.fs.lstat(place)))
    if (there._tag === "Some" || place === folder.root) return yield* found.left
    const parent = yield* folderFor(folder, dirname(place), given)
    const made = join(parent, basename(place))
    yield* attempt(given, () => folder.fs.mkdir(made))
    const real = yield* attempt(given, () => folder.fs.realpath(made))
    return real === made ? made : yield* refuse(`${given}: its folder was replaced while it was made`)
  })

/** The file that is to be written, whether it is there, and as what. */
const target = Effect.fnUntraced(function* (folder: Folder, given: string) {
  const place = yield* placeOf(folder, given)
  const parent = yield* folderFor(folder, dirname(place), given)
  const path = join(parent, basename(place))
  const there = yield* Effect.option(attempt(given, () => folder.fs.lstat(path)))
  if (there._tag === "None") return { path, stats: undefined }
  // a link to a file of the folder means that file
  const real = there.value.isSymbolicLink() ? yield* existing(folder, given, path) : path
  const stats = yield* attempt(given, () => folder.fs.lstat(real, { bigint: true }))
  if (stats.isFile()) return { path: real, stats }
  return yield* refuse(`${given}: ${stats.isDirectory() ? "it is a folder" : "it is no ordinary file"}`)
})

/**
 * Writes a file whole or not at all, and makes the folders that it needs. `version`: the file that it replaces, undefined
 * where there must be none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const write = (
  folder: Folder,
  given: string,
  text: string,
  version: Version | undefined
): Effect.Effect<void, PathRefused> =>
  Effect.gen(function* () {
    const { path, stats } = yield* target(folder, given)
    const isAsRead =
      version === undefined || stats === undefined
        ? version === stats
        : isSame(version, stats) && version.size === stats.size && version.mtimeNs === stats.mtimeNs
    if (!isAsRead) return yield* refuse(`${given}: somebody else changed it meanwhile, so that it was not written`)
    const fresh = join(dirname(path), `.chat-${randomBytes(6).toString("hex")}.tmp`)
    const mode = stats === undefined ? 0o666 : Number(stats.mode & 0o777n)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    yield* Effect.gen(function* () {
      const handle = yield* opened(folder, fresh, given, flags, mode)
      yield* verify(folder, handle, fresh, given)
      yield* attempt(given, () => handle.writeFile(text))
      // what the process's mask took away
      if (stats !== undefined) yield* attempt(given, () => handle.chmod(mode))
      // were the folder replaced by now, the new file would not be found there, and nothing happens
      yield* attempt(given, () => folder.fs.rename(fresh, path))
    }).pipe(
      Effect.onError(() => Effect.ignore(attempt(given, () => folder.fs.unlink(fresh)))),
      Effect.uninterruptible
    )
  }).pipe(Effect.scoped)
