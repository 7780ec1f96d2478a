import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Which calls of a file system fail: `at` says it of each by its number, from 0. A write of bytes that fails leaves the first
 * half of them.
 */
export interface Failing {
  calls: number
  at: (call: number) => boolean
  readonly description: string
}

/** The file system with these calls failing. */
export const layerFailing = (failing: Failing): Layer.Layer<FileSystem.FileSystem, never, FileSystem.FileSystem> =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      const call = <A, E, R = never>(
        method: string,
        effect: Effect.Effect<A, E, R>,
        before: Effect.Effect<unknown, E> = Effect.void
      ): Effect.Effect<A, E | PlatformError.PlatformError, R> =>
        Effect.suspend((): Effect.Effect<A, E | PlatformError.PlatformError, R> => {
          if (!failing.at(failing.calls++)) return effect
          const { description } = failing
          const error = new PlatformError.SystemError({ reason: "Unknown", module: "FileSystem", method, description })
          return Effect.zipRight(before, error)
        })
      const opened = (file: FileSystem.File): FileSystem.File => ({
        [FileSystem.FileTypeId]: FileSystem.FileTypeId,
        fd: file.fd,
        seek: (offset, from) => file.seek(offset, from),
        stat: call("stat", file.stat),
        sync: call("sync", file.sync),
        read: (buffer) => call("read", file.read(buffer)),
        readAlloc: (size) => call("readAlloc", file.readAlloc(size)),
        truncate: (length) => call("truncate", file.truncate(length)),
        write: (bytes) => call("write", file.write(bytes)),
        writeAll: (bytes) =>
          call("writeAll", file.writeAll(bytes), file.writeAll(bytes.subarray(0, Math.ceil(bytes.length / 2))))
      })
      return FileSystem.make({
        ...fs,
        access: (path, options) => call("access", fs.access(path, options)),
        link: (from, to) => call("link", fs.link(from, to)),
        makeDirectory: (path, options) => call("makeDirectory", fs.makeDirectory(path, options)),
        open: (path, options) => Effect.map(call("open", fs.open(path, options)), opened),
        readDirectory: (path, options) => call("readDirectory", fs.readDirectory(path, options)),
        readFile: (path) => call("readFile", fs.readFile(path)),
        remove: (path, options) => call("remove", fs.remove(path, options)),
        stat: (path) => call("stat", fs.stat(path))
      })
    })
  )
