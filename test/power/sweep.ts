// Cuts a recorded session at each change of its disk, and looks at what is left.
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as FileSystem from "@effect/platform/FileSystem"
import { AgentLoop } from "../../src/index.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Testing from "../../src/testing/index.ts"
import { type Acknowledged, fileStore, model, type Recorded, session } from "./recorded.ts"

/** Which acknowledged batch is there in any case: of those before and with the last one that is, all are. */
export type Promise = (batch: Acknowledged) => boolean

/** What each setting promises of a machine that loses its power. */
export const promises: { readonly [setting in Recorded["setting"]]: Promise } = {
  batch: () => true,
  turn: ({ idle, sync }) => idle || sync,
  none: ({ sync }) => sync
}

const count = ({ acknowledged }: Recorded, promise: Promise, changes: number): number =>
  acknowledged.findLastIndex((batch) => batch.at <= changes && promise(batch)) + 1

const readAll = (log: LogStore.LogHandle) => Effect.map(Stream.runCollect(log.read(0)), Chunk.toReadonlyArray)

const open = <A, E>(use: (log: LogStore.LogHandle) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(LogStore.LogStore, (store) => Effect.flatMap(store.open("s"), use)))

const same = (one: ReadonlyArray<LogStore.Batch>, other: ReadonlyArray<LogStore.Batch>) =>
  JSON.stringify(one) === JSON.stringify(other)

/** What is wrong with the log on this disk: nothing, or why. */
const judge = Effect.fnUntraced(function* (recorded: Recorded, promise: Promise, changes: number) {
  const before = recorded.acknowledged.map(({ batch }) => batch)
  const promised = count(recorded, promise, changes)
  const next = (left: ReadonlyArray<LogStore.Batch>) => {
    const newest = left.at(-1)
    return { seq: newest === undefined ? 0 : newest.seq + newest.events.length, events: ["goes on"] }
  }
  const left = yield* open((log) => Effect.tap(readAll(log), (left) => log.append(next(left), { sync: true })))
  if (left.length < promised) return `${promised} batches were promised and ${left.length} are there`
  // one that was being written may be there whole
  if (!same(left, before.slice(0, left.length))) return "what is there is not what was written"
  return same(yield* open(readAll), [...left, next(left)]) ? undefined : "what was appended afterwards is not there"
})

const goesOn = Effect.gen(function* () {
  const script = yield* Testing.Script
  yield* script.next(Testing.say("here"))
  const { text } = yield* AgentLoop.run("are you there?")
  return text === "here" ? undefined : `the next turn says ${text}`
}).pipe(Effect.provide(session), Effect.provide(model))

const on = (
  { setting }: Recorded,
  disk: Layer.Layer<FileSystem.FileSystem | Testing.Disk>,
  look: Effect.Effect<string | undefined, unknown, LogStore.LogStore>
) =>
  look.pipe(
    Effect.provide(Layer.provide(fileStore(setting), disk)),
    Effect.catchAllCause((cause) =>
      Effect.succeed(
        Cause.prettyErrors(cause)
          .map(({ message }) => message)
          .join("; ")
      )
    )
  )

export interface Sweep {
  /** `lost.length` of so many cases were wrong */
  readonly cases: number
  readonly lost: ReadonlyArray<string>
}

/**
 * Cuts at each change, once for each seed: the log has to open with what was promised and to go on. Each `whole`th case is
 * opened as a session too, which has to go on with a turn. With `every`, a seed cuts at each so many changes only, and the
 * next one at those behind them.
 */
export const powerLoss = Effect.fnUntraced(function* (
  recorded: Recorded,
  options: {
    readonly seeds: ReadonlyArray<number>
    readonly whole: number
    readonly every?: number
    readonly promise?: Promise
  }
) {
  const { disk, setting } = recorded
  const lost: Array<string> = []
  let cases = 0
  for (let changes = 0; changes <= recorded.changes; changes++) {
    for (const [i, seed] of options.seeds.entries()) {
      if ((changes + i) % (options.every ?? 1) !== 0) continue
      const left = disk.afterPowerLoss(seed, changes)
      const log = yield* on(recorded, left, judge(recorded, options.promise ?? promises[setting], changes))
      const goes = cases % options.whole === 0 ? yield* on(recorded, left, goesOn) : undefined
      for (const wrong of [log, goes]) {
        if (wrong !== undefined) lost.push(`${setting}, power lost at change ${changes}, seed ${seed}: ${wrong}`)
      }
      cases++
    }
  }
  return { cases, lost } satisfies Sweep
})

/** Cuts at each change as the death of the process does. */
export const crash = Effect.fnUntraced(function* (
  recorded: Recorded,
  { every = 1, promise = promises.batch }: { readonly every?: number; readonly promise?: Promise } = {}
) {
  const lost: Array<string> = []
  let cases = 0
  for (let changes = 0; changes <= recorded.changes; changes += every, cases++) {
    const left = recorded.disk.afterCrash(changes)
    const wrong = yield* on(recorded, left, judge(recorded, promise, changes))
    if (wrong !== undefined) lost.push(`${recorded.setting}, killed at change ${changes}: ${wrong}`)
  }
  return { cases, lost } satisfies Sweep
})
