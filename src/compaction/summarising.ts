/**
 * Which span a summary would stand for, and with what budget.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import * as Meter from "./Meter.ts"
import * as SessionState from "./SessionState.ts"
import { newestUnit, priceOf, type Situation } from "./Situation.ts"
import { cutAfterHead, cutBeforeTail } from "./selection.ts"

/**
 * `nodes` is the span, whole units from the first node on. `maxTokens` caps the summary's output.
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

/**
 * The head of the surface before the tail that stays, as much of it as one request of the summary's route can carry.
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
  return forSpan(situation, SurfaceState.nodes(surface, 0, cut), maxTokens)
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
    maxTokens
  }
}
