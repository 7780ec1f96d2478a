import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { forRoute, type Policy } from "../compaction/Policy.ts"
import { CompactionRun } from "../services/CompactionRun.ts"
import type { CompactService, Outcome } from "../services/CompactService.ts"
import type { Surface } from "../services/Surface.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import { boundedRun } from "./bounded.ts"

/**
 * Runs a compaction that is not trusted: it may lie, fail, die, hang. Whatever it does, its ticket is void afterwards, and
 * nothing of it lands later (I11).
 */
export const runCompaction = (
  services: { readonly surface: typeof Surface.Service; readonly compact: typeof CompactService.Service },
  policy: Policy,
  trigger: Trigger
): Effect.Effect<Option.Option<Outcome>> =>
  Effect.gen(function* () {
    const { compact, surface } = services
    const { envelope } = yield* surface.state
    const me = {}
    const limit = envelope === undefined ? policy.runTimeLimit : forRoute(policy, envelope.envelope.route).runTimeLimit
    const run = yield* boundedRun(
      Effect.provideService(
        Effect.suspend(() => compact.compactIfNeeded(trigger)),
        CompactionRun,
        me
      ),
      limit
    ).pipe(
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) && Option.isSome(exit.value) ? Effect.void : surface.voidTicket(me)
      )
    )
    if (Option.isSome(run) && Exit.isSuccess(run.value)) return Option.some(run.value.value)
    const cause = Option.match(run, {
      onNone: () => Cause.die(new Error("the time limit of a whole run is over")),
      onSome: (exit) => (Exit.isFailure(exit) ? (exit.cause as Cause.Cause<unknown>) : Cause.empty)
    })
    yield* Effect.logWarning(
      trigger === "pressure"
        ? `session "${surface.id}": the compaction under pressure failed; the turn goes on without it`
        : `session "${surface.id}": the compaction after an overflow failed; whether something landed decides`,
      cause
    )
    yield* Effect.annotateCurrentSpan(`effect_compaction.${trigger}.failed`, Cause.pretty(cause).slice(0, 200))
    return Option.none()
  })
