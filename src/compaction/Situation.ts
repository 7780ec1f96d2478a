/**
 * What a compaction run has to deal with: the session, the policy of its route, the window, and what to get below.
 * Planning and running see the same value, so they cannot disagree.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Envelope } from "../session/Envelope.ts"
import type { Trigger } from "../session/SessionEvent.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import type { CountText } from "./CodePoints.ts"
import { measure, type Measurement } from "./measure.ts"
import * as Meter from "./Meter.ts"
import * as Policy from "./Policy.ts"
import { refusedBy, targetAfterRefusal } from "./refusedSize.ts"
import * as RequestBytes from "./requestBytes.ts"
import * as RouteFacts from "./RouteFacts.ts"
import * as SessionState from "./SessionState.ts"
import * as Shortened from "./shortened.ts"
import { type Known, type SummaryRoute, summaryRoute } from "./SummaryRoute.ts"
import { tokens, type TokenEstimator } from "./TokenEstimator.ts"

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
  | "no-media"

/**
 * A run that does nothing, with the numbers that say why. All sizes are tokens; `unit` is the newest unit in its smallest
 * form. `bytes`, of the request and of its newest unit, where the request was refused for them.
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
  readonly bytes?: RequestBytes.RequestBytes
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
  /** after a refusal for bytes, and only then: bytes are what has to become less, and tokens do not matter */
  readonly bytes: RequestBytes.RequestBytes | undefined
  readonly carries: RequestBytes.Carries
  /** undefined: nobody knows */
  readonly window: number | undefined
  readonly budgets: Policy.Budgets | undefined
  /** the input that the provider takes: window or stated limit, less the reserve where the limit counts output too */
  readonly inputLimit: number | undefined
  /** the measured total that the run has to get below; undefined after an overflow of which no figure is known */
  readonly target: number | undefined
  /** tokens of the tail that stays verbatim; 0: the newest unit only */
  readonly retain: number
  readonly summary: SummaryRoute
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
 * Tokens of a text on the route of the conversation, by estimate alone.
 *
 * @since 0.1.0
 * @category getters
 */
export const countTextOf = ({ estimator, state }: Pick<Situation, "state" | "estimator">): CountText => {
  const weights = SessionState.weights(state, estimator)
  return (text) => tokens(estimator.message({ role: "user", content: [{ type: "text", text }] }), weights)
}

/**
 * The place where the newest unit begins.
 *
 * @since 0.1.0
 * @category getters
 */
export const newestUnit = (surface: SurfaceState.SurfaceState): number =>
  surface.length === 0 ? 0 : SurfaceState.unitStart(surface, surface.length - 1)

/** The newest unit with its messages cut as far as any rung cuts them. */
const smallestUnit = (context: Pick<Situation, "state" | "estimator">, policy: Policy.RoutePolicy): number => {
  const { surface } = context.state
  const budget = Shortened.budgets(policy).at(-1)
  const nodes = SurfaceState.nodes(surface, newestUnit(surface))
  if (budget === undefined) return priceOf(context, nodes)
  const mayCut = Shortened.mayCutResultsOf(policy)
  return priceOf(
    context,
    nodes.map((node) => Shortened.shorten(node, budget, context, node.seq, mayCut))
  )
}

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
  readonly known: Known
  /** whether a summary request must fit the window of its route */
  readonly summaryBounded: boolean
  /** what a request brings along of images and files; all of them where that is not known */
  readonly carries?: RequestBytes.Carries
}): Either.Either<Situation, Declined> => {
  const { carries = RequestBytes.carriesAll, estimator, state, trigger } = options
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
  const serving = summaryRoute(options, state.envelope, policy, measurement)
  const summary = options.summaryBounded ? serving : { ...serving, window: Infinity }
  const bytes =
    trigger === "context-overflow" && state.refusal?.unit === "bytes"
      ? RequestBytes.measure(envelope, state.surface, carries)
      : undefined
  const limits = { window, budgets, inputLimit }
  const common = { trigger, state, estimator, envelope, policy, measurement, bytes, carries, ...limits, summary }

  if (trigger === "manual") return Either.right({ ...common, target: undefined, retain: 0 })

  if (bytes !== undefined) {
    const unit = Math.round(smallestUnit(options, policy))
    return RequestBytes.isNewestTheCause(bytes)
      ? decline("unit-too-large", { unit, bytes })
      : Either.right({ ...common, target: undefined, retain: 0 })
  }

  if (trigger === "context-overflow") {
    if (inputLimit !== undefined) {
      const unit = smallestUnit(options, policy)
      const numbers = { unit: Math.round(unit), ...(window === undefined ? {} : { window }) }
      // an estimate may be too high: only what is too large even by the lower bound is given up
      const surely = measurement.totalTokens === 0 ? 1 : measurement.lowerTokens / measurement.totalTokens
      if (measurement.envelopeTokens * surely > inputLimit) return decline("envelope-too-large", numbers)
      if ((measurement.envelopeTokens + unit) * surely > inputLimit) return decline("unit-too-large", numbers)
    }
    return Either.right({ ...common, target: targetAfterRefusal(refusedBy(state), inputLimit), retain: 0 })
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
  measurement: measure(state, situation.estimator),
  bytes:
    situation.bytes === undefined
      ? undefined
      : RequestBytes.measure(situation.envelope, state.surface, situation.carries)
})

/**
 * Whether the run that began `before` has reached what it wants. After an overflow of which no figure is known that is a
 * summary: a prune may have taken away too little, and nothing can tell.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isTargetMet = ({ bytes, measurement: now, state }: Situation, before: Situation): boolean => {
  const moved = now.generation > before.measurement.generation
  if (bytes !== undefined && before.bytes !== undefined) {
    return moved && bytes.request <= RequestBytes.target(before.bytes)
  }
  if (before.trigger === "manual") return moved
  if (before.trigger === "context-overflow" && !moved) return false
  if (before.trigger === "pressure" && now.upperTokens > (before.inputLimit ?? Infinity)) return false
  return before.target === undefined
    ? state.summaries.landed > before.state.summaries.landed
    : now.totalTokens < before.target
}
