import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import * as LogStore from "../../src/layers/LogStore.ts"

/** The batches of an opened log. */
export const readAll = (log: LogStore.LogHandle, from = 0) =>
  Effect.map(Stream.runCollect(log.read(from)), Chunk.toArray)

/** A folder that goes with the scope, and Node's file system. */
export const makeDirectory = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()).pipe(
  Effect.provide(NodeFileSystem.layer)
)

/** A file store in a folder of its own. */
export const layerFileTemporary = Layer.unwrapScoped(
  Effect.map(makeDirectory, (directory) => LogStore.layerFile({ directory }))
).pipe(Layer.provide(NodeFileSystem.layer))

/** Opens `id` in that folder, for one use. */
export const withLog =
  (directory: string, id = "s", fs: Layer.Layer<FileSystem.FileSystem> = NodeFileSystem.layer) =>
  <A, E>(use: (log: LogStore.LogHandle) => Effect.Effect<A, E>) =>
    Effect.flatMap(LogStore.LogStore, (store) => Effect.scoped(Effect.flatMap(store.open(id), use))).pipe(
      Effect.provide(Layer.provide(LogStore.layerFile({ directory }), fs))
    )

/** Node's file system with some of it changed. */
export const layerWith = (change: (fs: FileSystem.FileSystem) => Partial<FileSystem.FileSystem>) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({ ...fs, ...change(fs) }))
  ).pipe(Layer.provide(NodeFileSystem.layer))

/** Node's file system with other files: what `change` gives is put over the file that was opened. */
export const layerFiles = (change: (file: FileSystem.File, path: string) => Partial<FileSystem.File>) =>
  layerWith((fs) => ({
    open: (path, options) =>
      Effect.map(fs.open(path, options), (file) =>
        // the methods are on the prototype, some of them as getters
        Object.create(file, Object.getOwnPropertyDescriptors(change(file, path)))
      )
  }))

/** Asks for no sync. */
export const plain = { sync: false }

export const first = { seq: 0, events: ["a", { b: 1 }] }
export const second = { seq: 2, events: ["ä".repeat(20)] }

/** A folder whose session "s" holds both batches. */
export const makeLog = Effect.gen(function* () {
  const directory = yield* makeDirectory
  yield* withLog(directory)((log) => Effect.zipRight(log.append(first, plain), log.append(second, plain)))
  const path = `${directory}/s.jsonl`
  const bytes = readFileSync(path)
  return { directory, path, bytes, secondAt: bytes.indexOf("\n") + 1 }
})
