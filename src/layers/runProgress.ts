import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Situation } from "../compaction/Situation.ts"
import type { CompactionError } from "../errors/CompactionError.ts"
import type { Declined, DeclinedReason, Outcome, Progress } from "../services/CompactService.ts"
import * as broadcast from "./broadcast.ts"

type RunProgress = broadcast.Broadcast<Progress>

/** Where runs tell what they do, to who is not more than so much behind. The stream ends with the session. */
export const make: Effect.Effect<RunProgress, never, Scope.Scope> = broadcast.make<Progress>(256)

/** Tells the beginning and the end of a run, however it ends. */
export const told =
  ({ tell }: RunProgress, { measurement, target, trigger, window }: Situation) =>
  <E extends CompactionError, R>(run: Effect.Effect<Outcome, E, R>): Effect.Effect<Outcome, E, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (began) => {
      tell({
        _tag: "RunStarted",
        trigger,
        before: measurement.totalTokens,
        ...(target === undefined ? {} : { target }),
        ...(window === undefined ? {} : { window })
      })
      return Effect.onExit(run, (exit) =>
        Effect.map(Clock.currentTimeMillis, (ended) => {
          const outcome = Exit.isSuccess(exit) ? exit.value : Option.getOrUndefined(Cause.failureOption(exit.cause))
          tell({ _tag: "RunEnded", trigger, outcome, duration: ended - began })
        })
      )
    })

/** Where the trigger asks for nothing, or nobody can say whether it does, or another run is at it already. */
const unasked: ReadonlySet<DeclinedReason> = new Set(["no-route", "off", "below-threshold", "unknown-window", "busy"])

/** Tells that a trigger was crossed for which nothing can be planned. */
export const declined =
  ({ tell }: RunProgress) =>
  (outcome: Declined): Declined => {
    if (!unasked.has(outcome.reason)) tell({ _tag: "RunDeclined", trigger: outcome.trigger, outcome })
    return outcome
  }
