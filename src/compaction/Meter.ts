/**
 * The meter's state, folded from the log: how large the next request is.
 *
 * The anchor is the input that the provider last counted. What the surface gained since is added at the learned density;
 * what it lost is taken off at the price that was learned for it. The total is never scaled.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Node } from "../session/SurfaceState.ts"
import { tokens } from "./TokenEstimator.ts"

/** Tokens per estimated token, as the sums of both over all reported differences of a route. */
interface Density {
  readonly counted: number
  readonly estimated: number
}

/** What the provider counted for the messages that one report was the first to pay for, per estimated token. */
interface Learned {
  readonly from: Seq
  readonly to: Seq
  readonly ratio: number
  readonly weights: ReadonlyArray<number>
}

/** Changes of the surface since a request was built. */
interface Changes {
  /** seq of the request's step: nodes before it were part of the request */
  readonly requestSeq: Seq
  readonly envelopeKey: string
  /** tokens that replacements took away since, at the prices of their time: never positive */
  readonly lost: number
  /** raw counts of what the surface gained since and still has */
  readonly gained: ReadonlyArray<number>
}

interface Anchor extends Changes {
  /** input tokens as the provider counted them */
  readonly reported: number
}

interface Pending extends Changes {
  /** how far the surface had moved from the anchor when this request was built */
  readonly sinceAnchor: Changes | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Meter {
  readonly anchor: Anchor | undefined
  /** the request that is under way */
  readonly pending: Pending | undefined
  /** in order of seq; a provider's report adds one entry, not one a message */
  readonly learned: ReadonlyArray<Learned>
  readonly densities: ReadonlyMap<string, Density>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty: Meter = { anchor: undefined, pending: undefined, learned: [], densities: new Map() }

/** An estimate counts as 3,000 tokens seen at density 1 before the first report (token-notes 0.3). */
const priorTokens = 3_000

/** Older differences count less (token-notes 0.3). */
const forgetting = 0.97

/** A difference outside of these is not a tokenizer's doing: text was hidden, or dropped. */
const plausible = { least: 0.3, most: 4 }

/**
 * Tokens that the provider counts for one estimated token, learned from differences between its reports.
 *
 * @since 0.1.0
 * @category getters
 */
export const density = (meter: Meter, routeKey: string): number => {
  const seen = meter.densities.get(routeKey)
  return seen === undefined ? 1 : (priorTokens + seen.counted) / (priorTokens + seen.estimated)
}

const learnedFor = (meter: Meter, seq: Seq): Learned | undefined => {
  let low = 0
  let high = meter.learned.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const entry = meter.learned[middle]!
    if (seq < entry.from) high = middle - 1
    else if (seq >= entry.to) low = middle + 1
    else return entry
  }
  return undefined
}

/**
 * The one price of a message: what was learned for it, else its estimate at the route's density. Both sides of a
 * replacement are priced by this.
 *
 * @since 0.1.0
 * @category getters
 */
export const price = (
  meter: Meter,
  node: Pick<Node, "seq" | "counts">,
  weights: ReadonlyArray<number>,
  routeKey: string
): number => {
  const learned = learnedFor(meter, node.seq)
  return learned === undefined
    ? tokens(node.counts, weights) * density(meter, routeKey)
    : tokens(node.counts, learned.weights) * learned.ratio
}

/**
 * Whether a message is strictly smaller than the nodes that it would shadow (I2): by price, and by estimate alone, since
 * a learned price may hold what is not the message's own.
 *
 * @since 0.1.0
 * @category predicates
 */
export const shrinks = (
  meter: Meter,
  shadowed: ReadonlyArray<Node>,
  node: Node,
  weights: ReadonlyArray<number>,
  routeKey: string
): { readonly before: number; readonly after: number; readonly smaller: boolean } => {
  let before = 0
  let estimated = 0
  for (const old of shadowed) {
    before += price(meter, old, weights, routeKey)
    estimated += tokens(old.counts, weights)
  }
  const after = price(meter, node, weights, routeKey)
  return { before, after, smaller: after < before && tokens(node.counts, weights) < estimated }
}

const plus = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> =>
  a.length === 0 ? b : a.map((value, k) => value + (b[k] ?? 0))

const minus = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> =>
  a.map((value, k) => value - (b[k] ?? 0))

/**
 * A message was appended.
 *
 * @since 0.1.0
 * @category folds
 */
export const appended = (meter: Meter, counts: ReadonlyArray<number>): Meter => {
  const { anchor, pending } = meter
  if (anchor === undefined && pending === undefined) return meter
  return {
    anchor: anchor === undefined ? undefined : { ...anchor, gained: plus(anchor.gained, counts) },
    pending: pending === undefined ? undefined : { ...pending, gained: plus(pending.gained, counts) },
    learned: meter.learned,
    densities: meter.densities
  }
}

const moved = <C extends Changes>(
  changes: C | undefined,
  shadowed: ReadonlyArray<Node>,
  counts: ReadonlyArray<number>,
  priceOf: (node: Node) => number
): C | undefined => {
  if (changes === undefined) return undefined
  let { gained, lost } = changes
  for (const node of shadowed) {
    if (node.seq < changes.requestSeq) lost -= priceOf(node)
    else gained = minus(gained, node.counts)
  }
  return { ...changes, lost, gained: plus(gained, counts) }
}

/**
 * A replacement landed: `shadowed` left the surface, a message of `counts` came.
 *
 * @since 0.1.0
 * @category folds
 */
export const replaced = (
  meter: Meter,
  shadowed: ReadonlyArray<Node>,
  counts: ReadonlyArray<number>,
  weights: ReadonlyArray<number>,
  routeKey: string
): Meter => {
  const priceOf = (node: Node) => price(meter, node, weights, routeKey)
  return {
    anchor: moved(meter.anchor, shadowed, counts, priceOf),
    pending: moved(meter.pending, shadowed, counts, priceOf),
    learned: meter.learned,
    densities: meter.densities
  }
}

/**
 * A request was built from all that stands before `requestSeq`.
 *
 * @since 0.1.0
 * @category folds
 */
export const requested = (meter: Meter, requestSeq: Seq, envelopeKey: string): Meter => ({
  ...meter,
  pending: { requestSeq, envelopeKey, lost: 0, gained: [], sinceAnchor: meter.anchor }
})

/**
 * The provider counted the input of the request under way.
 *
 * Sizes are learned from the difference to its report before, if the envelope is the same: shared out to the messages
 * that it paid for in proportion to their estimates. Density is learned only where nothing was replaced in between. A
 * count that is far below what was sent belongs to a server that drops text: it teaches nothing and is not an anchor.
 *
 * @since 0.1.0
 * @category folds
 */
export const reported = (
  meter: Meter,
  inputTokens: number,
  expected: number,
  weights: ReadonlyArray<number>,
  routeKey: string
): Meter => {
  const { anchor, pending } = meter
  if (pending === undefined || inputTokens <= 0 || inputTokens < expected * plausible.least) return meter
  const { sinceAnchor, ...changes } = pending
  const next: Anchor = { ...changes, reported: inputTokens }
  if (anchor === undefined || sinceAnchor === undefined || anchor.envelopeKey !== pending.envelopeKey) {
    return { ...meter, anchor: next, pending: undefined }
  }
  const counted = inputTokens - (anchor.reported + sinceAnchor.lost)
  const estimated = tokens(sinceAnchor.gained, weights)
  const ratio = counted / estimated
  if (!(estimated > 0 && ratio >= plausible.least && ratio <= plausible.most)) {
    return { ...meter, anchor: next, pending: undefined }
  }
  const seen = meter.densities.get(routeKey) ?? { counted: 0, estimated: 0 }
  const densities =
    sinceAnchor.lost === 0
      ? new Map(meter.densities).set(routeKey, {
          counted: seen.counted * forgetting + counted,
          estimated: seen.estimated * forgetting + estimated
        })
      : meter.densities
  return {
    anchor: next,
    pending: undefined,
    learned: [...meter.learned, { from: anchor.requestSeq, to: pending.requestSeq, ratio, weights }],
    densities
  }
}

/**
 * The request under way ended without a count.
 *
 * @since 0.1.0
 * @category folds
 */
export const unreported = (meter: Meter): Meter =>
  meter.pending === undefined ? meter : { ...meter, pending: undefined }
