/**
 * The engine: climbs a ladder of rungs until its trigger is satisfied, and judges each rung by the surface alone.
 * By hand: `examples/manual.ts`.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { forRoute } from "../compaction/Policy.ts"
import { isResting } from "../compaction/resting.ts"
import * as Situation from "../compaction/Situation.ts"
import type { KnownWindow } from "../compaction/SummaryRoute.ts"
import { type CompactionError, SummaryFailed } from "../errors/CompactionError.ts"
import { SessionBusy } from "../errors/SessionError.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"
import {
  CompactService,
  type Declined,
  type Outcome,
  type Plan,
  type Progress,
  type Rung,
  type RungServices
} from "../services/CompactService.ts"
import { ModelAdapter } from "../services/ModelAdapter.ts"
import { Summarizer } from "../services/Summarizer.ts"
import { Surface, type Ticket } from "../services/Surface.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Usage from "../session/Usage.ts"
import { boundedRun } from "./bounded.ts"
import { genAiAttributes, metered } from "./telemetry.ts"
import { attemptRung, climb, type Climbed, type Hung, nextStep, notHung } from "./ladder.ts"
import { regionOf, stepFor } from "./region.ts"
import { dropMedia } from "./rungs/dropMedia.ts"
import { extract } from "./rungs/extract.ts"
import { declined, make as makeProgress, told } from "./runProgress.ts"
import { prune, pruneTighter } from "./rungs/prune.ts"
import { reuse } from "./rungs/reuse.ts"
import { summarise } from "./rungs/summarise.ts"

export {
  CompactService,
  type Declined,
  type DeclinedReason,
  type Landed,
  type Outcome,
  type Plan,
  type Planned,
  type Progress,
  type Proposal,
  type Reduced,
  type Run,
  type Rung,
  type RungServices,
  type Situation
} from "../services/CompactService.ts"

/**
 * The rungs of every ladder, in order.
 *
 * @since 0.1.0
 * @category rungs
 */
export const defaultRungs: ReadonlyArray<Rung> = [reuse, prune, summarise, dropMedia, pruneTighter, extract]

export { extractBeforeTail } from "./rungs/extract.ts"

