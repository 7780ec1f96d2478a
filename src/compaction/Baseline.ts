/**
 * What the size of the next request starts from: all that a further message does not change.
 *
 * @since 0.1.0
 */
import * as Calibration from "./Calibration.ts"
import * as Changes from "./Changes.ts"
import * as Meter from "./Meter.ts"
import { tokens } from "./TokenEstimator.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Baseline {
  /** `usage`: counted by the provider; `estimated`: no count holds; `none`: no envelope yet */
  readonly kind: "none" | "estimated" | "usage"
  /** input tokens as the provider counted them; 0 where no count holds */
  readonly reported: number
  /** tokens that replacements took away since, never positive */
  readonly lost: number
  /** how much of the surface's estimate is no growth since; below zero where the envelope is growth as well */
  readonly held: number
  readonly pricing: Calibration.Pricing
  /** tokens that the provider counts for one estimated token */
  readonly density: number
  /** the estimate of the envelope */
  readonly envelope: number
}

const make = (meter: Meter.Meter, envelope: Changes.Carried | undefined, weights: ReadonlyArray<number>): Baseline => {
  const known = Meter.calibration(meter, envelope?.routeKey ?? "")
  const density = Calibration.density(known)
  const estimate = envelope === undefined ? 0 : tokens(envelope.counts, weights)
  const { anchor } = meter
  if (envelope === undefined || anchor?.changes.envelope.routeKey !== envelope.routeKey) {
    const kind = envelope === undefined ? "none" : "estimated"
    const pricing = Calibration.pricing(known, undefined)
    return { kind, reported: 0, lost: 0, held: -estimate, pricing, density, envelope: estimate }
  }
  const { changes, reported } = anchor
  const more = changes.envelope.key === envelope.key ? 0 : estimate - tokens(changes.envelope.counts, weights)
  return {
    kind: "usage",
    reported,
    lost: changes.lost,
    held: tokens(changes.kept, weights) - more,
    pricing: Calibration.pricing(known, Changes.replyOf(changes, weights)),
    density,
    envelope: estimate
  }
}

interface Made {
  readonly meter: Meter.Meter
  readonly envelope: Changes.Carried | undefined
  readonly weights: ReadonlyArray<number>
  readonly baseline: Baseline
}

/** A request is measured several times over before its meter changes: an entry for every meter would cost more than it saves. */
let latest: Made | undefined

/**
 * The baseline of the next request with this envelope. That which was made last is at hand.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = (
  meter: Meter.Meter,
  envelope: Changes.Carried | undefined,
  weights: ReadonlyArray<number>
): Baseline => {
  if (latest?.meter === meter && latest.envelope === envelope && latest.weights === weights) return latest.baseline
  const baseline = make(meter, envelope, weights)
  latest = { meter, envelope, weights, baseline }
  return baseline
}
