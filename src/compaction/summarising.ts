/**
 * Which span a summary would stand for, in which requests, and with what budget.
 *
 * @since 0.1.0
 */
import type { Seq } from "../session/Ids.ts"
import * as Route from "../session/Route.ts"
import * as SurfaceState from "../session/SurfaceState.ts"
import { acceptedPrefix } from "./acceptedPrefix.ts"
import * as Media from "./media.ts"
import * as Meter from "./Meter.ts"
import { readableAfterRefusal, refusedBy, shownByRefusal } from "./refusedSize.ts"
import type { Carries } from "./requestBytes.ts"
import * as SessionState from "./SessionState.ts"
import { newestUnit, priceOf, type Situation } from "./Situation.ts"
import { cutBeforeTail } from "./selection.ts"
import { type Chunk, type Room, spanOf, split } from "./summaryChunks.ts"
import { tokens } from "./TokenEstimator.ts"
import { isVain } from "./vainCall.ts"

/**
 * `nodes` is the span, whole units; `chunks` are the requests that cover it, in order. `maxTokens` caps the output of each,
 * and the summary in the checkpoint.
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
  readonly chunks: ReadonlyArray<Chunk>
  readonly maxTokens: number
}

/** Output of a summary where the window is unknown. */
const defaultMaxTokens = 2_048

/** Less where a refused request shows that the window is smaller than what is known of it. */
const shareOfRefused = 1 / 8

/** Below this a checkpoint, with its frame, would hardly be smaller than what it stands for. */
const leastSpan = 100

/** The closing instruction and its framing. */
const instructionTokens = 700

/** The part of the summariser's window that its answer may take. */
const shareOfWindow = 1 / 4

/**
 * The cap of a summary's output, in tokens. The room for it is the session's, but the window that it is written in is the
 * summariser's.
 *
 * @since 0.1.0
 * @category getters
 */
export const maxTokensOf = ({ budgets, policy, state, summary }: Situation): number => {
  const refused = shownByRefusal(state)
  const byWindow = Math.min(budgets?.summaryMaxTokens ?? defaultMaxTokens, refused * shareOfRefused)
  const most = Math.min(
    policy.summary.maxTokens ?? byWindow,
    summary.outputLimit ?? Infinity,
    Math.min(summary.window ?? Infinity, refused) * shareOfWindow
  )
  return Math.max(Math.floor(most), 1)
}

/** How much larger than measured the next request may be. */
const caution = ({ measurement }: Situation): number =>
  measurement.totalTokens === 0 ? 1 : Math.max(measurement.upperTokens / measurement.totalTokens, 1)

/** The tokenizer of the model that summarises, and what its provider counts for an estimated token. */
const tokenizerOf = ({ estimator, state, summary }: Situation) => ({
  weights: estimator.weights(summary.envelope.route),
  density: Meter.density(state.meter, Route.key(summary.envelope.route))
})

/** Estimated tokens of conversation that requests of the summary's route can carry in a window. */
const roomIn = (situation: Situation, window: number, maxTokens: number): Room => {
  const tokensLeft = (window - maxTokens - instructionTokens) / caution(situation) - situation.summary.envelopeTokens
  const { density } = tokenizerOf(situation)
  return { first: tokensLeft / density, later: (tokensLeft - maxTokens) / density }
}

const roomOf = (situation: Situation, maxTokens: number): Room => {
  const { envelope, state, summary } = situation
  const isRefusing = Route.equals(summary.envelope.route, envelope.route)
  // no model of a window: nothing limits it
  if (summary.window === Infinity) return { first: Infinity, later: Infinity }
  const window = Math.min(summary.window ?? Infinity, isRefusing ? readableAfterRefusal(refusedBy(state)) : Infinity)
  return roomIn(situation, window, maxTokens)
}

/** The first chunk as the provider's cache holds it, where that fits. */
const cached = (situation: Situation, from: number, chunks: ReadonlyArray<Chunk>, room: Room): ReadonlyArray<Chunk> => {
  const [first, ...rest] = chunks
  if (first === undefined || from !== 0 || situation.trigger !== "pressure") return chunks
  const prefix = acceptedPrefix(situation, first.nodes.length)
  if (prefix === undefined) return chunks
  const { weights } = tokenizerOf(situation)
  const size = prefix.reduce((sum, node) => sum + tokens(node.counts, weights), 0)
  return size > room.first ? chunks : [{ ...first, sent: prefix.map((node) => node.message), size }, ...rest]
}

/** Of the tail that stays: as much more of the conversation stays with it rather than cost a request of its own. */
const shareOfTail = 1 / 2

/** Under pressure a remainder that would be a request by itself, and a small one, is left for the next summary. */
const withoutRemainder = (situation: Situation, chunks: ReadonlyArray<Chunk>): ReadonlyArray<Chunk> => {
  const last = chunks.at(-1)
  if (last === undefined || chunks.length === 1 || situation.trigger !== "pressure") return chunks
  return priceOf(situation, last.nodes) <= situation.retain * shareOfTail ? chunks.slice(0, -1) : chunks
}

