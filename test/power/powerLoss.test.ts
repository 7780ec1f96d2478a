import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { fileStore, record, type Setting, settings, type StoreLayer } from "./recorded.ts"
import { crash, powerLoss, promises } from "./sweep.ts"

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

describe("power lost at each change of the disk", () => {
  for (const setting of settings) {
    it.effect(`sync "${setting}": what was promised is there, and the session goes on`, () =>
      Effect.gen(function* () {
        const recorded = yield* record(setting)
        assert.isAbove(recorded.acknowledged.filter(promises[setting]).length, 0)
        const { cases, lost } = yield* powerLoss(recorded, { seeds: [0, 1, 2], whole: 20 })
        assert.deepStrictEqual(lost, [])
        assert.strictEqual(cases, 3 * (recorded.changes + 1))
        assert.deepStrictEqual((yield* crash(recorded)).lost, [])
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
        const { lost } = yield* powerLoss(recorded, { seeds: [0], whole: Infinity })
        assert.match(lost[0] ?? "", /\d+ batches were promised and \d+ are there/, name)
      }
      const unmarked = withoutSync("none", (path) => path.endsWith(".unsynced"))
      const { lost } = yield* powerLoss(yield* record("none", unmarked), { seeds: [1, 2, 3, 4, 5], whole: Infinity })
      assert.include(lost.join(), "cannot be read")
    }).pipe(quiet)
  )
})
