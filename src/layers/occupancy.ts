import * as Effect from "effect/Effect"
import type { SessionState } from "../compaction/SessionState.ts"
import { SessionBusy } from "../errors/SessionError.ts"
import type { Occupant, Surface } from "../services/Surface.ts"

/**
 * What one session is busy with: one thing at a time, and whoever comes second is told at once. Held in memory, because the
 * log alone cannot tell a turn that runs from one whose end could not be written.
 */
export const make = (
  session: string,
  state: () => SessionState
): Pick<typeof Surface.Service, "occupy" | "occupant"> => {
  let occupant: Occupant | undefined
  const busy = () => {
    const { openTurn, turn } = state()
    return new SessionBusy({
      session,
      turn: occupant === "request" ? null : (openTurn ?? turn + 1),
      state: "running"
    })
  }
  return {
    occupant: () => occupant,
    occupy: (by) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (occupant !== undefined) return Effect.fail(busy())
          occupant = by
          return Effect.void
        }),
        () => Effect.sync(() => (occupant = undefined))
      )
  }
}
