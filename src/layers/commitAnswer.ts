import * as Effect from "effect/Effect"
import type { Draft } from "../compaction/drafts.ts"
import { describe, type LearnedWindow, learnedWindow } from "../compaction/learnedWindow.ts"
import type { SessionState } from "../compaction/SessionState.ts"
import type { LogWriteFailed } from "../errors/SessionError.ts"
import type { ModelInfo } from "../services/ModelAdapter.ts"
import type { Surface } from "../services/Surface.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import * as Route from "../session/Route.ts"

/** Writes what an answer brought, and tells what it showed of the window, if that is new. */
export const commitAnswer = (
  surface: typeof Surface.Service,
  options: {
    readonly drafts: (state: SessionState) => ReadonlyArray<Draft>
    /** what the adapter knows of the route */
    readonly info: ModelInfo | undefined
    readonly learned?: (step: number, learned: LearnedWindow) => Effect.Effect<void>
  }
): Effect.Effect<SessionState, LogWriteFailed> =>
  Effect.gen(function* () {
    const estimator = yield* TokenEstimator
    let before = yield* surface.state
    const after = yield* surface.commit((state) => {
      before = state
      return options.drafts(state)
    })
    const learned = learnedWindow(before, after, options.info?.window, estimator)
    if (learned !== undefined && after.envelope !== undefined) {
      const route = Route.format(after.envelope.envelope.route)
      yield* Effect.logWarning(`session "${surface.id}": ${describe(learned, route)}`)
      yield* options.learned?.(after.step, learned) ?? Effect.void
    }
    return after
  })
