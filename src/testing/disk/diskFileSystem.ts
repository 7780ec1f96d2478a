/**
 * A `FileSystem` over a disk in memory.
 *
 * @since 0.1.0
 */
import { type PlatformError, SystemError, type SystemErrorReason } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { isReason } from "../../layers/logFault.ts"
import { type Change, type Entry, type Image, type Inode, type Node, root } from "./diskImage.ts"

/**
 * `change` is the only way in which the image becomes another.
 *
 * @since 0.1.0
 * @category models
 */
export interface Drive {
  readonly image: Image
  readonly change: (...changes: ReadonlyArray<Change>) => void
  readonly nextInode: () => Inode
}

type Found<A> = Either.Either<A, PlatformError>

const words: Partial<Record<SystemErrorReason, string>> = {
  NotFound: "ENOENT: no such file or directory",
  AlreadyExists: "EEXIST: file already exists",
  BadResource: "ENOTDIR: not what it was taken for, a folder or a file"
}

const failure = (reason: SystemErrorReason, method: string, path: string) =>
  new SystemError({
    reason,
    module: "FileSystem",
    method,
    pathOrDescriptor: path,
    description: `${words[reason] ?? reason}, ${method} '${path}'`
  })

const partsOf = (path: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts
}

interface Place {
  readonly directory: Inode
  readonly entries: Map<string, Inode>
  readonly name: string
  readonly inode: Inode | undefined
}

const infoOf = (inode: Inode, node: Node): FileSystem.File.Info => ({
  type: node._tag,
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0,
  ino: Option.some(inode),
  mode: node.mode,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: FileSystem.Size(node._tag === "File" ? node.bytes.length : 0),
  blksize: Option.none(),
  blocks: Option.none()
})

const openFile = (drive: Drive, inode: Inode, appends: boolean): FileSystem.File => {
  let position = 0
  const node = () => drive.image.get(inode)!
  const bytes = () => {
    const found = node()
    return found._tag === "File" ? found.bytes : new Uint8Array()
  }
  const read = (length: number) => {
    const part = bytes().slice(position, position + length)
    position += part.length
    return part
  }
  const write = (buffer: Uint8Array) => {
    const at = appends ? bytes().length : position
    drive.change({ _tag: "Write", inode, at, bytes: buffer.slice() })
    if (!appends) position += buffer.length
  }
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    fd: FileSystem.FileDescriptor(inode),
    stat: Effect.sync(() => infoOf(inode, node())),
    seek: (offset, from) => Effect.sync(() => void (position = Number(offset) + (from === "current" ? position : 0))),
    sync: Effect.sync(() => drive.change({ _tag: "Sync", inode })),
    read: (buffer) =>
      Effect.sync(() => {
        const part = read(buffer.length)
        buffer.set(part)
        return FileSystem.Size(part.length)
      }),
    readAlloc: (size) =>
      Effect.sync(() => {
        const part = read(Number(size))
        return part.length === 0 ? Option.none() : Option.some(part)
      }),
    truncate: (length = 0) =>
      Effect.sync(() => {
        drive.change({ _tag: "Truncate", inode, length: Number(length) })
        if (!appends) position = Math.min(position, Number(length))
      }),
    write: (buffer) =>
      Effect.sync(() => {
        write(buffer)
        return FileSystem.Size(buffer.length)
      }),
    writeAll: (buffer) => Effect.sync(() => write(buffer))
  }
}

