import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { readdirSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { fromSessionId } from "../../src/layers/logFileName.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import { LogStore } from "../../src/layers/LogStore.ts"
import { makeDirectory, plain } from "./logs.ts"

/** What has led out of folders, or been another name for the same file, on one system or another. */
const pieces = [
  ["..", ".", "/", "\\", "\0", "\n", ":", "::$DATA", "~", "%", "%2e", "%u", " ", "*", "?", "\u202e", "\ufeff"],
  ["con", "NUL", "com1", "LPT9", "aux.txt", "prn ", "é", "e\u0301", "\u212b", "\u00c5", "ﬁ", "İ", "ı", "ß"],
  ["\ud83d", "\ude00", "😀", "a", "A", "K", "\u212a", "x".repeat(300), "é".repeat(200)]
].flat()

const ids = FastCheck.oneof(
  FastCheck.array(FastCheck.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join("")),
  FastCheck.string({ unit: "binary", maxLength: 300 }),
  FastCheck.constantFrom(...pieces)
)

describe("the file of a session", () => {
  it.effect("is in the folder whatever the id, and no other id's on any file system", () =>
    Effect.gen(function* () {
      const idOf = new Map<string, string>()
      for (const id of [...pieces, ...FastCheck.sample(ids, 2_000)]) {
        const name = yield* fromSessionId(id)
        // nothing here is folded, normalised, a separator, or the end of a name that a system would cut off
        assert.match(name, /^[a-z0-9_%~-]{0,200}$/, JSON.stringify(id))
        assert.strictEqual(resolve("/logs", `${name}.jsonl`), `/logs/${name}.jsonl`)
        assert.notMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)$/, JSON.stringify(id))
        assert.strictEqual(idOf.get(name) ?? id, id)
        idOf.set(name, id)
      }
      assert.isAbove(idOf.size, 1_000)
    })
  )

  it.scoped.runIf(process.platform !== "win32")("and all that lies beside it are for their owner alone", () =>
    Effect.gen(function* () {
      const directory = `${yield* makeDirectory}/logs`
      const store = yield* Effect.provide(LogStore, layerLogStoreFile({ directory, sync: "none" }))
      const log = yield* store.open("s")
      yield* log.append({ seq: 0, events: [0] }, plain)
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
      const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()
      assert.deepStrictEqual(names, ["s.jsonl", "s.lock", "s.lock/0000000001", "s.unsynced"])
      for (const name of names) {
        const mode = statSync(`${directory}/${name}`).mode & 0o777
        assert.strictEqual(mode, name === "s.lock" ? 0o700 : 0o600, name)
      }
    })
  )
})
