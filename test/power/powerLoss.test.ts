import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { readFileSync } from "node:fs"
import { fileStore, record, type Setting, settings, type StoreLayer } from "./recorded.ts"
import { crash, powerLoss, type Promise, promises } from "./sweep.ts"

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

/** The file store on a disk whose files say that they were synced and are not. */
const withoutSync = (setting: Setting, of: (path: string) => boolean): StoreLayer =>
  Layer.provide(
    fileStore(setting),
    Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({
        ...fs,
        open: (path, options) =>
          Effect.map(fs.open(path, options), (file) => (of(path) ? { ...file, sync: Effect.void } : file))
      }))
    )
  )

/** The rows of the page's table: the setting, what a killed process loses, what a machine without power loses. */
const rows = [...readFileSync("docs/file-store.md", "utf8").matchAll(/^\| `(\w+)` +\|.*?\|(.*?)\|(.*?)\|.*\|$/gm)]
  .slice(1)
  .map(([, setting = "", killed = "", powerless = ""]) => ({
    setting: setting as Setting,
    killed: killed.trim(),
    powerless: powerless.trim()
  }))

const meaning: { readonly [words: string]: Promise } = {
  "nothing that was acknowledged": promises.batch,
  "nothing up to the last end or pause of a turn, and the last replacement": promises.turn,
  "nothing up to the last replacement": promises.none
}

describe("power lost at each change of the disk", () => {
  it("the page has a row for each setting", () =>
    assert.deepStrictEqual(
      rows.map(({ setting }) => setting),
      settings
    ))

  for (const { killed, powerless, setting } of rows) {
    it.effect(`sync "${setting}": a killed process loses ${killed}; without power: ${powerless}`, () =>
      Effect.gen(function* () {
        assert.containsAllKeys(meaning, [killed, powerless])
        const recorded = yield* record(setting)
        const promise = meaning[powerless]!
        assert.isAbove(recorded.acknowledged.filter(promise).length, 0)
        const { cases, lost } = yield* powerLoss(recorded, { seeds: [0, 1, 2], every: 3, whole: 20, promise })
        assert.deepStrictEqual(lost, [])
        assert.strictEqual(cases, recorded.changes + 1)
        assert.deepStrictEqual((yield* crash(recorded, { every: 8, promise: meaning[killed]! })).lost, [])
      }).pipe(quiet)
    )
  }

  it.effect("no setting keeps what only a stricter one promises", () =>
    Effect.gen(function* () {
      for (const [setting, stricter] of [
        ["turn", "batch"],
        ["none", "turn"]
      ] as const) {
        const { lost } = yield* powerLoss(yield* record(setting), {
          seeds: [0],
          whole: Infinity,
          every: 5,
          promise: promises[stricter]
        })
        assert.include(lost[0], "were promised and", setting)
      }
    }).pipe(quiet)
  )

  it.effect("a store that skips a sync is found out", () =>
    Effect.gen(function* () {
      const skipped = {
        "of the log": (path: string) => path.endsWith(".jsonl"),
        "of the folder": (path: string) => path.endsWith("/logs"),
        "of the folders above it": (path: string) => path === "/home"
      }
      for (const [name, of] of Object.entries(skipped)) {
        const recorded = yield* record("batch", withoutSync("batch", of))
        const { lost } = yield* powerLoss(recorded, { seeds: [0], whole: Infinity, every: 10 })
        assert.match(lost[0] ?? "", /\d+ batches were promised and \d+ are there/, name)
      }
    }).pipe(quiet)
  )
})
