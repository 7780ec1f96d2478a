// What each setting costs on the disk of this machine.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as LogStore from "../../src/layers/LogStore.ts"
import { settings, type Setting } from "./recorded.ts"

/** As many batches as a turn with two steps of tool calls has, of a kilobyte each. */
const batches = 9
const event = "x".repeat(1_000)

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const turn = (log: LogStore.LogHandle, seq: number) =>
  Effect.forEach(
    Array.from({ length: batches }, (_, i) => i),
    (i) => log.append({ seq: seq + i, events: [event] }, { sync: false, idle: i === batches - 1 }),
    { discard: true }
  )

/** Milliseconds of a turn's appends, the median of so many; the settings take turns. */
export const cost = (turns: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const open = (sync: Setting) =>
        Effect.flatMap(LogStore.makeFile({ directory, sync }), (store) => store.open(sync))
      const logs = yield* Effect.forEach(settings, (sync) =>
        Effect.map(open(sync), (log) => ({ sync, log, took: [] as Array<number> }))
      )
      for (let round = 0; round < turns; round++) {
        for (const { log, took } of logs) {
          const began = performance.now()
          yield* turn(log, round * batches)
          took.push(performance.now() - began)
        }
      }
      return logs.map(({ sync, took }) => ({ sync, milliseconds: median(took) }))
    })
  ).pipe(Effect.provide(NodeFileSystem.layer))
