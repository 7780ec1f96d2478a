/**
 * The figures of a replay, as data: worked out from a session's log, summed over the sessions of a file.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { measure } from "../../compaction/measure.ts"
import { apply } from "../../compaction/SessionFold.ts"
import * as SessionState from "../../compaction/SessionState.ts"
import type { TokenEstimator } from "../../compaction/TokenEstimator.ts"
import type { SessionEvent, SkippedEvent } from "../../session/SessionEvent.ts"
import * as Usage from "../../session/Usage.ts"
import type { Counter } from "./counter.ts"
import { isNotSmaller, isWithoutProgress, retriesOf, type Step, stepsOf, tokensOf } from "./steps.ts"

/**
 * - `steps`: requests of the conversation, refused ones included; `answered` of them were. `requests`: those and the
 *   summary calls.
 * - `tokensSent`: input of the conversation's requests, as the provider counted it; `tokensSentWithout`: what the same
 *   requests would have carried uncompacted.
 * - `summaries`: landed ones. `overflows`: refused requests. `rescues`: overflows after which the request went through.
 *   `retries`: requests sent again by rescue. The two below it are always 0.
 * - `generation`: replacements that landed. `peakPressure`, `finalPressure`: tokens of the next request, by the meter.
 * - `billed`: what the provider bills for the conversation's requests, by its own usage; `cachedTokens` are the part of
 *   `inputTokens` that it read from its prefix cache.
 * - `spend`: the same of the summary calls, whatever came of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Figures {
  readonly steps: number
  readonly requests: number
  readonly answered: number
  readonly tokensSent: number
  readonly tokensSentWithout: number
  readonly prunes: number
  readonly summaries: number
  readonly overflows: number
  readonly rescues: number
  readonly retries: number
  readonly retriesWithoutProgress: number
  readonly retriesNotSmaller: number
  readonly generation: number
  readonly peakPressure: number
  readonly finalPressure: number
  readonly billed: Billed
  readonly spend: Billed & { readonly calls: number }
}

/**
 * Tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Billed {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

type Events = ReadonlyArray<SessionEvent | SkippedEvent>

const pressure = (events: Events, estimator: TokenEstimator) => {
  let state = SessionState.empty(estimator)
  let peak = 0
  for (const event of events) {
    const next = apply(state, event, estimator)
    if (Either.isLeft(next)) break
    state = next.right
    peak = Math.max(peak, measure(state, estimator).totalTokens)
  }
  return { peak, final: measure(state, estimator).totalTokens, generation: state.surface.generation }
}

const countOf = (events: Events, type: SessionEvent["type"]): number =>
  events.reduce((count, event) => (event.type === type ? count + 1 : count), 0)

/** A provider that counts otherwise than we do would have counted the uncompacted request otherwise by as much. */
const uncompactedOf = (step: Step): number =>
  step.carried === 0 ? 0 : Math.round((step.uncompacted * tokensOf(step)) / step.carried)

const sumBy = <A>(items: ReadonlyArray<A>, value: (item: A) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0)

const billedOf = (usages: ReadonlyArray<Usage.Usage | undefined>): Billed => {
  const total = usages.reduce<Usage.Usage>(
    (sum, usage) => (usage === undefined ? sum : Usage.add(sum, usage)),
    Usage.zero
  )
  const { cachedTokens = 0, inputTokens, outputTokens } = total
  return { inputTokens, cachedTokens, outputTokens }
}

const addBilled = (all: ReadonlyArray<Billed>): Billed => ({
  inputTokens: sumBy(all, ({ inputTokens }) => inputTokens),
  cachedTokens: sumBy(all, ({ cachedTokens }) => cachedTokens),
  outputTokens: sumBy(all, ({ outputTokens }) => outputTokens)
})

/**
 * The figures of one session, from its log.
 *
 * @since 0.1.0
 * @category conversions
 */
export const figuresOf = (events: Events, counter: Counter, estimator: TokenEstimator): Figures => {
  const steps = stepsOf(events, counter)
  const retries = retriesOf(steps)
  const { final, generation, peak } = pressure(events, estimator)
  const calls = events.flatMap((event) => (event.type === "compaction/call" ? [event.data] : []))
  return {
    steps: steps.length,
    requests: steps.length + calls.length,
    answered: steps.filter((step) => step.outcome === "answered").length,
    tokensSent: sumBy(steps, tokensOf),
    tokensSentWithout: sumBy(steps, uncompactedOf),
    prunes: countOf(events, "compaction/prune"),
    summaries: countOf(events, "compaction/summary"),
    overflows: steps.filter((step) => step.outcome === "refused").length,
    rescues: retries.filter(({ again }) => again.outcome === "answered").length,
    retries: retries.length,
    retriesWithoutProgress: retries.filter(isWithoutProgress).length,
    retriesNotSmaller: retries.filter(isNotSmaller).length,
    generation,
    peakPressure: peak,
    finalPressure: final,
    billed: billedOf(steps.map(({ usage }) => usage)),
    spend: { calls: calls.length, ...billedOf(calls.map(({ usage }) => usage)) }
  }
}

/**
 * The sums over several sessions; of the two pressures the largest, since no two sessions share a window.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sum = (all: ReadonlyArray<Figures>): Figures => {
  const total = (field: Exclude<keyof Figures, "spend" | "billed">) => sumBy(all, (figures) => figures[field])
  const most = (field: "peakPressure" | "finalPressure") => Math.max(0, ...all.map((figures) => figures[field]))
  return {
    steps: total("steps"),
    requests: total("requests"),
    answered: total("answered"),
    tokensSent: total("tokensSent"),
    tokensSentWithout: total("tokensSentWithout"),
    prunes: total("prunes"),
    summaries: total("summaries"),
    overflows: total("overflows"),
    rescues: total("rescues"),
    retries: total("retries"),
    retriesWithoutProgress: total("retriesWithoutProgress"),
    retriesNotSmaller: total("retriesNotSmaller"),
    generation: total("generation"),
    peakPressure: most("peakPressure"),
    finalPressure: most("finalPressure"),
    billed: addBilled(all.map(({ billed }) => billed)),
    spend: { calls: sumBy(all, ({ spend }) => spend.calls), ...addBilled(all.map(({ spend }) => spend)) }
  }
}
