/**
 * Counts what is in a log, batch by batch.
 *
 * @since 0.1.0
 */
import type { OutlinedEvent } from "../session/outlinedEvents.ts"

/**
 * `lastTime` is that of the newest event, epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
  readonly events: number
  readonly types: { readonly [type: string]: number }
  readonly turns: number
  readonly compactions: number
  readonly lastTime: number | undefined
}

/**
 * `takeBack` undoes the last `add`, once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counter {
  readonly add: (batch: ReadonlyArray<OutlinedEvent>) => void
  readonly takeBack: () => void
  readonly contents: () => Contents
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Counter => {
  const types = new Map<string, number>()
  /** how often each turn began: a suspended one begins again */
  const turns = new Map<number, number>()
  let lastTime: number | undefined
  let before: typeof lastTime
  let last: ReadonlyArray<OutlinedEvent> = []

  const change = <K>(counts: Map<K, number>, key: K, by: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + by
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  const count = (batch: ReadonlyArray<OutlinedEvent>, by: 1 | -1) => {
    for (const event of batch) {
      change(types, event.type, by)
      if (event.type === "turn/start") change(turns, event.data.turn, by)
    }
  }

  return {
    add: (batch) => {
      last = batch
      before = lastTime
      lastTime = batch.at(-1)?.time ?? lastTime
      count(batch, 1)
    },
    takeBack: () => {
      count(last, -1)
      last = []
      lastTime = before
    },
    contents: () => ({
      events: [...types.values()].reduce((sum, count) => sum + count, 0),
      types: Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1))),
      turns: turns.size,
      compactions: types.get("compaction/start") ?? 0,
      lastTime
    })
  }
}
