/**
 * The meter's state, folded from the log: how large the next request is.
 *
 * The anchor is the input that the provider last counted. What the request gained since is added as the route's
 * calibration prices it; what it lost is taken off at the price that was learned for it. The total is never scaled.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Counted } from "../session/SurfaceState.ts"
import type { Usage } from "../session/Usage.ts"
import * as Calibration from "./Calibration.ts"
import * as Changes from "./Changes.ts"
import * as Ledger from "./Ledger.ts"
import { tokens } from "./TokenEstimator.ts"

interface Anchor {
  /** input tokens as the provider counted them */
  readonly reported: number
  /** since its request was built */
  readonly changes: Changes.Changes
}

interface Pending {
  /** since it was built */
  readonly changes: Changes.Changes
  /** how far the surface had moved from the anchor when this request was built, and its counts then */
  readonly sinceAnchor: { readonly changes: Changes.Changes; readonly surface: ReadonlyArray<number> } | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Meter {
  readonly anchor: Anchor | undefined
  /** the request that is under way */
  readonly pending: Pending | undefined
  readonly ledger: Ledger.Ledger
  /** by the key of the route */
  readonly calibrations: ReadonlyMap<string, Calibration.Calibration>
}

/** A fold makes several for each request: by name, since an engine takes many times as long for a spread. */
const make = (
  anchor: Anchor | undefined,
  pending: Pending | undefined,
  ledger: Ledger.Ledger,
  calibrations: Meter["calibrations"]
): Meter => ({ anchor, pending, ledger, calibrations })

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty = (): Meter => make(undefined, undefined, Ledger.empty(), new Map())

/** A count below this share of what was sent belongs to a server that drops text. */
const leastCounted = 0.3

/**
 * What was learned of a route.
 *
 * @since 0.1.0
 * @category getters
 */
export const calibration = (meter: Meter, routeKey: string): Calibration.Calibration =>
  meter.calibrations.get(routeKey) ?? Calibration.none

/**
 * Tokens that the provider counts for one estimated token, learned from differences between its reports.
 *
 * @since 0.1.0
 * @category getters
 */
export const density = (meter: Meter, routeKey: string): number => Calibration.density(calibration(meter, routeKey))

/**
 * The one price of a message: what was learned for it, or counted as it was answered, else its estimate at the route's
 * density. Both sides of a replacement are priced by this.
 *
 * @since 0.1.0
 * @category getters
 */
export const price = (meter: Meter, node: Counted, weights: ReadonlyArray<number>, routeKey: string): number => {
  const learned = Ledger.tokensOf(meter.ledger, node)
  if (learned !== undefined) return learned
  const known = calibration(meter, routeKey)
  const reply =
    meter.anchor?.changes.reply?.seq === node.seq
      ? Calibration.pricing(known, Changes.replyOf(meter.anchor.changes, weights)).reply?.tokens
      : undefined
  return reply ?? tokens(node.counts, weights) * Calibration.density(known)
}

/**
 * A checkpoint is other text than it stands for, and a tokenizer may count that otherwise: a hair's breadth is no evidence. What
 * an earlier checkpoint said is carried on, and need not become less.
 */
const checkpointShare = 0.1

/**
 * Whether a message is strictly smaller than the nodes that it would shadow (I2): by price, and by estimate alone, since
 * a learned price may hold what is not the message's own. A checkpoint has to take away a tenth of what is no checkpoint.
 *
 * @since 0.1.0
 * @category predicates
 */
export const shrinks = (
  meter: Meter,
  shadowed: ReadonlyArray<Counted>,
  node: Counted,
  weights: ReadonlyArray<number>,
  routeKey: string
): { readonly before: number; readonly after: number; readonly smaller: boolean } => {
  let before = 0
  let estimated = 0
  let least = 0
  let leastEstimated = 0
  for (const old of shadowed) {
    const priced = price(meter, old, weights, routeKey)
    const counted = tokens(old.counts, weights)
    before += priced
    estimated += counted
    if (node.source !== "checkpoint" || old.source === "checkpoint") continue
    least += priced * checkpointShare
    leastEstimated += counted * checkpointShare
  }
  const after = price(meter, node, weights, routeKey)
  const smaller = after < before - least && tokens(node.counts, weights) < estimated - leastEstimated
  return { before, after, smaller }
}

/**
 * The answer to the request that was counted last, with what the provider counted for it. Other messages change nothing
 * here: what the surface gained is read off the surface.
 *
 * @since 0.1.0
 * @category folds
 */
export const answered = (meter: Meter, seq: Seq, counts: ReadonlyArray<number>, usage: Usage | undefined): Meter => {
  const { anchor, calibrations, ledger, pending } = meter
  // only the answer to the anchor's own request: of others nobody counted what came after them
  if (anchor === undefined || pending !== undefined || anchor.changes.reply !== undefined) return meter
  if (usage === undefined || usage.outputTokens <= 0) return meter
  const reply = {
    seq,
    counts,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens ?? 0
  }
  const { envelope, kept, lost, requestSeq } = anchor.changes
  const changes = { requestSeq, envelope, lost, kept, reply }
  return make({ reported: anchor.reported, changes }, pending, ledger, calibrations)
}

/**
 * A replacement landed: `shadowed` left the surface.
 *
 * @since 0.1.0
 * @category folds
 */
export const replaced = (
  meter: Meter,
  shadowed: ReadonlyArray<Counted>,
  weights: ReadonlyArray<number>,
  routeKey: string
): Meter => {
  const { anchor, calibrations, ledger, pending } = meter
  const moved = (changes: Changes.Changes) =>
    Changes.moved(changes, shadowed, (node) => price(meter, node, weights, routeKey))
  return make(
    anchor && { reported: anchor.reported, changes: moved(anchor.changes) },
    pending && { changes: moved(pending.changes), sinceAnchor: pending.sinceAnchor },
    ledger,
    calibrations
  )
}

/**
 * A request was built from all that stands before `requestSeq`; `surface` is the sum of its counts.
 *
 * @since 0.1.0
 * @category folds
 */
export const requested = (
  meter: Meter,
  requestSeq: Seq,
  envelope: Changes.Carried,
  surface: ReadonlyArray<number>
): Meter => {
  const changes = { requestSeq, envelope, lost: 0, kept: surface, reply: undefined }
  const sinceAnchor = meter.anchor && { changes: meter.anchor.changes, surface }
  return make(meter.anchor, { changes, sinceAnchor }, meter.ledger, meter.calibrations)
}

/** What the count of a growth says of its messages: of the answer its own price, of the others by their estimates. */
const shared = (
  growth: Calibration.Growth,
  counted: number,
  reply: { readonly seq: Seq; readonly tokens: number } | undefined
): Pick<Ledger.Entry, "ratio" | "reply"> | undefined => {
  if (reply !== undefined && growth.reply !== undefined) {
    const ratio = (counted - reply.tokens) / (growth.estimated - growth.reply.estimated)
    if (Calibration.isPlausible(ratio)) return { ratio, reply }
  }
  const ratio = counted / growth.estimated
  return Calibration.isPlausible(ratio) ? { ratio, reply: undefined } : undefined
}

/**
 * The provider counted the input of the request under way.
 *
 * Sizes are learned from the difference to its report before, if the envelope is the same. The route's calibration
 * learns only where nothing was replaced in between. A count that is far below what was sent belongs to a server that
 * drops text: it teaches nothing and is not an anchor.
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
  if (pending === undefined || inputTokens <= 0 || inputTokens < expected * leastCounted) return meter
  const { changes, sinceAnchor } = pending
  const next = { reported: inputTokens, changes }
  const nothingLearned = () => make(next, undefined, meter.ledger, meter.calibrations)
  if (anchor === undefined || sinceAnchor === undefined) return nothingLearned()
  if (anchor.changes.envelope.key !== changes.envelope.key) return nothingLearned()
  const before = sinceAnchor.changes
  const counted = inputTokens - (anchor.reported + before.lost)
  const growth = {
    estimated: tokens(sinceAnchor.surface, weights) - tokens(before.kept, weights),
    reply: Changes.replyOf(before, weights)
  }
  if (!(growth.estimated > 0)) return nothingLearned()
  const known = calibration(meter, routeKey)
  const calibrations =
    before.lost === 0
      ? new Map(meter.calibrations).set(routeKey, Calibration.learn(known, growth, counted))
      : meter.calibrations
  const answer = Calibration.pricing(known, growth.reply).reply
  const { reply } = before
  const entry = shared(
    growth,
    counted,
    reply === undefined || answer === undefined ? undefined : { seq: reply.seq, tokens: answer.tokens }
  )
  if (entry === undefined) return make(next, undefined, meter.ledger, calibrations)
  const { ratio, reply: answered } = entry
  const { requestSeq: from } = anchor.changes
  const ledger = Ledger.add(meter.ledger, { from, to: changes.requestSeq, ratio, weights, reply: answered })
  return make(next, undefined, ledger, calibrations)
}

/**
 * The request under way was cut by its server: what was counted is not what was sent, nor was the count before it, as far
 * as anybody can tell.
 *
 * @since 0.1.0
 * @category folds
 */
export const uncounted = ({ calibrations, ledger }: Meter): Meter => make(undefined, undefined, ledger, calibrations)

/**
 * The request under way ended without a count.
 *
 * @since 0.1.0
 * @category folds
 */
export const unreported = (meter: Meter): Meter =>
  meter.pending === undefined ? meter : make(meter.anchor, undefined, meter.ledger, meter.calibrations)
