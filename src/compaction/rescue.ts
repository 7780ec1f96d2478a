/**
 * The rescue of one refused request, as a combinator over plain effects: a bounded schedule whose guard is outermost, so
 * that it is asked only while an attempt is left, and grants one only on evidence (I3).
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

/**
 * What a refusal says of the window. Tokens, as the provider stated them. `unit: "bytes"`: the request has too many bytes
 * (`PayloadTooLarge`); figures then say nothing of the window and are not kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface OverflowSign {
  readonly unit?: "tokens" | "bytes"
  readonly limit?: number
  readonly limitCounts?: "input" | "input-and-output"
  readonly requested?: number
}

/**
 * A failed attempt: the generation that its request was built at, the sign if it was an overflow, and what comes out if it
 * is not sent again (an answer, where that was the sign). Never leaves the combinator.
 *
 * @since 0.1.0
 * @category models
 */
export class Refused<E, A = never> {
  readonly _tag = "Refused"
  readonly generation: number
  readonly sign: Option.Option<OverflowSign>
  readonly givenUp: Exit.Exit<A, E>
  constructor(generation: number, sign: Option.Option<OverflowSign>, givenUp: Exit.Exit<A, E>) {
    this.generation = generation
    this.sign = sign
    this.givenUp = givenUp
  }
}

/**
 * Runs what is not trusted: however it ends is told as an Exit. Only an interrupt of our own fiber gets through; one that
 * the effect raised by itself is an ending like others.
 *
 * @since 0.1.0
 * @category combinators
 */
export const setAside = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.uninterruptibleMask((restore) => Effect.zipLeft(Effect.exit(restore(effect)), restore(Effect.void)))

/**
 * How often a refused request may be sent again, by what it had too much of: neither eats the other's.
 *
 * @since 0.1.0
 * @category models
 */
export interface Retries {
  readonly tokens: number
  readonly bytes: number
}

const unitOf = (error: unknown): keyof Retries | undefined =>
  error instanceof Refused && Option.isSome(error.sign) ? (error.sign.value.unit ?? "tokens") : undefined

/** Every attempt that is asked for counts, whether it is granted or not. */
const counted = (asked: Retries, error: unknown): Retries => {
  const unit = unitOf(error)
  return unit === undefined ? asked : { ...asked, [unit]: asked[unit] + 1 }
}

/**
 * Sends until it is answered or nothing speaks for sending it again. The caller gets the provider's own error of the last
 * attempt, the same value (I4), or the answer that was its overflow.
 *
 * - `attempt` sends once, built anew from the surface each time, and closes its own step on every exit.
 * - `generation` reads the surface's counter: the only judge of `climb`, which is run if the counter still is what it was
 *   when the refused request was built.
 * - `fits` tells whether nothing known excludes the request that would follow the refused one.
 * - `decided` is told each decision.
 *
 * @since 0.1.0
 * @category combinators
 */
export const rescue = <A, E, E2, R, R2>(options: {
  readonly retries: Retries
  readonly attempt: Effect.Effect<A, Refused<E, A> | E2, R>
  readonly generation: Effect.Effect<number>
  readonly climb: Effect.Effect<unknown, unknown, R2>
  readonly fits: (refused: Refused<E, A>) => Effect.Effect<boolean>
  readonly decided: (refused: Refused<E, A>, retry: boolean, after: number) => Effect.Effect<void>
}): Effect.Effect<A, E | E2, R | R2> => {
  const guard = (error: Refused<E, A> | E2): Effect.Effect<boolean, never, R2> => {
    if (!(error instanceof Refused) || Option.isNone(error.sign)) return Effect.succeed(false)
    return Effect.gen(function* () {
      if ((yield* options.generation) === error.generation) yield* setAside(options.climb)
      const after = yield* options.generation
      const retry = after > error.generation && (yield* options.fits(error))
      yield* options.decided(error, retry, after)
      return retry
    })
  }
  const none: Retries = { tokens: 0, bytes: 0 }
  const schedule = Schedule.reduce(Schedule.identity<Refused<E, A> | E2>(), none, counted).pipe(
    Schedule.check((error, asked) => {
      const unit = unitOf(error)
      return unit !== undefined && asked[unit] < options.retries[unit]
    }),
    Schedule.whileInputEffect(guard)
  )
  return Effect.retry(options.attempt, schedule).pipe(
    Effect.catchAllCause((cause) => {
      const refused = Option.map(Cause.failureOption(cause), Cause.originalError)
      if (Option.isSome(refused) && refused.value instanceof Refused && Exit.isSuccess(refused.value.givenUp)) {
        return Effect.succeed(refused.value.givenUp.value as A)
      }
      return Effect.failCause(
        Cause.flatMap(cause, (error): Cause.Cause<E | E2> => {
          const original = Cause.originalError(error)
          return original instanceof Refused && Exit.isFailure(original.givenUp)
            ? Cause.map(original.givenUp.cause as Cause.Cause<E>, Cause.originalError)
            : Cause.fail(original as E2)
        })
      )
    })
  )
}
