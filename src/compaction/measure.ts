/**
 * Reads the meter: one coherent value at one revision of the log.
 *
 * @since 0.1.0
 */
import * as Envelope from "../session/Envelope.ts"
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Baseline from "./Baseline.ts"
import * as Calibration from "./Calibration.ts"
import * as Meter from "./Meter.ts"
import { changed, type CurrentEnvelope, type SessionState, weightsFor } from "./SessionState.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

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
  readonly baseline: Baseline.Baseline["kind"]
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

/** The bounds are three standard errors from the best guess. */
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
  const { surface } = state
  const weights = weightsFor(envelope, estimator)
  const baseline = Baseline.of(state.meter, envelope, weights)
  const estimate = SurfaceState.sumBefore(surface, surface.length, weights)
  const surfaceTokens = estimate * baseline.density
  const gained = Calibration.priced(baseline.pricing, estimate - baseline.held)
  const delta = baseline.lost + gained.tokens
  const total = Math.max(baseline.reported + delta, 0)
  const unsure = bound * gained.error
  return {
    revision: state.revision,
    generation: surface.generation,
    baseline: baseline.kind,
    surfaceDelta: Math.round(baseline.kind === "usage" ? delta : surfaceTokens),
    totalTokens: Math.round(total),
    upperTokens: Math.ceil(total + unsure),
    lowerTokens: Math.max(Math.floor(total - unsure), 0),
    surfaceTokens: Math.round(surfaceTokens),
    envelopeTokens: Math.round(baseline.envelope * baseline.density),
    surface
  }
}

/**
 * The same as if nothing had been counted yet: what a server counted may be of a part of the request only.
 *
 * @since 0.1.0
 * @category getters
 */
export const measureUncounted = (state: SessionState, estimator: TokenEstimator): Measurement =>
  measure(changed(state, { meter: Meter.uncounted(state.meter) }), estimator)
