/**
 * Reads the meter: one coherent value at one revision of the log.
 *
 * @since 0.1.0
 */
import * as Envelope from "../session/Envelope.ts"
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Calibration from "./Calibration.ts"
import * as Meter from "./Meter.ts"
import type { CurrentEnvelope, SessionState } from "./SessionState.ts"
import { tokens, type TokenEstimator } from "./TokenEstimator.ts"

/**
 * All sizes are tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Measurement {
  /** seq of the next event: the state of the log that this was taken at */
  readonly revision: Seq
  readonly generation: number
  /** `usage`: counted by the provider, moved by what changed since; `estimated`: no count holds; `none`: no envelope yet */
  readonly baseline: "none" | "estimated" | "usage"
  /** what the surface gained (or lost) since the baseline */
  readonly surfaceDelta: number
  /** the best guess, for people */
  readonly totalTokens: number
  /** a bound that is nearly never exceeded, for decisions near the limit */
  readonly upperTokens: number
  /** the other bound: what excludes a request must exceed even this */
  readonly lowerTokens: number
  /** the surface alone, without the envelope */
  readonly surfaceTokens: number
  readonly envelopeTokens: number
  /** the surface that was measured */
  readonly surface: SurfaceState.SurfaceState
}

/** The bounds are three standard errors from the best guess (token-notes 0.5). */
const bound = 3

/**
 * Prices an envelope that is not the session's current one. Costs one pass over its text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const currentEnvelope = (envelope: Envelope.Envelope, estimator: TokenEstimator): CurrentEnvelope => ({
  envelope,
  key: Envelope.key(envelope),
  routeKey: Route.key(envelope.route),
  counts: estimator.envelope(envelope)
})

/**
 * Measures the next request of a session. O(1).
 *
 * @since 0.1.0
 * @category getters
 */
export const measure = (
  state: SessionState,
  estimator: TokenEstimator,
  envelope: CurrentEnvelope | undefined = state.envelope
): Measurement => {
  const { meter, surface } = state
  const weights = estimator.weights(envelope?.envelope.route ?? { provider: "unknown", model: "unknown" })
  const routeKey = envelope?.routeKey ?? ""
  const density = Meter.density(meter, routeKey)
  const surfaceEstimate = SurfaceState.sumBefore(surface, surface.length, weights)
  const envelopeEstimate = envelope === undefined ? 0 : tokens(envelope.counts, weights)
  const surfaceTokens = surfaceEstimate * density
  const since = envelope === undefined ? undefined : Meter.sinceReport(meter, surfaceEstimate, weights, envelope)
  const whole = { estimated: surfaceEstimate + envelopeEstimate }
  const { error, tokens: estimated } = Calibration.predict(Meter.calibration(meter, routeKey), whole)
  const surfaceDelta = since === undefined ? surfaceTokens : since.delta
  const total = Math.max(since === undefined ? estimated : since.reported + since.delta, 0)
  const unsure = bound * (since === undefined ? error : since.error)
  return {
    revision: state.revision,
    generation: surface.generation,
    baseline: envelope === undefined ? "none" : since === undefined ? "estimated" : "usage",
    surfaceDelta: Math.round(surfaceDelta),
    totalTokens: Math.round(total),
    upperTokens: Math.ceil(total + unsure),
    lowerTokens: Math.max(Math.floor(total - unsure), 0),
    surfaceTokens: Math.round(surfaceTokens),
    envelopeTokens: Math.round(envelopeEstimate * density),
    surface
  }
}
