/**
 * Sends a request again after a transient failure, as long as nothing of an answer has come out.
 *
 * This budget is the adapter's own: an overflow never uses it, and it never uses that of a rescue.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ModelError } from "../../errors/ModelError.ts"
import type { Part } from "../../services/ModelAdapter.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface TransientRetry {
  /** How often a request is sent again, at most. */
  readonly times: number
  /** The wait before the first repetition; it doubles, and varies by a fifth. */
  readonly base: Duration.DurationInput
  /** A provider that asks for a longer wait than this gets none: its error goes to the caller. */
  readonly cap: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaults: TransientRetry = { times: 2, base: "500 millis", cap: "1 minute" }

/**
 * The wait before the attempt after `attempt` (0, 1, …), milliseconds; undefined: do not send it again. `random` lies
 * in [0, 1).
 *
 * @since 0.1.0
 * @category getters
 */
export const delayAfter = (
  error: ModelError,
  attempt: number,
  random: number,
  options: TransientRetry
): number | undefined => {
  if (attempt >= options.times) return undefined
  const cap = Duration.toMillis(options.cap)
  const wait = Math.min(cap, Duration.toMillis(options.base) * 2 ** attempt * (0.8 + 0.4 * random))
  switch (error._tag) {
    case "RateLimited":
    case "ProviderUnavailable":
      if (error._tag === "RateLimited" && error.neverFits === true) return undefined
      // no wait at all is said by servers that do not mean it, and by clocks that are behind
      if (error.retryAfter === undefined || error.retryAfter <= 0) return wait
      return error.retryAfter > cap ? undefined : error.retryAfter
    case "ProviderTimeout":
      return wait
    default:
      return undefined
  }
}

/** What is told of a failed attempt. */
type Repeated = Extract<Part, { readonly type: "repeated" }>

const repeated = (error: ModelError, attempt: number, delay: number): Repeated => ({
  type: "repeated",
  attempt,
  delay: Math.round(delay),
  error: error._tag,
  ...("retryAfter" in error && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {})
})

/**
 * Pulls the head of the stream under the retry and hands over the rest: a retry around the whole stream would send
 * again what it had given out. Each attempt has a scope of its own, closed before the next one begins. A part tells of each
 * attempt that failed, before the wait.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retryTransient = <A>(
  stream: Stream.Stream<A, ModelError>,
  options: TransientRetry
): Stream.Stream<A | Repeated, ModelError> => {
  const attempt = Effect.fnUntraced(function* (outer: Scope.Scope) {
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer, { _tag: "Sequential" })
        const head = restore(
          Effect.gen(function* () {
            const pull = yield* Scope.extend(Stream.toPull(stream), scope)
            const first = yield* Effect.mapError(pull, Option.getOrNull)
            return Stream.concat(Stream.fromChunk(first), Stream.repeatEffectChunkOption(pull))
          })
        )
        // a stream that ends without an element fails with null: there is nothing to send again
        const exit = yield* Effect.exit(head)
        if (Exit.isFailure(exit)) yield* Scope.close(scope, exit)
        return yield* exit
      })
    )
  })

  const failed = (error: ModelError, number: number) =>
    Effect.map(Random.next, (random): Stream.Stream<A | Repeated, ModelError> => {
      const delay = delayAfter(error, number, random, options)
      return delay === undefined
        ? Stream.fail(error)
        : Stream.concat(
            Stream.make(repeated(error, number + 1, delay)),
            Stream.unwrap(Effect.as(Effect.sleep(delay), attempts(number + 1)))
          )
    })

  const attempts = (number: number): Stream.Stream<A | Repeated, ModelError> =>
    Stream.unwrapScoped(
      Effect.flatMap(Effect.scope, (outer) =>
        Effect.catchAll(attempt(outer), (error) =>
          error === null ? Effect.succeed(Stream.empty) : failed(error, number)
        )
      )
    )

  return attempts(0)
}
