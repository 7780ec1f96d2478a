/**
 * What a compaction run has to deal with: the session, the policy of its route, the window, and what to get below.
 * Planning and running see the same value, so they cannot disagree.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Envelope } from "../session/Envelope.ts"
import * as Route from "../session/Route.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { measure, type Measurement } from "./measure.ts"
import * as Meter from "./Meter.ts"
import * as Policy from "./Policy.ts"
import { type PruneBudget, pruneDivisors, pruneResult, tighter } from "./prune.ts"
import * as RouteFacts from "./RouteFacts.ts"
import * as SessionState from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

/**
 * Why a run does nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type DeclinedReason =
  | "no-route"
  | "off"
  | "below-threshold"
  | "unknown-window"
  | "no-span"
  | "repeat"
  | "busy"
  | "resting"
  | "threshold-unreachable"
  | "envelope-too-large"
  | "unit-too-large"

/**
 * A run that does nothing, with the numbers that say why. All sizes are tokens; `unit` is the newest unit in its smallest
 * form.
 *
 * @since 0.1.0
 * @category models
 */
export interface Declined {
  readonly _tag: "Declined"
  readonly trigger: Trigger
  readonly reason: DeclinedReason
  readonly envelope: number
  readonly unit: number
  readonly surface: number
  readonly threshold?: number
  readonly window?: number
  /** what the policy says against the window, where that is the reason */
  readonly contradiction?: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Situation {
  readonly trigger: Trigger
  readonly state: SessionState.SessionState
  readonly estimator: TokenEstimator
  readonly envelope: Envelope
  readonly policy: Policy.RoutePolicy
  readonly measurement: Measurement
  /** undefined: nobody knows */
  readonly window: number | undefined
  readonly budgets: Policy.Budgets | undefined
  /** the input that the provider takes: window or stated limit, less the reserve where the limit counts output too */
  readonly inputLimit: number | undefined
  /** the measured total that the run has to get below; undefined after an overflow of which no figure is known */
  readonly target: number | undefined
  /** tokens of the tail that stays verbatim; 0: the newest unit only */
  readonly retain: number
  /** the route that a summary would use, and its window */
  readonly summary: { readonly route: Route.Route; readonly window: number | undefined; readonly outputLimit?: number }
}

/**
 * What the adapter knows of the route, in tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownWindow {
  readonly window: number
  readonly outputLimit?: number
}

/**
 * Tokens of some nodes, by the meter's price.
 *
 * @since 0.1.0
 * @category getters
 */
export const priceOf = (
  { estimator, state }: Pick<Situation, "state" | "estimator">,
  nodes: ReadonlyArray<SurfaceState.Node>
): number => {
  const weights = SessionState.weights(state, estimator)
  const routeKey = state.envelope?.routeKey ?? ""
  return nodes.reduce((sum, node) => sum + Meter.price(state.meter, node, weights, routeKey), 0)
}

/**
 * The place where the newest unit begins.
 *
 * @since 0.1.0
 * @category getters
 */
export const newestUnit = (surface: SurfaceState.SurfaceState): number =>
  surface.length === 0 ? 0 : SurfaceState.unitStart(surface, surface.length - 1)

/** What the last prune rung cuts to. */
const smallest = (budget: PruneBudget): PruneBudget => tighter(budget, pruneDivisors.at(-1) ?? 1)

/** The newest unit with its tool results cut as far as any rung cuts them. */
const smallestUnit = (context: Pick<Situation, "state" | "estimator">, policy: Policy.RoutePolicy): number => {
  const { estimator, state } = context
  const nodes = SurfaceState.nodes(state.surface, newestUnit(state.surface)).map((node) => {
    const [result] = node.message.content
    if (policy.prune === false || result?.type !== "tool-result") return node
    const content = pruneResult(result.content, smallest(policy.prune))
    if (content === undefined) return node
    const counts = estimator.message({ ...node.message, content: [{ ...result, content }] })
    return { ...node, counts }
  })
  return priceOf(context, nodes)
}

/**
 * What the provider is thought to count for one measured token of the request that it refused: at least 1.
 */
const refusedScale = (state: SessionState.SessionState): number => {
  const { refusal } = state
  if (refusal === undefined || refusal.measured <= 0 || refusal.generation !== state.surface.generation) return 1
  return Math.max((refusal.requested ?? refusal.limit ?? 0) / refusal.measured, 1)
}

const resting = ({ estimator, state }: Pick<Situation, "state" | "estimator">, trigger: Trigger): boolean => {
  const entry = state.resting.get(trigger)
  if (entry === undefined || entry.times < restAfter || entry.routeKey !== state.envelope?.routeKey) return false
  const weights = SessionState.weights(state, estimator)
  const then = entry.surface.reduce((sum, count, k) => sum + count * (weights[k] ?? 0), 0)
  return SurfaceState.sumBefore(state.surface, state.surface.length, weights) < then * restUntil
}

const summaryRoute = (
  route: Route.Route,
  state: SessionState.SessionState,
  known: (route: Route.Route) => KnownWindow | undefined
): Situation["summary"] => {
  const info = known(route)
  const facts = SessionState.routeFacts(state, Route.key(route))
  const window = RouteFacts.windowOf(facts, info?.window)
  return {
    route,
    // a request over the ceiling would be refused like the one that taught it
    window: facts.ceiling === undefined ? window : Math.min(window ?? Infinity, facts.ceiling),
    ...(info?.outputLimit === undefined ? {} : { outputLimit: info.outputLimit })
  }
}

/** After three summaries in a row that failed or did not help, the paid rungs rest until the surface grew by a tenth. */
const restAfter = 3
const restUntil = 1.1

/**
 * Whether the rungs that cost money rest for this trigger.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isResting = (situation: Situation): boolean =>
  situation.trigger !== "manual" && resting(situation, situation.trigger)

/**
 * Looks at a session: what a run of this trigger has to do, or why it does nothing. O(1) below the threshold.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assess = (options: {
  readonly trigger: Trigger
  readonly state: SessionState.SessionState
  readonly estimator: TokenEstimator
  readonly policy: Policy.Policy
  readonly known: (route: Route.Route) => KnownWindow | undefined
  /** whether a summary request must fit the window of its route */
  readonly summaryBounded: boolean
}): Either.Either<Situation, Declined> => {
  const { estimator, state, trigger } = options
  const measurement = measure(state, estimator)
  const decline = (reason: DeclinedReason, numbers: Partial<Declined> = {}) =>
    Either.left<Declined>({
      _tag: "Declined",
      trigger,
      reason,
      envelope: measurement.envelopeTokens,
      unit: 0,
      surface: measurement.surfaceTokens,
      ...numbers
    })
  if (state.envelope === undefined) return decline("no-route")
  const { envelope, routeKey } = state.envelope
  const policy = Policy.forRoute(options.policy, envelope.route)
  if (
    (trigger === "pressure" && !policy.auto.pressure) ||
    (trigger === "context-overflow" && !policy.auto.contextOverflow)
  ) {
    return decline("off")
  }
  const facts = SessionState.routeFacts(state, routeKey)
  const window = RouteFacts.windowOf(facts, options.known(envelope.route)?.window)
  const { maxOutputTokens } = envelope
  const budgets =
    window === undefined
      ? undefined
      : Policy.budgets(policy, { window, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) })
  const inputLimit =
    window === undefined || budgets === undefined
      ? undefined
      : facts.limit === window && facts.limitCounts === "input"
        ? window
        : window - budgets.reserve
  const serving = summaryRoute(policy.summary.route ?? envelope.route, state, options.known)
  const summary = options.summaryBounded ? serving : { ...serving, window: Infinity }
  const common = { trigger, state, estimator, envelope, policy, measurement, window, budgets, inputLimit, summary }

  if (trigger === "manual") return Either.right({ ...common, target: undefined, retain: 0 })

  if (trigger === "context-overflow") {
    if (inputLimit !== undefined) {
      const unit = smallestUnit(options, policy)
      const numbers = { unit: Math.round(unit), ...(window === undefined ? {} : { window }) }
      // an estimate may be too high: only what is too large even by the lower bound is given up
      const surely = measurement.totalTokens === 0 ? 1 : measurement.lowerTokens / measurement.totalTokens
      if (measurement.envelopeTokens * surely > inputLimit) return decline("envelope-too-large", numbers)
      if ((measurement.envelopeTokens + unit) * surely > inputLimit) return decline("unit-too-large", numbers)
    }
    const scale = refusedScale(state)
    return Either.right({ ...common, target: inputLimit === undefined ? undefined : inputLimit / scale, retain: 0 })
  }

  if (window === undefined || budgets === undefined || inputLimit === undefined) return decline("unknown-window")
  const threshold = Math.min(budgets.threshold, facts.ceiling ?? Infinity)
  const numbers = { threshold, window }
  if (measurement.totalTokens < threshold && measurement.upperTokens <= inputLimit) {
    return decline("below-threshold", numbers)
  }
  if (measurement.envelopeTokens > inputLimit) return decline("envelope-too-large", numbers)
  if (measurement.envelopeTokens >= threshold) return decline("threshold-unreachable", numbers)
  if (budgets.contradiction !== undefined) {
    return decline("threshold-unreachable", { ...numbers, contradiction: budgets.contradiction })
  }
  if (SessionState.isRepeat(state)) return decline("repeat", numbers)
  const room = threshold - measurement.envelopeTokens
  return Either.right({
    ...common,
    target: threshold,
    // what stays must leave room for what comes: where it would not, it is lowered, once
    retain: budgets.retain >= room ? Math.floor(room / 2) : budgets.retain
  })
}

/**
 * The same run, at what the session is now.
 *
 * @since 0.1.0
 * @category combinators
 */
export const at = (situation: Situation, state: SessionState.SessionState): Situation => ({
  ...situation,
  state,
  measurement: measure(state, situation.estimator)
})

/**
 * Whether the run that began `before` has reached what it wants. After an overflow of which no figure is known that is a
 * summary: a prune may have taken away too little, and nothing can tell.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isTargetMet = ({ measurement: now, state }: Situation, before: Situation): boolean => {
  const moved = now.generation > before.measurement.generation
  if (before.trigger === "manual") return moved
  if (before.trigger === "context-overflow" && !moved) return false
  if (before.trigger === "pressure" && now.upperTokens > (before.inputLimit ?? Infinity)) return false
  return before.target === undefined
    ? state.summaries.landed > before.state.summaries.landed
    : now.totalTokens < before.target
}
