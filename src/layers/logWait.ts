/**
 * Waits for the owner of a lock.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SessionLocked } from "../errors/SessionError.ts"

/**
 * Why a lock was not got. `mayLetGo`: who holds it is alive.
 *
 * @since 0.1.0
 * @category models
 */
export class Refused extends Data.TaggedError("Refused")<{
  readonly locked: SessionLocked
  readonly mayLetGo: boolean
}> {}

/** Milliseconds between two looks, at first and at most: a lock that is free is noticed well within a second. */
const pauses = { first: 20, most: 250 }

/**
 * Tries until the lock is got, or `limit` is over; absent, once. An owner that cannot be asked is not waited for, since it
 * may be gone for good. Can be interrupted between two tries.
 *
 * @since 0.1.0
 * @category combinators
 */
export const waiting = <A, E, R>(
  attempt: Effect.Effect<A, E | Refused, R>,
  limit: Duration.Duration | undefined
): Effect.Effect<A, Exclude<E, Refused> | SessionLocked, R> =>
  Effect.suspend(() => {
    // a test's clock stands still, and other processes do not
    const clock = Clock.make()
    const end = clock.unsafeCurrentTimeMillis() + (limit === undefined ? 0 : Duration.toMillis(limit))
    let told: string | undefined
    const tell = ({ message }: SessionLocked) => {
      const known = told === message
      told = message
      return known ? Effect.void : Effect.logDebug(`waiting for it: ${message}`)
    }
    const tries = (pause: number): Effect.Effect<A, Exclude<E, Refused> | SessionLocked, R> =>
      Effect.catchAll(attempt, (error) => {
        if (!(error instanceof Refused)) return Effect.fail(error as Exclude<E, Refused>)
        const left = end - clock.unsafeCurrentTimeMillis()
        if (!error.mayLetGo || left <= 0) return Effect.fail(error.locked)
        return tell(error.locked).pipe(
          Effect.zipRight(clock.sleep(Duration.millis(Math.min(pause, left)))),
          Effect.zipRight(Effect.suspend(() => tries(Math.min(pause * 1.5, pauses.most))))
        )
      })
    return tries(pauses.first)
  })
