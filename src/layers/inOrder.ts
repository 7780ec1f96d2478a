import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Effects that run one at a time, in the order they came, whole and uninterruptibly. One that has nobody before it and ends at
 * once costs next to nothing; a semaphore's permit would cost it a suspension, which is most of an append.
 */
export const make = () => {
  let running = false
  const waiting: Array<(resume: Effect.Effect<void>) => void> = []

  const next = (): void => {
    const resume = waiting.shift()
    if (resume === undefined) running = false
    else resume(Effect.void)
  }

  const run = <A, E>(begin: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
    let begun: Effect.Effect<A, E>
    try {
      begun = begin()
    } catch (error) {
      begun = Exit.die(error)
    }
    if (!Exit.isExit(begun)) return Effect.ensuring(begun, Effect.sync(next))
    next()
    return begun
  }

  /** What `begin` answers is run as well before the next one begins. */
  return <A, E>(begin: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (running) {
          const turn = Effect.async<void>((resume) => {
            waiting.push(resume)
          })
          return Effect.flatMap(turn, () => run(begin))
        }
        running = true
        return run(begin)
      })
    )
}