/**
 * `rungs` orders, leaves out and adds rungs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (
  options: { readonly rungs?: (defaults: ReadonlyArray<Rung>) => ReadonlyArray<Rung> } = {}
) {
  const surface = yield* Surface
  const session = surface.id
  const adapter = yield* ModelAdapter
  const summarizer = yield* Summarizer
  const estimator = yield* TokenEstimator
  const policy = yield* CompactionPolicy
  const services = yield* Effect.context<RungServices>()
  const rungs = options.rungs?.(defaultRungs) ?? defaultRungs
  const warned = new Set<string>()
  const progress = yield* makeProgress
  const tellDeclined = declined(progress)
  const hung: Hung = new Map()
  const ladder = { surface, services, tell: progress.tell, hung }

  /** One coherent look: the adapter is asked first, then all is read from one state. */
  const look = Effect.fnUntraced(function* (trigger: Trigger) {
    const { accepted, envelope } = yield* surface.state
    const routes = new Map<string, KnownWindow>()
    if (envelope !== undefined) {
      const current = envelope.envelope.route
      const serving = forRoute(policy, current).summary.route ?? accepted?.envelope.envelope.route ?? current
      for (const route of Route.equals(current, serving) ? [current] : [current, serving]) {
        const info = yield* adapter.modelInfo(route)
        if (Option.isSome(info)) routes.set(Route.key(route), info.value)
      }
    }
    const state = yield* surface.state
    const known = (route: Route.Route) => routes.get(Route.key(route))
    const carries = state.envelope === undefined ? undefined : adapter.sends?.(state.envelope.envelope.route)?.carries
    return Situation.assess({
      trigger,
      state,
      estimator,
      policy,
      known,
      summaryBounded: summarizer.bounded,
      ...(carries === undefined ? {} : { carries })
    })
  })

  const usable = ({ measurement }: Situation.Situation) => notHung(rungs, hung, measurement.generation)
  const next = (situation: Situation.Situation) => nextStep(usable(situation), situation)

  const nothing = (situation: Situation.Situation): Declined => ({
    _tag: "Declined",
    trigger: situation.trigger,
    reason: situation.bytes !== undefined ? "no-media" : isResting(situation) ? "resting" : "no-span",
    envelope: situation.measurement.envelopeTokens,
    unit: Math.round(
      Situation.priceOf(
        situation,
        SurfaceState.nodes(situation.state.surface, Situation.newestUnit(situation.state.surface))
      )
    ),
    surface: situation.measurement.surfaceTokens,
    ...(situation.budgets === undefined ? {} : { threshold: situation.budgets.threshold }),
    ...(situation.window === undefined ? {} : { window: situation.window }),
    ...(situation.bytes === undefined ? {} : { bytes: situation.bytes })
  })

  const run = (
    start: Situation.Situation,
    climb: (ticket: Ticket, start: Situation.Situation) => Effect.Effect<Climbed>
  ) =>
    surface
      .withTicket(start.trigger, start.trigger === "context-overflow" ? "wait" : "fail", (ticket) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          const before = yield* surface.state
          // somebody else compacted while this run waited for its turn: that is what it was for
          const already = before.surface.generation > start.measurement.generation
          const climbed = already
            ? Option.some(Exit.succeed<Climbed>({ landed: [], failure: undefined }))
            : yield* boundedRun(climb(ticket, start), start.policy.runTimeLimit)
          const after = yield* surface.state
          const reached = Situation.at(start, after)
          const now = reached.measurement
          if (now.generation > start.measurement.generation) {
            const landed = Option.isSome(climbed) && Exit.isSuccess(climbed.value) ? climbed.value.value.landed : []
            return {
              _tag: "Reduced",
              trigger: start.trigger,
              rungs: landed.map(({ rung }) => rung),
              landed,
              before: start.measurement.totalTokens,
              after: now.totalTokens,
              generation: now.generation,
              spent: Usage.since(before.summaries.usage, after.summaries.usage),
              targetMet: Situation.isTargetMet(reached, start),
              duration: (yield* Clock.currentTimeMillis) - began
            } satisfies Outcome
          }
          if (Option.isNone(climbed)) {
            return yield* new SummaryFailed({ reason: "timed-out", detail: "the policy's time limit of a whole run" })
          }
          const { failure } = yield* climbed.value
          return failure === undefined ? nothing(start) : yield* Effect.fail(failure)
        })
      )
      .pipe(
        told(progress, start),
        metered(start),
        Effect.withSpan("effect-compaction.compaction", {
          attributes: { trigger: start.trigger, session, ...genAiAttributes(start.envelope.route) }
        })
      )

  /** What pressure cannot do anything about is said once a route, not at every request. */
  const warnOnce = (declined: Declined) => {
    if (declined.reason !== "unknown-window" && declined.reason !== "threshold-unreachable") return Effect.void
    return Effect.flatMap(surface.state, ({ envelope }) => {
      const key = `${declined.reason} ${envelope?.routeKey}`
      if (envelope === undefined || warned.has(key)) return Effect.void
      warned.add(key)
      const route = Route.format(envelope.envelope.route)
      return Effect.logWarning(
        declined.reason === "unknown-window"
          ? `session "${session}": the window of ${route} is unknown, so nothing is done about pressure; overflows are rescued all the same`
          : declined.contradiction !== undefined
            ? `session "${session}": pressure is off on ${route}: ${declined.contradiction}`
            : `session "${session}": the envelope takes ${declined.envelope} tokens and pressure begins at ${declined.threshold} on ${route}: compaction cannot help there`
      )
    })
  }

  // a turn whose end could not be written is open in the log, and does not run
  const idle = Effect.flatMap(surface.state, ({ openTurn, turn }) =>
    surface.occupant() === "turn"
      ? Effect.fail(new SessionBusy({ session, turn: openTurn ?? turn + 1, state: "running" }))
      : Effect.void
  )

  const compactIfNeeded = Effect.fnUntraced(function* (trigger: Trigger): Effect.fn.Return<Outcome, CompactionError> {
    if (trigger === "manual") yield* idle
    const situation = yield* look(trigger)
    if (Either.isLeft(situation)) {
      yield* warnOnce(situation.left)
      return tellDeclined(situation.left)
    }
    if (next(situation.right) === undefined) return tellDeclined(nothing(situation.right))
    const outcome = run(situation.right, (ticket, start) => climb(ladder, usable(start), ticket, start))
    return trigger === "pressure"
      ? yield* Effect.catchTag(outcome, "CompactionBusy", () =>
          Effect.succeed<Outcome>({ ...nothing(situation.right), reason: "busy" })
        )
      : yield* outcome
  })

  const plan = (trigger: Trigger): Effect.Effect<Plan> =>
    Effect.map(look(trigger), (situation) => {
      if (Either.isLeft(situation)) return situation.left
      const step = next(situation.right)
      if (step === undefined) return nothing(situation.right)
      const { first, last, price, why } = step.proposal
      return { _tag: "Planned", trigger, rung: step.rung.name, first, last, price, why }
    })

  const compactRegion = Effect.fnUntraced(function* (
    first: Seq,
    last: Seq
  ): Effect.fn.Return<Outcome, CompactionError> {
    yield* idle
    const looked = yield* look("manual")
    if (Either.isLeft(looked)) return looked.left
    const situation = looked.right
    const { surface: nodes } = situation.state
    const { from, to } = yield* regionOf(session, nodes, first, last)
    const step = stepFor(situation, from, to)
    if (step === undefined) return tellDeclined(nothing(situation))
    return yield* run(situation, (ticket) =>
      Effect.map(attemptRung(ladder, step, ticket.id, ticket, situation), ({ failure, landed, moved }) => ({
        landed: moved ? [landed] : [],
        failure
      }))
    )
  })

  return CompactService.of({ compactIfNeeded, plan, compactRegion, progress: progress.stream })
})

