// Stores that do not keep what they say, to show that the harness finds out.
import * as Effect from "effect/Effect"
import type { LogHandle, LogStore } from "../../src/services/LogStore.ts"

export const faults = ["acknowledges-first", "writes-in-two"] as const
export type Fault = (typeof faults)[number]

const brokenHandle = (log: LogHandle, fault: Fault): LogHandle => {
  if (fault === "writes-in-two") {
    return {
      ...log,
      append: (batch, options) => {
        const half = Math.ceil(batch.events.length / 2)
        const rest = { seq: batch.seq + half, events: batch.events.slice(half) }
        return Effect.zipRight(
          log.append({ ...batch, events: batch.events.slice(0, half) }, options),
          log.append(rest, options)
        )
      }
    }
  }
  // in order, each a little after it was said to be done
  let before = Promise.resolve()
  return {
    ...log,
    append: (batch, options) =>
      Effect.sync(() => {
        before = before.then(() =>
          Effect.runPromise(Effect.ignore(Effect.delay(log.append(batch, options), "2 millis")))
        )
      })
  }
}

export const broken = (store: typeof LogStore.Service, fault: Fault | undefined): typeof LogStore.Service =>
  fault === undefined
    ? store
    : { ...store, open: (id, replay) => Effect.map(store.open(id, replay), (log) => brokenHandle(log, fault)) }
