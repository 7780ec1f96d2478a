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
  if (envelope === undefined || anchor === undefined || anchor.envelope.routeKey !== envelope.routeKey) {
    const kind = envelope === undefined ? "none" : "estimated"
    const pricing = Calibration.pricing(known, undefined)
    return { kind, reported: 0, lost: 0, held: -estimate, pricing, density, envelope: estimate }
  }
  const more = anchor.envelope.key === envelope.key ? 0 : estimate - tokens(anchor.envelope.counts, weights)
  return {
    kind: "usage",
    reported: anchor.reported,
    lost: anchor.lost,
    held: tokens(anchor.kept, weights) - more,
    pricing: Calibration.pricing(known, Changes.replyOf(anchor, weights)),
    density,
    envelope: estimate
  }
}

interface Made {
  readonly envelope: Changes.Carried | undefined
  readonly weights: ReadonlyArray<number>
  readonly baseline: Baseline
}

const madeFor = new WeakMap<Meter.Meter, Made>()

/**
 * The baseline of the next request with this envelope. Made once, then shared until the meter or the envelope changes.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = (
  meter: Meter.Meter,
  envelope: Changes.Carried | undefined,
  weights: ReadonlyArray<number>
): Baseline => {
  const made = madeFor.get(meter)
  if (made !== undefined && made.envelope === envelope && made.weights === weights) return made.baseline
  const baseline = make(meter, envelope, weights)
  madeFor.set(meter, { envelope, weights, baseline })
  return baseline
}
