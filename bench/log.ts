// Opening a file log: read, check, decode, fold; beside plain JSON.parse of the same lines.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as LogStore from "../src/layers/LogStore.ts"
import * as sessionLog from "../src/layers/sessionLog.ts"
import { estimator, eventOf, messages } from "./states.ts"
import { median, settle, stopwatch } from "./timing.ts"

export interface OpenTiming {
  readonly events: number
  readonly megabytes: number
  /** megabytes a second, medians */
  readonly open: number
  readonly parse: number
  /** of the speed of JSON.parse, median over the rounds: each compares two times that lie beside each other */
  readonly share: number
}

const batchSize = 4

const write = (count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* LogStore.LogStore
      const log = yield* store.open("bench")
      const all = messages(1, count).map(eventOf)
      for (let seq = 0; seq < all.length; seq += batchSize) {
        yield* log.append({ seq, events: all.slice(seq, seq + batchSize) }, { sync: false })
      }
      return all.length
    })
  )

/** From nothing to the folded state, the lock included; closing again is not timed. */
const open = Effect.suspend(() => {
  const elapsed = stopwatch()
  return Effect.scoped(
    Effect.map(sessionLog.open("bench", estimator), ({ state }) => ({
      revision: state.revision,
      nanoseconds: elapsed()
    }))
  )
})

/** Opens a log of this size again and again, taking turns with JSON.parse. */
const logOf = Effect.fnUntraced(function* (directory: string, size: number, rounds: number) {
  const fileSystem = yield* FileSystem.FileSystem
  const events = yield* write(size)
  const [file] = (yield* fileSystem.readDirectory(directory)).filter((name) => name.endsWith(".jsonl"))
  const path = `${directory}/${file}`
  const megabytes = Number((yield* fileSystem.stat(path)).size) / 1e6
  const opened: Array<number> = []
  const parsed: Array<number> = []
  // An engine compiles what it has seen often, and JSON.parse is compiled: a log is opened as often as that takes. Of a short one
  // a part is that does not depend on its length, and comes once an opening.
  const warm = Math.ceil(200 / megabytes)
  for (let round = 0; round < warm + rounds; round++) {
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
    settle()
    const parsing = stopwatch()
    for (const line of lines) JSON.parse(line)
    const parse = parsing()
    settle()
    const { nanoseconds, revision } = yield* open
    if (revision !== events) throw new Error(`${revision} events were opened of ${events}`)
    if (round < warm) continue
    parsed.push(parse / 1e9)
    opened.push(nanoseconds / 1e9)
  }
  return {
    events,
    megabytes,
    open: megabytes / median(opened),
    parse: megabytes / median(parsed),
    share: median(opened.map((seconds, round) => parsed[round]! / seconds))
  } satisfies OpenTiming
})

/** Logs of these sizes, each in a store of its own. */
export const log = (sizes: ReadonlyArray<number>, rounds = 15) =>
  Effect.forEach(sizes, (size) =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
        return yield* Effect.provide(logOf(directory, size, rounds), LogStore.layerFile({ directory, sync: "none" }))
      })
    )
  ).pipe(Effect.provide(NodeFileSystem.layer))