/**
 * Has files and folders, hard links and renames; no symbolic links, permissions, temporary names and watching.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (drive: Drive): FileSystem.FileSystem => {
  const directoryOf = (inode: Inode | undefined, method: string, path: string): Found<Map<string, Inode>> => {
    const node = inode === undefined ? undefined : drive.image.get(inode)
    if (node === undefined) return Either.left(failure("NotFound", method, path))
    return node._tag === "Directory" ? Either.right(node.entries) : Either.left(failure("BadResource", method, path))
  }

  /** Where a path leads: its folder has to be there, the name itself need not. */
  const placeOf = (path: string, method: string): Found<Place> => {
    const parts = partsOf(path)
    const name = parts.at(-1)
    if (name === undefined) return Either.right({ directory: root, entries: new Map(), name: "", inode: root })
    let directory = root
    let entries = directoryOf(root, method, path)
    for (const part of parts.slice(0, -1)) {
      if (Either.isLeft(entries)) return Either.left(entries.left)
      const inode = entries.right.get(part)
      entries = directoryOf(inode, method, path)
      directory = inode ?? root
    }
    return Either.map(entries, (entries) => ({ directory, entries, name, inode: entries.get(name) }))
  }

  const there = (path: string, method: string): Found<Place & { readonly inode: Inode }> =>
    Either.flatMap(placeOf(path, method), (place) =>
      place.inode === undefined
        ? Either.left(failure("NotFound", method, path))
        : Either.right({ ...place, inode: place.inode })
    )

  const create = (place: Place, kind: Node["_tag"], mode: number): Inode => {
    const inode = drive.nextInode()
    const entry: Entry = { directory: place.directory, name: place.name, inode }
    drive.change({ _tag: "Make", inode, kind, mode }, { _tag: "Entries", entries: [entry] })
    return inode
  }

  const openPath = (
    path: string,
    { flag = "r", mode = 0o666 }: FileSystem.OpenFileOptions = {}
  ): Found<FileSystem.File> =>
    Either.flatMap(placeOf(path, "open"), (place) => {
      if (place.inode !== undefined && flag.includes("x")) return Either.left(failure("AlreadyExists", "open", path))
      if (place.inode === undefined && flag.startsWith("r")) return Either.left(failure("NotFound", "open", path))
      const inode = place.inode ?? create(place, "File", mode)
      if (flag.startsWith("w")) drive.change({ _tag: "Truncate", inode, length: 0 })
      return Either.right(openFile(drive, inode, flag.startsWith("a")))
    })

  const makeDirectory = (path: string, options: FileSystem.MakeDirectoryOptions = {}): Found<void> => {
    const parts = partsOf(path)
    for (let depth = options.recursive === true ? 1 : parts.length; depth <= parts.length; depth++) {
      const place = placeOf(parts.slice(0, depth).join("/"), "makeDirectory")
      if (Either.isLeft(place)) return Either.left(place.left)
      const { inode } = place.right
      if (inode === undefined) create(place.right, "Directory", options.mode ?? 0o777)
      else if (options.recursive !== true || drive.image.get(inode)?._tag !== "Directory") {
        return Either.left(failure("AlreadyExists", "makeDirectory", path))
      }
    }
    return Either.void
  }

  const remove = (path: string, options: FileSystem.RemoveOptions = {}): Found<void> =>
    Either.match(there(path, "remove"), {
      onLeft: (error) => (options.force === true && isReason(error, "NotFound") ? Either.void : Either.left(error)),
      onRight: ({ directory, inode, name }) => {
        const node = drive.image.get(inode)
        if (node?._tag === "Directory" && node.entries.size > 0 && options.recursive !== true) {
          return Either.left(failure("Unknown", "remove", path))
        }
        drive.change({ _tag: "Entries", entries: [{ directory, name, inode: undefined }] })
        return Either.void
      }
    })

  const link = (from: string, to: string): Found<void> =>
    Either.flatMap(there(from, "link"), ({ inode }) =>
      Either.flatMap(placeOf(to, "link"), ({ directory, inode: taken, name }) => {
        if (taken !== undefined) return Either.left(failure("AlreadyExists", "link", to))
        drive.change({ _tag: "Entries", entries: [{ directory, name, inode }] })
        return Either.void
      })
    )

  const rename = (from: string, to: string): Found<void> =>
    Either.flatMap(there(from, "rename"), ({ directory, inode, name }) =>
      Either.map(placeOf(to, "rename"), (target) =>
        drive.change({
          _tag: "Entries",
          entries: [
            { directory, name, inode: undefined },
            { directory: target.directory, name: target.name, inode }
          ]
        })
      )
    )

  const bytesAt = (path: string, method: string): Found<Uint8Array> =>
    Either.flatMap(there(path, method), ({ inode }) => {
      const node = drive.image.get(inode)
      return node?._tag === "File"
        ? Either.right(node.bytes.slice())
        : Either.left(failure("BadResource", method, path))
    })

  const open: FileSystem.FileSystem["open"] = (path, options) => Effect.suspend(() => openPath(path, options))
  const writeFile: FileSystem.FileSystem["writeFile"] = (path, bytes, options) =>
    Effect.scoped(Effect.flatMap(open(path, { flag: "w", ...options }), (file) => file.writeAll(bytes)))

  return FileSystem.make({
    ...FileSystem.makeNoop({}),
    access: (path) => Effect.suspend(() => Either.map(there(path, "access"), () => undefined)),
    copyFile: (from, to) =>
      Effect.flatMap(
        Effect.suspend(() => bytesAt(from, "copyFile")),
        (bytes) => writeFile(to, bytes)
      ),
    link: (from, to) => Effect.suspend(() => link(from, to)),
    makeDirectory: (path, options) => Effect.suspend(() => makeDirectory(path, options)),
    open,
    readDirectory: (path) =>
      Effect.suspend(() =>
        Either.flatMap(there(path, "readDirectory"), ({ inode }) =>
          Either.map(directoryOf(inode, "readDirectory", path), (entries) => [...entries.keys()])
        )
      ),
    readFile: (path) => Effect.suspend(() => bytesAt(path, "readFile")),
    remove: (path, options) => Effect.suspend(() => remove(path, options)),
    rename: (from, to) => Effect.suspend(() => rename(from, to)),
    stat: (path) =>
      Effect.suspend(() => Either.map(there(path, "stat"), ({ inode }) => infoOf(inode, drive.image.get(inode)!))),
    truncate: (path, length = 0) =>
      Effect.suspend(() =>
        Either.map(there(path, "truncate"), ({ inode }) =>
          drive.change({ _tag: "Truncate", inode, length: Number(length) })
        )
      ),
    writeFile
  })
}