/**
 * The engine with other rungs: order, leave out, add.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (options: {
  readonly rungs: (defaults: ReadonlyArray<Rung>) => ReadonlyArray<Rung>
}): Layer.Layer<CompactService, never, RungServices> => Layer.scoped(CompactService, make(options))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<CompactService, never, RungServices> = Layer.scoped(CompactService, make())

/**
 * Runs the ladder if the trigger asks for it.
 *
 * @since 0.1.0
 * @category accessors
 */
export const compactIfNeeded = (trigger: Trigger): Effect.Effect<Outcome, CompactionError, CompactService> =>
  Effect.flatMap(CompactService, (service) => service.compactIfNeeded(trigger))

/**
 * Compacts now, by hand. Needs a session in which no turn runs; keeps the newest unit; writes nothing if there is no span.
 *
 * @since 0.1.0
 * @category accessors
 */
export const compactNow: Effect.Effect<Outcome, CompactionError, CompactService> = compactIfNeeded("manual")

/**
 * What a run would do now, with no effect on anything.
 *
 * @since 0.1.0
 * @category accessors
 */
export const plan = (trigger: Trigger): Effect.Effect<Plan, never, CompactService> =>
  Effect.flatMap(CompactService, (service) => service.plan(trigger))

/**
 * Replaces the span from `first` to `last` by a checkpoint, by hand.
 *
 * @since 0.1.0
 * @category accessors
 */
export const compactRegion = (first: Seq, last: Seq): Effect.Effect<Outcome, CompactionError, CompactService> =>
  Effect.flatMap(CompactService, (service) => service.compactRegion(first, last))

/**
 * What the session's runs do, from now on: one value when a run starts and ends, and when each of its rungs does.
 *
 * @since 0.1.0
 * @category accessors
 */
export const progress: Stream.Stream<Progress, never, CompactService> = Stream.unwrap(
  Effect.map(CompactService, (service) => service.progress)
)
