import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { CompactionBusy } from "../errors/CompactionError.ts"
import type { Seq } from "../session/Ids.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import { CompactionRun } from "../services/CompactionRun.ts"
import type { Surface, Ticket } from "../services/Surface.ts"

type Runs = Pick<typeof Surface.Service, "withTicket" | "openTicket" | "voidTicket" | "whenNoRun"> & {
  readonly isOpen: (ticket: Ticket) => boolean
  /** The effect, once no automatic run of others is open. */
  readonly afterForeignRun: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Tells the run that is open to end, whoever called for it. */
  readonly cut: Effect.Effect<void>
}

/**
 * The runs of one session: one at a time, each with a ticket that is void once it is over, or was given up (I10, I11). The
 * lock is let go together with the ticket, which may be before a run that does not end when told to has ended.
 */
export const make = (session: string, revision: () => Seq): Runs => {
  const lock = Effect.unsafeMakeSemaphore(1)
  let open: Ticket | undefined
  let count = 0
  // unique in the log without being random, so that the same session gives the same records and checkpoints
  const take = (trigger: Trigger) =>
    Effect.map(CompactionRun, (run): Ticket => (open = { id: `${revision()}-${count++}`, trigger, run }))
  const close = (ticket: Ticket | undefined) =>
    Effect.suspend(() => {
      if (ticket === undefined || open !== ticket) return Effect.void
      open = undefined
      return Effect.asVoid(lock.release(1))
    })
  let running: Fiber.RuntimeFiber<unknown, unknown> | undefined
  // a fiber of its own, so that the session can end it without ending its caller; the caller waits for it all the same
  const inOwnFiber = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDaemon(restore(use)), (fiber) => {
        running = fiber
        return Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interrupt(fiber))
      })
    )
  const whenNoRun = Effect.suspend(() => (open === undefined ? Effect.void : lock.withPermits(1)(Effect.void)))
  return {
    isOpen: (ticket) => open === ticket,
    openTicket: Effect.sync(() => open),
    voidTicket: (run) => Effect.suspend(() => (open?.run === run ? close(open) : Effect.void)),
    whenNoRun,
    cut: Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interruptFork(running))),
    // a rung that appends must not wait for itself
    afterForeignRun: (effect) =>
      Effect.suspend(() =>
        open === undefined || open.trigger === "manual"
          ? effect
          : Effect.flatMap(CompactionRun, (run) =>
              open === undefined || open.run === run ? effect : Effect.zipRight(whenNoRun, effect)
            )
      ),
    withTicket: (trigger, busy, use) =>
      Effect.acquireUseRelease(
        Effect.suspend((): Effect.Effect<Ticket, CompactionBusy> => {
          if (busy === "fail" && open !== undefined) return Effect.fail(new CompactionBusy({ session }))
          return Effect.zipRight(Effect.interruptible(lock.take(1)), take(trigger))
        }),
        (ticket) => inOwnFiber(use(ticket)),
        close
      )
  }
}
