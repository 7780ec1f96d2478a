import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"

/**
 * A turn runs in a fiber of its own, and the stream is a window on it: leaving the stream interrupts the turn and waits
 * until it is closed. Events queue without a bound, so that a slow reader neither holds up the model's stream nor a turn
 * that is told to end; they are small, and as many as one turn has.
 */
export const turnStream = <Event, E>(
  turns: FiberSet.FiberSet<unknown, unknown>,
  turn: (emit: (event: Event) => Effect.Effect<void>) => Effect.Effect<unknown, E>
): Stream.Stream<Event, E> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Take.Take<Event, E>>()
      const emit = (event: Event) => Effect.asVoid(Queue.offer(queue, Take.of(event)))
      const run = Effect.exit(Effect.interruptible(turn(emit))).pipe(
        Effect.flatMap((exit) =>
          Queue.offer(
            queue,
            Exit.isSuccess(exit) ? Take.end : Take.failCause(Cause.map(exit.cause, Cause.originalError))
          )
        )
      )
      yield* Effect.acquireRelease(
        Effect.tap(Effect.forkDaemon(run), (fiber) => FiberSet.add(turns, fiber)),
        (fiber) => Effect.zipRight(Fiber.interrupt(fiber), Queue.shutdown(queue))
      )
      return Stream.flattenTake(Stream.fromQueue(queue))
    })
  )
