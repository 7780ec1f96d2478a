// A session that is played on a disk in memory, with what it was told is written and when.
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentLoop, Session, Summarizer, ToolRunner } from "../../src/index.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Testing from "../../src/testing/index.ts"

export type Setting = NonNullable<LogStore.FileOptions["sync"]>

export const settings: ReadonlyArray<Setting> = ["batch", "turn", "none"]

export const directory = "/home/agent/logs"

/** A store on a disk: the file store, or one that a test broke. */
export type StoreLayer = Layer.Layer<LogStore.LogStore, never, FileSystem.FileSystem | Testing.Disk>

export const fileStore = (setting: Setting): StoreLayer => LogStore.layerFile({ directory, sync: setting })

/** `at` is how many changes the disk had seen when the batch was acknowledged. */
export interface Acknowledged {
  readonly batch: LogStore.Batch
  readonly sync: boolean
  readonly idle: boolean
  readonly at: number
}

export interface Recorded {
  readonly setting: Setting
  readonly disk: Context.Tag.Service<Testing.Disk>
  readonly changes: number
  readonly acknowledged: ReadonlyArray<Acknowledged>
}

const recording = (acknowledged: Array<Acknowledged>) =>
  Layer.effect(
    LogStore.LogStore,
    Effect.gen(function* () {
      const store = yield* LogStore.LogStore
      const disk = yield* Testing.Disk
      return {
        ...store,
        open: (id, replay) =>
          Effect.map(store.open(id, replay), (log) => ({
            ...log,
            append: (batch, options) =>
              Effect.tap(log.append(batch, options), () =>
                Effect.map(disk.changes, (at) => {
                  if (batch.events.length > 0) acknowledged.push({ batch, idle: false, ...options, at })
                })
              )
          }))
      }
    })
  )

const tools = ToolRunner.layer({
  read: {
    schema: { description: "Reads", parameters: {} },
    run: () => Effect.succeed("a line of the file ".repeat(20))
  }
})

/** One session on that store, with a model that says what the script has. */
export const session = Session.layerOne("s").pipe(
  Layer.provide([tools, Summarizer.layerWith(() => Effect.succeed("what was said before"))])
)

export const model = Testing.layerScript({ window: 4_000 })

const play = Effect.gen(function* () {
  const script = yield* Testing.Script
  const turn = (prompt: string, ...lines: ReadonlyArray<Testing.Line>) =>
    Effect.zipRight(script.next(...lines), AgentLoop.run(prompt))
  const first = Effect.gen(function* () {
    yield* turn("read it", Testing.call({ id: "a", name: "read" }, { id: "b", name: "read" }), Testing.say("read"))
    yield* turn("talk", Testing.say("word ".repeat(1_000)))
    yield* turn("more", Testing.overflow({ limit: 800 }), Testing.say("so far"))
  })
  const second = turn("go on", Testing.call({ id: "c", name: "read" }), Testing.say("gone on"))
  yield* Effect.provide(first, session)
  yield* Effect.provide(second, session)
})

/** Two opens, four turns, tool calls, and a refusal that is rescued by a summary. */
export const record = (setting: Setting, store: StoreLayer = fileStore(setting)): Effect.Effect<Recorded, unknown> =>
  Effect.gen(function* () {
    const disk = yield* Testing.Disk
    const acknowledged: Array<Acknowledged> = []
    const recorded = Layer.provide(recording(acknowledged), store)
    yield* Effect.provide(play, Layer.merge(recorded, model))
    return { setting, disk, changes: yield* disk.changes, acknowledged }
  }).pipe(Effect.provide(Testing.layerDisk))
