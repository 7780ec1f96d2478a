/**
 * The engine: climbs a ladder of rungs until its trigger is satisfied, and judges each rung by the surface alone.
 * By hand: `examples/manual.ts`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { setAside } from "../compaction/rescue.ts"
import * as SessionState from "../compaction/SessionState.ts"
import * as Situation from "../compaction/Situation.ts"
import { forSpan } from "../compaction/summarising.ts"
import { type CompactionError, InvalidReplacement, SummaryFailed } from "../errors/CompactionError.ts"
import { SessionBusy } from "../errors/SessionError.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"
import {
  CompactService,
  type Declined,
  type Outcome,
  type Plan,
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
import { climb, type Climbed, failureOf, nextStep } from "./ladder.ts"
import { prune, pruneTighter } from "./rungs/prune.ts"
import { summarise, summariseSpan } from "./rungs/summarise.ts"

export {
  CompactService,
  type Declined,
  type DeclinedReason,
  type Outcome,
  type Plan,
  type Planned,
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
export const defaultRungs: ReadonlyArray<Rung> = [prune, summarise, pruneTighter]

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

  /** One coherent look: the adapter is asked first, then all is read from one state. */
  const look = Effect.fnUntraced(function* (trigger: Trigger) {
    const { envelope } = yield* surface.state
    const routes = new Map<string, Situation.KnownWindow>()
    if (envelope !== undefined) {
      for (const route of [envelope.envelope.route, policy.summary.route ?? envelope.envelope.route]) {
        const info = yield* adapter.modelInfo(route)
        if (Option.isSome(info)) routes.set(Route.key(route), info.value)
      }
    }
    const state = yield* surface.state
    const known = (route: Route.Route) => routes.get(Route.key(route))
    return Situation.assess({ trigger, state, estimator, policy, known, summaryBounded: summarizer.bounded })
  })

  const next = (situation: Situation.Situation) => nextStep(rungs, situation)

  const nothing = (situation: Situation.Situation): Declined => ({
    _tag: "Declined",
    trigger: situation.trigger,
    reason: Situation.isResting(situation) ? "resting" : "no-span",
    envelope: situation.measurement.envelopeTokens,
    unit: Math.round(
      Situation.priceOf(
        situation,
        SurfaceState.nodes(situation.state.surface, Situation.newestUnit(situation.state.surface))
      )
    ),
    surface: situation.measurement.surfaceTokens,
    ...(situation.budgets === undefined ? {} : { threshold: situation.budgets.threshold }),
    ...(situation.window === undefined ? {} : { window: situation.window })
  })

  const run = (
    start: Situation.Situation,
    ladder: (ticket: Ticket, start: Situation.Situation) => Effect.Effect<Climbed>
  ) =>
    surface
      .withTicket(start.trigger, start.trigger === "context-overflow" ? "wait" : "fail", (ticket) =>
        Effect.gen(function* () {
          const before = yield* surface.state
          // somebody else compacted while this run waited for its turn: that is what it was for
          const already = before.surface.generation > start.measurement.generation
          const climbed = already
            ? Option.some(Exit.succeed<Climbed>({ landed: [], failure: undefined }))
            : yield* boundedRun(ladder(ticket, start), start.policy.runTimeLimit)
          const after = yield* surface.state
          const reached = Situation.at(start, after)
          const now = reached.measurement
          if (now.generation > start.measurement.generation) {
            return {
              _tag: "Reduced",
              trigger: start.trigger,
              rungs: Option.isSome(climbed) && Exit.isSuccess(climbed.value) ? climbed.value.value.landed : [],
              before: start.measurement.totalTokens,
              after: now.totalTokens,
              generation: now.generation,
              spent: Usage.since(before.summaries.usage, after.summaries.usage),
              targetMet: Situation.isTargetMet(reached, start)
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

  const idle = Effect.flatMap(surface.state, (state) =>
    state.openTurn === undefined
      ? Effect.void
      : Effect.fail(new SessionBusy({ session, turn: state.openTurn, state: "running" }))
  )

  const compactIfNeeded = Effect.fnUntraced(function* (trigger: Trigger): Effect.fn.Return<Outcome, CompactionError> {
    if (trigger === "manual") yield* idle
    const situation = yield* look(trigger)
    if (Either.isLeft(situation)) {
      yield* warnOnce(situation.left)
      return situation.left
    }
    if (next(situation.right) === undefined) return nothing(situation.right)
    const outcome = run(situation.right, (ticket, start) => climb(surface, services, rungs, ticket, start))
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
    const from = SurfaceState.positionOf(nodes, first)
    const to = SurfaceState.positionOf(nodes, last)
    const refuse = (reason: InvalidReplacement["reason"], detail: string) =>
      new InvalidReplacement({ session, reason, detail })
    if (from === undefined || to === undefined) {
      return yield* refuse("no-such-node", `seq ${from === undefined ? first : last} is not on the surface`)
    }
    if (from > to) return yield* refuse("reversed", `seq ${first} stands behind seq ${last} on the surface`)
    if (!SurfaceState.isBetweenUnits(nodes, from) || !SurfaceState.isBetweenUnits(nodes, to + 1)) {
      return yield* refuse("splits-a-pair", `from seq ${first} to ${last} a tool call would be parted from its result`)
    }
    const proposal = forSpan(situation, SessionState.shadowedBy(nodes, { first, last }))
    if (proposal === undefined) return nothing(situation)
    return yield* run(situation, (ticket) =>
      Effect.gen(function* () {
        const attempt = summariseSpan(proposal).attempt({ id: ticket.id, ticket, situation })
        const exit = yield* setAside(Effect.provide(attempt, services))
        return Exit.isSuccess(exit)
          ? { landed: [summarise.name], failure: undefined }
          : { landed: [], failure: failureOf(summarise, exit.cause) }
      })
    )
  })

  return CompactService.of({ compactIfNeeded, plan, compactRegion })
})

/**
 * The engine with other rungs: order, leave out, add.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (options: {
  readonly rungs: (defaults: ReadonlyArray<Rung>) => ReadonlyArray<Rung>
}): Layer.Layer<CompactService, never, RungServices> => Layer.effect(CompactService, make(options))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<CompactService, never, RungServices> = Layer.effect(CompactService, make())

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
