/**
 * Reads the meter: one coherent value at one revision of the log.
 *
 * @since 0.1.0
 */
import * as Envelope from "../session/Envelope.ts"
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
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

/** Relative standard error of an estimate before any report, and of a calibrated one (token-notes 0, table). */
const uncertain = { before: 0.12, after: 0.06 }

/** Hidden framing that no estimate sees (token-notes 0.5). */
const slack = 40

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
  const surfaceTokens = SurfaceState.sumBefore(surface, surface.length, weights) * density
  const envelopeTokens = envelope === undefined ? 0 : tokens(envelope.counts, weights) * density
  const anchored = meter.anchor !== undefined && envelope !== undefined && meter.anchor.envelopeKey === envelope.key
  const gained = anchored ? tokens(meter.anchor.gained, weights) * density : surfaceTokens
  const surfaceDelta = anchored ? meter.anchor.lost + gained : surfaceTokens
  const total = Math.max(anchored ? meter.anchor.reported + surfaceDelta : envelopeTokens + surfaceTokens, 0)
  const error = meter.densities.has(routeKey) ? uncertain.after : uncertain.before
  const unsure = 3 * error * (anchored ? gained : total) + slack
  return {
    revision: state.revision,
    generation: surface.generation,
    baseline: envelope === undefined ? "none" : anchored ? "usage" : "estimated",
    surfaceDelta: Math.round(surfaceDelta),
    totalTokens: Math.round(total),
    upperTokens: Math.ceil(total + unsure),
    lowerTokens: Math.max(Math.floor(total - unsure), 0),
    surfaceTokens: Math.round(surfaceTokens),
    envelopeTokens: Math.round(envelopeTokens),
    surface
  }
}
