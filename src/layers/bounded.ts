import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import { AtOnce } from "./AtOnce.ts"

/**
 * Waits for a fiber, uninterruptibly, but not longer than `limit`. `Effect.timeout` cannot do this: it does not fire in an
 * uninterruptible region.
 */
const awaitAtMost = <A, E>(
  fiber: Fiber.RuntimeFiber<A, E>,
  limit: Duration.DurationInput
): Effect.Effect<Option.Option<Exit.Exit<A, E>>> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const done = yield* Deferred.make<Option.Option<Exit.Exit<A, E>>>()
      fiber.addObserver((exit) => Deferred.unsafeDone(done, Effect.succeed(Option.some(exit))))
      const timer = yield* Effect.forkDaemon(
        Effect.interruptible(Effect.zipRight(Effect.sleep(limit), Deferred.succeed(done, Option.none())))
      )
      return yield* Effect.ensuring(Deferred.await(done), Fiber.interruptFork(timer))
    })
  )

/** How long a write may take before it is in doubt. */
export const writeLimit: Duration.DurationInput = "30 seconds"

/** The write's own fiber is bookkeeping of ours: nothing cuts it, and it is not counted among the application's. */
const ownFiber = <R>(runtime: Runtime.Runtime<R>) =>
  Runtime.runFork(
    Runtime.disableRuntimeFlag(
      Runtime.disableRuntimeFlag(runtime, RuntimeFlags.Interruption),
      RuntimeFlags.RuntimeMetrics
    )
  )

/**
 * Runs a write that nothing cuts, and that nobody waits for longer than `limit`. It runs with the context of whoever makes
 * this, not of who happens to write; one that ends at once costs no wake-up, and its exit is the answer.
 */
export const boundedWrites = (limit: Duration.DurationInput) =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = ownFiber(runtime)
    return <A, E>(write: Effect.Effect<A, E>, inDoubt: () => E): Effect.Effect<A, E> => {
      if (write instanceof AtOnce) return write.exit()
      const fiber = run(write)
      return (
        fiber.unsafePoll() ??
        Effect.flatMap(
          awaitAtMost(fiber, limit),
          Option.getOrElse(() => Exit.fail(inDoubt()))
        )
      )
    }
  })

/** How long something that was told to end may take to close its records, before it is given up. */
export const grace: Duration.DurationInput = "5 seconds"

/** How long a log may take to close: its last write, and its lock given back, each of which may itself have to be given up. */
export const closeLimit: Duration.DurationInput = "15 seconds"

/** Closes what may hang, so that it holds up nobody longer than `limit`; it goes on by itself then. Answers whether it closed. */
export const boundedClose = (close: Effect.Effect<unknown>, limit: Duration.DurationInput): Effect.Effect<boolean> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.forkDaemon(close), (fiber) => Effect.map(awaitAtMost(fiber, limit), Option.isSome))
  )

/**
 * Runs what may fail, die, interrupt itself, hang, or not end when it is told to. Its exit is an answer like others;
 * none: it was given up after `limit`. Only an interrupt of our own fiber gets through, after the effect had its time to
 * close what it opened.
 */
export const boundedRun = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  limit: Duration.DurationInput
): Effect.Effect<Option.Option<Exit.Exit<A, E>>, never, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(effect))
      const waited = yield* Effect.exit(restore(Effect.timeoutOption(Fiber.await(fiber), limit)))
      if (Exit.isSuccess(waited) && Option.isSome(waited.value)) {
        yield* restore(Effect.void)
        return waited.value
      }
      yield* Fiber.interruptFork(fiber)
      yield* awaitAtMost(fiber, grace)
      return yield* waited
    })
  )
