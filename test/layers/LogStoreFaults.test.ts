import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Testing from "../../src/testing/index.ts"
import { type Failing, layerFailing } from "./failingDisk.ts"
import { plain, readAll } from "./logs.ts"

const directory = "/logs"

const withStore = <A, E, R>(
  fs: FileSystem.FileSystem,
  use: Effect.Effect<A, E, R | LogStore.LogStore>,
  sync: "batch" | "none" = "batch"
) =>
  Effect.provide(use, Layer.provide(LogStore.layerFile({ directory, sync }), Layer.succeed(FileSystem.FileSystem, fs)))

const batch = (seq: number) => ({ seq, events: [`the event at ${seq}`] })

interface Told {
  readonly acknowledged: Array<LogStore.Batch>
  /** whether the last batch may be there without having been acknowledged */
  inDoubt: boolean
  /** how often it was told that something failed */
  failures: number
}

/** Opens and appends, and tries again what was refused; what is told has to be an error of the store's. */
const use = (told: Told, description: string) =>
  Effect.gen(function* () {
    const refused = (error: unknown) =>
      Effect.sync(() => {
        assert.propertyVal(error, "_tag", "LogWriteFailed")
        assert.include((error as Error).message, description)
        told.failures++
        return error as { readonly written: "no" | "unknown" }
      })
    const store = yield* LogStore.LogStore
    const scope = yield* Scope.make()
    const open = Scope.extend(store.open("s"), scope)
    const opened = yield* Effect.either(Effect.catchAll(open, (error) => Effect.zipRight(refused(error), open)))
    if (opened._tag === "Left") yield* refused(opened.left)
    else {
      for (let seq = 0; seq < 3 && !told.inDoubt; seq++) {
        const append = opened.right.append(batch(seq), plain)
        const wrote = yield* append.pipe(
          Effect.catchAll((error) => Effect.zipRight(refused(error), error.written === "no" ? append : error)),
          Effect.either
        )
        if (wrote._tag === "Right") told.acknowledged.push(batch(seq))
        else {
          const { written } = yield* refused(wrote.left)
          told.inDoubt = written === "unknown"
          if (!told.inDoubt) break
        }
      }
    }
    yield* Scope.close(scope, Exit.void)
  })

/** All that was acknowledged, in order, and at most the one in doubt behind it; and it goes on. */
const judge = (told: Told, what: string) =>
  Effect.gen(function* () {
    const store = yield* LogStore.LogStore
    const log = yield* store.open("s")
    const left = yield* readAll(log)
    const all = [...told.acknowledged, ...(told.inDoubt ? [batch(told.acknowledged.length)] : [])]
    assert.isAtLeast(left.length, told.acknowledged.length, what)
    assert.deepStrictEqual(left, all.slice(0, left.length), what)
    yield* log.append(batch(left.length), { sync: true })
    assert.deepStrictEqual(yield* readAll(log), [...left, batch(left.length)], what)
  }).pipe(Effect.scoped)

/** Calls that fail from one on, and later no more. */
const faults: ReadonlyArray<
  readonly [name: string, description: string, fails: (call: number, at: number) => boolean]
> = [
  ["once", "EIO: i/o error", (call, at) => call === at],
  ["from then on", "ENOSPC: no space left on device", (call, at) => call >= at]
]

describe("a file system of which one call after the other fails", () => {
  for (const sync of ["batch", "none"] as const) {
    for (const [name, description, fails] of faults) {
      it.effect(`${name} (sync "${sync}"): is told, loses nothing, and the session opens once it is over`, () =>
        Effect.gen(function* () {
          let failures = 0
          let at = 0
          for (; at < 1_000; at++) {
            const failing: Failing = { calls: 0, at: (call) => fails(call, at), description }
            const told: Told = { acknowledged: [], inDoubt: false, failures: 0 }
            const context = yield* Layer.build(Testing.layerDisk)
            const fs = Context.get(context, FileSystem.FileSystem)
            const bad = yield* Effect.provide(
              FileSystem.FileSystem,
              Layer.provide(layerFailing(failing), Layer.succeed(FileSystem.FileSystem, fs))
            )
            yield* withStore(bad, use(told, description), sync)
            failures += told.failures
            const what = `call ${at} failed`
            if (sync === "batch") {
              const dark = Context.get(context, Testing.Disk).afterPowerLoss(0)
              const left = yield* Effect.provide(FileSystem.FileSystem, dark)
              yield* withStore(left, judge(told, `${what}, and then the power`))
            }
            yield* withStore(fs, judge(told, what))
            if (failing.calls <= at) break
          }
          assert.isAbove(at, 30)
          assert.isBelow(at, 1_000)
          assert.isAbove(failures, 15)
        }).pipe(Effect.scoped)
      )
    }
  }
})