const proposal = (situation: Situation, from: number, to: number): SummaryProposal | undefined => {
  const maxTokens = maxTokensOf(situation)
  const room = roomOf(situation, maxTokens)
  const parts = withoutRemainder(situation, split(situation, from, to, room, tokenizerOf(situation).weights))
  const chunks = cached(situation, from, parts, room)
  const nodes = chunks.flatMap((chunk) => chunk.nodes)
  const [first] = nodes
  const last = nodes.at(-1)
  if (first === undefined || last === undefined) return undefined
  if (nodes.length === 1 && first.source === "checkpoint") return undefined
  const price = priceOf(situation, nodes)
  if (price < leastSpan) return undefined
  const count = `${nodes.length} message${nodes.length === 1 ? "" : "s"}`
  const calls = chunks.length === 1 ? "" : `, in ${chunks.length} requests`
  return {
    first: first.seq,
    last: last.seq,
    price: Math.round(price),
    why: `${count} of about ${Math.round(price)} tokens stand before the tail that stays${calls}`,
    nodes,
    chunks,
    maxTokens
  }
}

/**
 * The place before the tail that stays.
 *
 * @since 0.1.0
 * @category getters
 */
export const headEnd = ({ estimator, retain, state }: Situation): number => {
  const { surface } = state
  if (retain === 0) return newestUnit(surface)
  const density = Meter.density(state.meter, state.envelope?.routeKey ?? "")
  return cutBeforeTail(surface, retain / density, SessionState.weights(state, estimator))
}

/**
 * The head of the surface before the tail that stays, in one request where that fits the summary's route, else in several.
 * Undefined: there is no such span, a summary would gain nothing, or one of it was just paid for in vain. O(n).
 *
 * @since 0.1.0
 * @category constructors
 */
export const propose = (situation: Situation): SummaryProposal | undefined => {
  const { state, trigger } = situation
  const found = proposal(situation, 0, headEnd(situation))
  const asked = found?.chunks[0]
  if (asked === undefined || trigger === "manual") return found
  return isVain(state, situation.summary.envelope.route, spanOf(asked)) ? undefined : found
}

/**
 * The same for a span that somebody chose, from place `from` up to, not including, place `to`; both stand between units.
 *
 * @since 0.1.0
 * @category constructors
 */
export const forSpan = proposal

/**
 * What is left of a proposal once `covered` of its chunks are summarised and the next one was too large for the summariser:
 * the rest in pieces of at most half its size, and of what fits into `limit` where the summariser said one. Undefined where
 * there is nothing smaller to send.
 *
 * @since 0.1.0
 * @category combinators
 */
export const halved = (
  situation: Situation,
  { chunks, maxTokens }: Pick<SummaryProposal, "chunks" | "maxTokens">,
  covered: number,
  limit = Infinity
): Pick<SummaryProposal, "chunks" | "maxTokens"> | undefined => {
  const { surface } = situation.state
  const tooLarge = chunks[covered]
  const last = chunks.at(-1)?.nodes.at(-1)
  const from = SurfaceState.positionOf(surface, tooLarge?.nodes[0]?.seq ?? -1)
  const to = SurfaceState.positionOf(surface, last?.seq ?? -1)
  if (tooLarge === undefined || from === undefined || to === undefined) return undefined
  const { density, weights } = tokenizerOf(situation)
  const cap = Math.min(maxTokens, Math.max(Math.floor(limit * shareOfWindow), 1))
  const room = roomIn(situation, limit, cap)
  // a request that was not the first carried the summary so far already
  const first = Math.min(tooLarge.size / 2, covered > 0 ? room.later : room.first)
  const later = covered > 0 ? first : Math.max(first - cap / density, first / 2)
  const smaller = split(situation, from, to + 1, { first, later }, weights)
  return smaller.length === 0 ? undefined : { chunks: [...chunks.slice(0, covered), ...smaller], maxTokens: cap }
}

/**
 * The same requests from the one at `covered` on, with names in place of the images and files that they carry. Undefined
 * where they carry none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutMedia = (
  situation: Situation,
  chunks: ReadonlyArray<Chunk>,
  covered: number,
  carries: Carries
): ReadonlyArray<Chunk> | undefined => {
  const { weights } = tokenizerOf(situation)
  const lighter = chunks.map((chunk, place) => {
    if (place < covered) return chunk
    const sent = chunk.sent.map(
      (message, i) => Media.withoutMedia({ message, seq: chunk.nodes[i]!.seq }, Infinity, carries)?.message ?? message
    )
    if (sent.every((message, i) => message === chunk.sent[i])) return chunk
    return {
      ...chunk,
      sent,
      size: sent.reduce((sum, one) => sum + tokens(situation.estimator.message(one), weights), 0)
    }
  })
  return lighter.some((chunk, i) => chunk !== chunks[i]) ? lighter : undefined
}

/**
 * Estimated tokens of what the requests stand for that none of them carries: long texts were cut, images became names.
 *
 * @since 0.1.0
 * @category getters
 */
export const omitted = (situation: Situation, chunks: ReadonlyArray<Chunk>): number => {
  const { weights } = tokenizerOf(situation)
  const whole = (chunk: Chunk) => chunk.nodes.reduce((sum, node) => sum + tokens(node.counts, weights), 0)
  // results that were pruned since stand in the accepted request whole
  return Math.round(chunks.reduce((sum, chunk) => sum + Math.max(whole(chunk) - chunk.size, 0), 0))
}
