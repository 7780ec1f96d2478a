// A log store that tells what it is asked to write, and what it says is written.
import * as Effect from "effect/Effect"
import type { LogHandle, LogStore } from "../../src/services/LogStore.ts"
import * as Crc32 from "../../src/session/Crc32.ts"
import type { Told, Written } from "./pipe.ts"

const encoder = new TextEncoder()

export const sumOf = (events: ReadonlyArray<unknown>): string =>
  Crc32.compute(encoder.encode(JSON.stringify(events))).toString(16)

export const toldStore = (
  store: typeof LogStore.Service,
  tell: (told: Extract<Told, Written>) => void
): typeof LogStore.Service => ({
  ...store,
  open: (session, replay) =>
    Effect.map(store.open(session, replay), (log): LogHandle => ({
      ...log,
      append: (batch, options) =>
        Effect.suspend(() => {
          const { events, seq } = batch
          if (events.length === 0) return log.append(batch, options)
          const written: Written = { session, seq, count: events.length, sum: sumOf(events) }
          tell({ is: "tried", ...written })
          return Effect.tap(log.append(batch, options), () =>
            Effect.sync(() => tell({ is: "acknowledged", ...written }))
          )
        })
    }))
})
