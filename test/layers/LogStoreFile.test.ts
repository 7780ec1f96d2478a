import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as LogStore from "../../src/layers/LogStore.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import { makeDirectory, readAll, withLog, first, second, plain, makeLog } from "./logs.ts"

describe("the file", () => {
  it.scoped("is one line a batch, for its owner alone", () =>
    Effect.gen(function* () {
      const { path, bytes } = yield* makeLog
      const lines = bytes.toString().split("\n")
      assert.strictEqual(lines.length, 3)
      assert.match(lines[0]!, /^\{"v":1,"seq":0,"count":2,"events":\["a",\{"b":1\}\],"sum":"[0-9a-f]{8}"\}$/)
      assert.strictEqual(JSON.parse(lines[1]!).events[0], second.events[0])
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    })
  )

  it.scoped("that was cut at any byte of its last line opens without that batch, and goes on", () =>
    Effect.gen(function* () {
      const { directory, path, bytes, secondAt } = yield* makeLog
      const warnings: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void warnings.push(String(message)))
      )
      for (let cut = secondAt; cut < bytes.length; cut++) {
        truncateSync(path, 0)
        appendFileSync(path, bytes.subarray(0, cut))
        warnings.length = 0
        const batch = { seq: 2, events: [`after ${cut}`] }
        yield* withLog(directory)((log) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* readAll(log), [first])
            yield* log.append(batch, plain)
          })
        ).pipe(Effect.provide(logger))
        if (cut === secondAt) assert.deepStrictEqual(warnings, [])
        else assert.match(warnings.join(), new RegExp(`cut ${cut - secondAt} bytes .* at seq 2$`))
        assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, batch])
      }
    })
  )

  it.scoped("that is damaged anywhere else is refused with the place, and left as it is", () =>
    Effect.gen(function* () {
      const { directory, path, bytes, secondAt } = yield* makeLog
      const newer = Buffer.from('{"v":2,"from":"the future"}\n')
      const cases: ReadonlyArray<readonly [Buffer, number, number, RegExp]> = [
        [Buffer.concat([bytes.subarray(0, 40), Buffer.from("X"), bytes.subarray(41)]), 0, 1, /checksum/],
        [
          Buffer.concat([bytes.subarray(0, secondAt + 45), Buffer.from("X"), bytes.subarray(secondAt + 46)]),
          2,
          2,
          /checksum/
        ],
        [bytes.subarray(secondAt), 0, 1, /begins at seq 2 and 0 comes next/],
        [Buffer.concat([bytes, bytes.subarray(secondAt)]), 3, 3, /begins at seq 2 and 3 comes next/],
        [Buffer.concat([bytes, newer]), 3, 3, /format version 2, newer than version 1/],
        [Buffer.concat([bytes, newer.subarray(0, -1)]), 3, 3, /format version 2, newer than version 1/],
        [Buffer.from("notes to myself"), 0, 1, /not a batch/]
      ]
      for (const [damaged, seq, line, reason] of cases) {
        writeFileSync(path, damaged)
        const error = yield* Effect.flip(withLog(directory)(() => Effect.void))
        assert.deepInclude(error, { _tag: "SessionCorrupt", session: "s", seq, line })
        assert.match(error.message, reason)
        assert.isTrue(readFileSync(path).equals(damaged))
      }
      writeFileSync(path, bytes)
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second])
    })
  )

  it.scoped("whose count is not that of its events is refused when it is read", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* makeLog
      const text = '{"v":1,"seq":3,"count":2,"events":[1]'
      appendFileSync(path, `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`)
      const error = yield* Effect.flip(withLog(directory)(readAll))
      assert.deepInclude(error, { _tag: "SessionCorrupt", seq: 3, line: 3 })
      assert.include(error.message, "holds 1 events and says 2")
    })
  )

  it.scoped("gives each batch on the way to who opens it, and the bytes stay as they are", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      const batches = [10, 1_000_000, 2_000_000, 7].map((size, i) => ({ seq: 3 + i, events: ["é".repeat(size)] }))
      yield* withLog(directory)((log) => Effect.forEach(batches, (batch) => log.append(batch, plain)))
      const given: Array<LogStore.EncodedBatch> = []
      const store = yield* Effect.provide(LogStore.LogStore, layerLogStoreFile({ directory }))
      yield* Effect.scoped(
        store.open("s", (batch) => {
          given.push(batch)
          return Either.void
        })
      )
      const read = given.map(({ json, seq }) => ({
        seq,
        events: JSON.parse(new TextDecoder().decode(json)) as unknown
      }))
      assert.deepStrictEqual<unknown>(read, [first, second, ...batches])
    })
  )

  it.scoped("that holds what who opens it refuses is refused with the place", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      const store = yield* Effect.provide(LogStore.LogStore, layerLogStoreFile({ directory }))
      const open = store.open("s", ({ seq }) => (seq === 2 ? Either.left({ seq, reason: "no event" }) : Either.void))
      const error = yield* Effect.flip(Effect.scoped(open))
      assert.deepInclude(error, { _tag: "SessionCorrupt", session: "s", seq: 2, line: 2, reason: "no event" })
    })
  )

  it.scoped("that is cut while it is open is not read as if it were whole", () =>
    Effect.gen(function* () {
      const { directory, path, secondAt } = yield* makeLog
      const error = yield* withLog(directory)((log) => {
        truncateSync(path, secondAt)
        return Effect.flip(readAll(log))
      })
      assert.deepInclude(error, { _tag: "SessionCorrupt", seq: 2, line: 2 })
    })
  )

  it.scoped("holds batches that are larger than what is read at once", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const batches = [10, 1_000_000, 0, 262_100, 300_000].map((size, seq) => ({ seq, events: ["é".repeat(size)] }))
      yield* withLog(directory)((log) => Effect.forEach(batches, (batch) => log.append(batch, plain)))
      assert.deepStrictEqual(yield* withLog(directory)(readAll), batches)
      assert.deepStrictEqual(yield* withLog(directory)((log) => readAll(log, 3)), batches.slice(3))
    })
  )

  it.scoped("has a name that no id can lead out of the folder, and that no other id has", () =>
    Effect.gen(function* () {
      const directory = `${yield* makeDirectory}/not/there/yet`
      const long = "😀".repeat(200)
      const ids = [
        "../../up",
        "..",
        ".",
        "/etc/x",
        "a.b",
        "A",
        "a",
        "%41",
        "Ä",
        "con",
        "\ud83d",
        "\ude00",
        "�",
        long,
        `${long.slice(2)}x`
      ]
      for (const id of ids) {
        yield* withLog(directory, id)((log) => log.append({ seq: 0, events: [id] }, plain))
      }
      for (const id of ids) {
        assert.deepStrictEqual(yield* withLog(directory, id)(readAll), [{ seq: 0, events: [id] }])
      }
      const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"))
      assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, ids.length)
      for (const name of names) assert.match(name, /^[a-z0-9_%~-]{1,200}\.jsonl$/)
      assert.include(names, "%2e%2e%2f%2e%2e%2fup.jsonl")
      assert.isFalse(existsSync(`${directory}/../up.jsonl`))
    })
  )

  it.scoped("that cannot be opened says why", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      writeFileSync(`${directory}/file`, "")
      const error = yield* Effect.flip(withLog(`${directory}/file`)(() => Effect.void))
      assert.deepInclude(error, { _tag: "LogWriteFailed", written: "no" })
      assert.match(error.message, /the log could not be opened: .*(?:EEXIST|ENOTDIR)/)
    })
  )

  it.scoped("is reached by the layer for Node too", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      const store = yield* Effect.provide(LogStore.LogStore, layerLogStoreFile({ directory }))
      assert.isTrue(yield* store.exists("s"))
      assert.deepStrictEqual(yield* readAll(yield* store.open("s")), [first, second])
    })
  )
})
