import * as PlatformError from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, utimesSync } from "node:fs"
import { first, layerFiles, layerWith, makeLog, plain, readAll, second, withLog } from "./logs.ts"

const third = { seq: 3, events: ["third"] }

const other = { seq: 3, events: ["another's"] }

/** What may happen while a process sleeps: its lock is removed, and the session opened by another. */
const takeOver = (directory: string, path: string) =>
  Effect.zipRight(
    Effect.sync(() => rmSync(path.replace(/jsonl$/, "lock"), { recursive: true })),
    Effect.orDie(withLog(directory)((log) => log.append(other, plain)))
  )

const ioError = new PlatformError.SystemError({
  reason: "Unknown",
  module: "FileSystem",
  method: "writeAll",
  description: "EIO: i/o error, write"
})

/** Each takes the log away from a writer that is alive. */
const losses: Readonly<Record<string, readonly [take: (path: string) => void, says: RegExp]>> = {
  "whose lock's folder was removed": [
    (path) => rmSync(path.replace(/jsonl$/, "lock"), { recursive: true }),
    /its lock in .*s\.lock was removed: another process may have it open/
  ],
  "whose file was removed": [(path) => rmSync(path), /s\.jsonl was removed/],
  "whose file was replaced": [
    (path) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
    /another file is at .*s\.jsonl now/
  ],
  "whose file was cut": [(path) => truncateSync(path, 40), /is 40 bytes long and this writer left it at \d+/],
  "whose file somebody else wrote to": [(path) => appendFileSync(path, "x"), /something else changed it/]
}

describe("a writer", () => {
  for (const [name, [take, says]] of Object.entries(losses)) {
    it.scoped(`${name} writes nothing more, and says why`, () =>
      Effect.gen(function* () {
        const { directory, path } = yield* makeLog
        yield* withLog(directory)((log) =>
          Effect.gen(function* () {
            yield* log.append(third, plain)
            take(path)
            for (let round = 0; round < 2; round++) {
              const error = yield* Effect.flip(log.append({ seq: 4, events: ["late"] }, plain))
              assert.deepInclude(error, { _tag: "LogWriteFailed", session: "s", seq: 4, written: "no" })
              assert.match(error.message, says)
            }
          })
        )
      })
    )
  }

  it.scoped("whose lock was removed leaves the session to who opened it since, and takes nothing from it", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* makeLog
      yield* withLog(directory)((former) =>
        Effect.gen(function* () {
          rmSync(path.replace(/jsonl$/, "lock"), { recursive: true })
          yield* withLog(directory)((log) =>
            Effect.gen(function* () {
              yield* log.append(third, plain)
              assert.strictEqual((yield* Effect.flip(former.append(third, plain))).written, "no")
              yield* log.append({ seq: 4, events: ["fourth"] }, plain)
            })
          )
        })
      )
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second, third, { seq: 4, events: ["fourth"] }])
    })
  )

  it.scoped("that lost the log between its look and its write does not say that it is written", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* makeLog
      const asleep = layerFiles((file, at) => ({
        writeAll: (line) =>
          at.endsWith(".jsonl") ? Effect.zipRight(takeOver(directory, path), file.writeAll(line)) : file.writeAll(line)
      }))
      const error = yield* Effect.flip(withLog(directory, "s", asleep)((log) => log.append(third, plain)))
      assert.deepInclude(error, { written: "unknown" })
      assert.include(error.message, "something else changed it")
    })
  )

  it.scoped("whose write failed meanwhile does not cut off what the next owner wrote", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* makeLog
      const asleep = layerFiles((file, at) => ({
        writeAll: (line) =>
          at.endsWith(".jsonl") ? Effect.zipRight(takeOver(directory, path), ioError) : file.writeAll(line)
      }))
      const error = yield* Effect.flip(withLog(directory, "s", asleep)((log) => log.append(third, plain)))
      assert.deepInclude(error, { written: "unknown" })
      assert.match(error.message, /EIO.*it could not be undone: its lock/)
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second, other])
    })
  )

  it.scoped("whose lock was only touched goes on", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* makeLog
      yield* withLog(directory)((log) =>
        Effect.gen(function* () {
          yield* log.append(third, plain)
          utimesSync(`${path.replace(/jsonl$/, "lock")}/0000000002`, 1, 1)
          yield* log.append({ seq: 4, events: [4] }, plain)
        })
      )
    })
  )

  it.scoped("that cannot look writes nothing, and goes on once it can", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      let blind = false
      const disk = layerWith((fs) => ({
        stat: (path) => (blind ? fs.stat("/dev/null/x") : fs.stat(path))
      }))
      yield* withLog(
        directory,
        "s",
        disk
      )((log) =>
        Effect.gen(function* () {
          blind = true
          const error = yield* Effect.flip(log.append(third, plain))
          assert.deepInclude(error, { written: "no" })
          assert.include(error.message, "ENOTDIR")
          blind = false
          yield* log.append(third, plain)
        })
      )
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second, third])
    })
  )
})
