/**
 * Which span a summary would stand for, and with what budget.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import type { Message } from "../session/Message.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Meter from "./Meter.ts"
import * as SessionState from "./SessionState.ts"
import { newestUnit, priceOf, type Situation } from "./Situation.ts"
import { cutAfterHead, cutBeforeTail } from "./selection.ts"
import * as Shortened from "./shortened.ts"
import { tokens } from "./TokenEstimator.ts"

/**
 * `nodes` is the span, whole units from the first node on; `sent` is what the summariser gets of it, shortened where it
 * would not fit otherwise. `maxTokens` caps the summary's output.
 *
 * @since 0.1.0
 * @category models
 */
export interface SummaryProposal {
  readonly first: Seq
  readonly last: Seq
  readonly price: number
  readonly why: string
  readonly nodes: ReadonlyArray<SurfaceState.Node>
  readonly sent: ReadonlyArray<Message>
  readonly maxTokens: number
}

/** Output of a summary where the window is unknown; less where a refused request shows that the window is small. */
const defaultMaxTokens = 2_048

/** Below this a checkpoint, with its frame, would hardly be smaller than what it stands for. */
const leastSpan = 100

/** The closing instruction and its framing. */
const instructionTokens = 700

const maxTokensOf = ({ budgets, state, summary }: Situation): number => {
  const unknown = Math.min(defaultMaxTokens, Math.max(Math.floor((state.refusal?.measured ?? Infinity) / 8), 1))
  return Math.min(budgets?.summaryMaxTokens ?? unknown, summary.outputLimit ?? Infinity)
}

/** How much larger than measured the next request may be. */
const caution = ({ measurement }: Situation): number =>
  measurement.totalTokens === 0 ? 1 : Math.max(measurement.upperTokens / measurement.totalTokens, 1)

/**
 * Tokens of conversation that one summary request can carry, on the route that serves it. Undefined: no limit is known.
 */
const spanRoom = (situation: Situation, maxTokens: number): number | undefined => {
  const { measurement, state, summary } = situation
  // a refused request was too large as it was: without any figure, stay well below it
  const window = summary.window ?? (state.refusal === undefined ? undefined : state.refusal.measured * 0.75)
  return window === undefined
    ? undefined
    : (window - maxTokens - instructionTokens) / caution(situation) - measurement.envelopeTokens
}

/** A checkpoint's frame, beside the summary in it. */
const frameTokens = 150

/**
 * Whether a summary of the first `cut` nodes is worth a call while the whole would be those up to `wanted`: it reaches the
 * target, or stands for the better half.
 */
const isWorthwhile = (situation: Situation, cut: number, wanted: number, maxTokens: number): boolean => {
  const { measurement, state, target } = situation
  const price = priceOf(situation, SurfaceState.nodes(state.surface, 0, cut))
  const gain = price - maxTokens - frameTokens
  return (
    (target !== undefined && measurement.totalTokens - gain < target) ||
    price * 2 >= priceOf(situation, SurfaceState.nodes(state.surface, 0, wanted))
  )
}

/**
 * The longest head, up to `wanted`, that fits into `room` with its texts shortened: by as little as makes all of it fit,
 * else by as much as there is. `room` is in estimated tokens.
 */
const shortenedHead = (
  situation: Situation,
  wanted: number,
  room: number,
  weights: ReadonlyArray<number>
): ReadonlyArray<SurfaceState.Node> => {
  const { surface } = situation.state
  const nodes = SurfaceState.nodes(surface, 0, wanted)
  let longest: ReadonlyArray<SurfaceState.Node> = []
  for (const budget of Shortened.budgets(situation)) {
    const shortened = nodes.map((node) => Shortened.shorten(node, budget, situation))
    let cut = 0
    let sum = 0
    for (let position = 0; position < shortened.length; position++) {
      sum += tokens(shortened[position]!.counts, weights)
      if (sum > room) break
      if (SurfaceState.isBetweenUnits(surface, position + 1)) cut = position + 1
    }
    if (cut > longest.length) longest = shortened.slice(0, cut)
    if (cut === wanted) break
  }
  return longest
}

/**
 * The head of the surface before the tail that stays, as much of it as one request of the summary's route can carry. Where
 * that is too little, because one unit alone is nearly as large as the window, the summariser gets it shortened.
 * `share` takes only that part of it (after the summariser itself overflowed). Undefined: there is no such span, or a
 * summary would gain nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation, share = 1): SummaryProposal | undefined => {
  const { estimator, retain, state } = situation
  const { surface } = state
  const weights = SessionState.weights(state, estimator)
  const density = Meter.density(state.meter, state.envelope?.routeKey ?? "")
  const maxTokens = maxTokensOf(situation)
  const wanted = retain > 0 ? cutBeforeTail(surface, retain / density, weights) : newestUnit(surface)
  const room = spanRoom(situation, maxTokens)
  const fitting = room === undefined ? wanted : Math.min(wanted, cutAfterHead(surface, room / density, weights))
  const cut =
    share === 1 ? fitting : cutAfterHead(surface, SurfaceState.sumBefore(surface, fitting, weights) * share, weights)
  const asItIs = forSpan(situation, SurfaceState.nodes(surface, 0, cut), maxTokens)
  if (
    room === undefined ||
    fitting >= wanted ||
    (asItIs !== undefined && isWorthwhile(situation, cut, wanted, maxTokens))
  ) {
    return asItIs
  }
  const head = shortenedHead(situation, wanted, (room / density) * share, weights)
  if (head.length <= cut) return asItIs
  const span = forSpan(situation, SurfaceState.nodes(surface, 0, head.length), maxTokens)
  return span === undefined ? asItIs : { ...span, sent: head.map((node) => node.message) }
}

/**
 * The same for a span that somebody chose.
 *
 * @since 0.1.0
 * @category constructors
 */
export const forSpan = (
  situation: Situation,
  nodes: ReadonlyArray<SurfaceState.Node>,
  maxTokens = maxTokensOf(situation)
): SummaryProposal | undefined => {
  const [first] = nodes
  const last = nodes.at(-1)
  if (first === undefined || last === undefined) return undefined
  if (nodes.length === 1 && first.source === "checkpoint") return undefined
  const price = priceOf(situation, nodes)
  if (price < leastSpan) return undefined
  const count = `${nodes.length} message${nodes.length === 1 ? "" : "s"}`
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    why: `${count} of about ${Math.round(price)} tokens stand before the tail that stays`,
    nodes,
    sent: nodes.map((node) => node.message),
    maxTokens
  }
}
