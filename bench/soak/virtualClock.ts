// Time that passes only when nothing else happens: an hour's wait takes a moment, and a busy machine times nothing out. An
// episode is the same one whenever its seed is played.
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

const epoch = Date.UTC(2026, 0, 1)

/** Effect's scheduler hands over to a timer once in 2,048 operations, so one turn without a wake-up is not yet idleness. */
const turnsOfNothing = 3

export const make = (): Clock.Clock => {
  let now = epoch
  let turning = false
  const sleepers = new Set<Sleeper>()

  /** Fibers that can run do so in a few turns of the event loop; after those, time moves to the first sleeper. */
  const turn = (idle: number) => {
    turning = sleepers.size > 0
    if (turning) setImmediate(() => (idle > 0 ? turn(idle - 1) : wakeFirst()))
  }

  const wakeFirst = () => {
    let first: Sleeper | undefined
    for (const sleeper of sleepers) if (first === undefined || sleeper.due < first.due) first = sleeper
    if (first !== undefined) {
      sleepers.delete(first)
      now = first.due
      first.wake()
    }
    turn(turnsOfNothing)
  }

  const schedule = (task: () => void, duration: Duration.Duration) => {
    if (!Duration.isFinite(duration)) return () => false
    const sleeper = { due: now + Duration.toMillis(duration), wake: task }
    sleepers.add(sleeper)
    if (!turning) turn(turnsOfNothing)
    return () => sleepers.delete(sleeper)
  }

  const nanos = () => BigInt(Math.round(now)) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const cancel = schedule(() => resume(Effect.void), duration)
        return Effect.sync(cancel)
      })
  }
}
