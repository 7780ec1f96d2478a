/**
 * A log store that fails where a test tells it to.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogWriteFailed } from "../errors/SessionError.ts"
import { type Batch, type LogHandle, LogStore } from "../services/LogStore.ts"

/**
 * What happens to an append. `at` is its number, counted from 0 over all logs of the store, or tells by the batch.
 *
 * - `fails`: nothing is written, and it says so (`written: "no"`)
 * - `doubts`: it fails with `written: "unknown"`, and the writer has ended; `lands`: the batch is in the log all the same
 * - `hangs`: it never answers; nothing is written
 * - `crashes`: it is written and acknowledged, and every later append of this writer fails, as for a process that died
 *
 * @since 0.1.0
 * @category models
 */
export interface Fault {
  readonly at: number | ((batch: Batch) => boolean)
  readonly does: "fails" | "doubts" | "hangs" | "crashes"
  readonly lands?: boolean
}

/**
 * What was asked of the store.
 *
 * @since 0.1.0
 * @category tags
 */
export class LogWatch extends Context.Tag("effect-compaction/testing/LogWatch")<
  LogWatch,
  {
    /** How many appends were asked for. */
    readonly appends: Effect.Effect<number>
    /** The batches that were acknowledged, oldest first. */
    readonly acknowledged: Effect.Effect<ReadonlyArray<Batch>>
  }
>() {}

interface Watched {
  appends: number
  readonly acknowledged: Array<Batch>
}

const faultyHandle = (session: string, log: LogHandle, faults: ReadonlyArray<Fault>, watched: Watched): LogHandle => {
  let ended: "no" | "unknown" | undefined
  const failed = (batch: Batch, written: "no" | "unknown") =>
    new LogWriteFailed({ session, seq: batch.seq, written, detail: "a fault that the test asked for" })
  return {
    ...log,
    append: (batch, options) =>
      Effect.suspend(() => {
        const number = watched.appends++
        if (ended !== undefined) return failed(batch, ended)
        const fault = faults.find(({ at }) => (typeof at === "number" ? at === number : at(batch)))
        const write = Effect.tap(log.append(batch, options), () => Effect.sync(() => watched.acknowledged.push(batch)))
        switch (fault?.does) {
          case undefined:
            return write
          case "fails":
            return failed(batch, "no")
          case "doubts":
            ended = "unknown"
            return fault.lands === true
              ? Effect.zipRight(log.append(batch, options), failed(batch, "unknown"))
              : failed(batch, "unknown")
          case "hangs":
            return Effect.never
          case "crashes":
            return Effect.tap(write, () => Effect.sync(() => (ended = "no")))
        }
      })
  }
}

/**
 * The store with these faults; of several that an append matches, the first one counts.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFaultyLog = (faults: ReadonlyArray<Fault> = []): Layer.Layer<LogStore | LogWatch, never, LogStore> =>
  Layer.effectContext(
    Effect.map(LogStore, (store) => {
      const watched: Watched = { appends: 0, acknowledged: [] }
      return Context.make(LogStore, {
        ...store,
        open: (session) => Effect.map(store.open(session), (log) => faultyHandle(session, log, faults, watched))
      }).pipe(
        Context.add(LogWatch, {
          appends: Effect.sync(() => watched.appends),
          acknowledged: Effect.sync(() => [...watched.acknowledged])
        })
      )
    })
  )
