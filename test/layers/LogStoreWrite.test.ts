import type * as FileSystem from "@effect/platform/FileSystem"
import * as PlatformError from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as LogStore from "../../src/layers/LogStore.ts"
import { layerFiles, makeDirectory, readAll, withLog, first, second, plain, makeLog } from "./logs.ts"

const noSpace = new PlatformError.SystemError({
  reason: "Unknown",
  module: "FileSystem",
  method: "writeAll",
  description: "ENOSPC: no space left on device, write"
})

/** Node's file system, with the log's own file changed and the locks as they are. */
const layerLogFile = (change: (file: FileSystem.File) => Partial<FileSystem.File>) =>
  layerFiles((file, path) => (path.endsWith(".jsonl") ? change(file) : {}))

describe("a write", () => {
  it.scoped("that failed half way is undone, and the next one lands [ATOMIC-1]", () =>
    Effect.gen(function* () {
      const { directory, bytes, path } = yield* makeLog
      let full = true
      const disk = layerLogFile((file) => ({
        writeAll: (line) => (full ? Effect.zipRight(file.writeAll(line.subarray(0, 20)), noSpace) : file.writeAll(line))
      }))
      yield* withLog(
        directory,
        "s",
        disk
      )((log) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(log.append({ seq: 3, events: [3] }, plain))
          assert.deepInclude(error, { _tag: "LogWriteFailed", seq: 3, written: "no" })
          assert.include(error.message, "ENOSPC: no space left on device")
          assert.isTrue(readFileSync(path).equals(bytes))
          full = false
          yield* log.append({ seq: 3, events: ["later"] }, plain)
        })
      )
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second, { seq: 3, events: ["later"] }])
    })
  )

  it.scoped("that failed and cannot be undone is in doubt, and ends the writer", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      let writes = 0
      const disk = layerLogFile((file) => ({
        writeAll: (line) => {
          writes++
          return Effect.zipRight(file.writeAll(line.subarray(0, 20)), noSpace)
        },
        truncate: () => noSpace
      }))
      yield* withLog(
        directory,
        "s",
        disk
      )((log) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(log.append({ seq: 3, events: [3] }, plain))
          assert.deepInclude(error, { seq: 3, written: "unknown" })
          const after = yield* Effect.flip(log.append({ seq: 3, events: [3] }, plain))
          assert.deepInclude(after, { seq: 3, written: "unknown" })
          assert.include(after.message, "this writer ended when the write failed: ENOSPC")
          assert.strictEqual(writes, 1)
          assert.deepStrictEqual(yield* readAll(log), [first, second])
        })
      )
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second])
    })
  )

  it.scoped("whose sync failed is in doubt, and neither is tried again [A137]", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      let syncs = 0
      const disk = layerLogFile(() => ({
        get sync() {
          return Effect.suspend(() => {
            syncs++
            return noSpace
          })
        }
      }))
      yield* withLog(
        directory,
        "s",
        disk
      )((log) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(log.append({ seq: 3, events: [3] }, plain))).written, "unknown")
          assert.strictEqual((yield* Effect.flip(log.append({ seq: 4, events: [4] }, plain))).written, "unknown")
          assert.strictEqual(syncs, 1)
        })
      )
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second, { seq: 3, events: [3] }])
    })
  )

  it.scoped("is synced as the layer was told, and always if it asks", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const calls: Array<string> = []
      const disk = layerFiles((file, path) => {
        if (path.includes(".lock/")) return {}
        const kind = /\.(jsonl|unsynced)$/.exec(path)?.[1] ?? (directory === path ? "directory" : "above")
        if (kind === "above") return {}
        const name = { jsonl: "log", unsynced: "mark" }[kind] ?? kind
        return {
          writeAll: (line) =>
            Effect.zipRight(
              Effect.sync(() => calls.push(`write ${name}`)),
              file.writeAll(line)
            ),
          get sync() {
            return Effect.zipRight(
              Effect.sync(() => calls.push(`sync ${name}`)),
              file.sync
            )
          }
        }
      })
      const run = (options: LogStore.FileOptions) =>
        Effect.gen(function* () {
          calls.length = 0
          const store = yield* LogStore.LogStore
          const log = yield* store.open(options.sync ?? "default")
          yield* log.append({ seq: 0, events: [0] }, plain)
          yield* log.append({ seq: 1, events: [1] }, { sync: true })
          yield* log.append({ seq: 2, events: [2] }, { sync: false, idle: true })
          yield* log.append({ seq: 3, events: [] }, { sync: true })
          return calls.join(", ")
        }).pipe(Effect.scoped, Effect.provide(Layer.provide(LogStore.layerFile(options), disk)))

      const each = "sync directory, write log, sync log, write log, sync log, write log, sync log, sync log"
      assert.strictEqual(yield* run({ directory }), each)
      assert.strictEqual(yield* run({ directory, sync: "batch" }), each)
      // before the first write that is not synced, what stands there is, and a mark says how far that goes
      const marked = "sync directory, sync log, write mark, sync mark, sync directory"
      const byTurn = `${marked}, write log, write log, sync log, write log, sync log, sync log`
      assert.strictEqual(yield* run({ directory, sync: "turn" }), byTurn)
      const asked = `${marked}, write log, write log, sync log, write log, sync log`
      assert.strictEqual(yield* run({ directory, sync: "none" }), asked)
    })
  )

  it.scoped("that has begun is finished: neither an interruption nor the end of the scope cuts it", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const began = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const disk = layerLogFile((file) => ({
        writeAll: (line) =>
          Deferred.succeed(began, undefined).pipe(
            Effect.zipRight(Deferred.await(go)),
            Effect.zipRight(file.writeAll(line))
          )
      }))
      const store = yield* LogStore.LogStore.pipe(
        Effect.provide(Layer.provide(LogStore.layerFile({ directory }), disk))
      )
      const scope = yield* Scope.make()
      const log = yield* Scope.extend(store.open("s"), scope)
      const append = yield* Effect.fork(log.append({ seq: 0, events: [0] }, plain))
      yield* Deferred.await(began)
      const waiting = yield* Effect.fork(log.append({ seq: 1, events: [1] }, plain))
      const interrupting = yield* Effect.fork(Fiber.interruptAll([append, waiting]))
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      // locked until the write is over, whatever its caller wants
      for (let look = 0; look < 10; look++) {
        assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open("s"))))._tag, "SessionLocked")
      }
      assert.isTrue(Option.isNone(yield* Fiber.poll(closing)))
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(Fiber.zip(interrupting, closing))
      assert.deepStrictEqual(yield* withLog(directory, "s", NodeFileSystem.layer)(readAll), [{ seq: 0, events: [0] }])
    })
  )
})
