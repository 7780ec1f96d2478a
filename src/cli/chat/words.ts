/**
 * What the chat says of a session, in words: its prompt, a plan, an outcome, what it used.
 *
 * @since 0.1.0
 */
import type { Measurement } from "../../compaction/measure.ts"
import type { CompactionError, SummaryFailed } from "../../errors/CompactionError.ts"
import type { Declined, Outcome, Plan } from "../../services/CompactService.ts"
import type { SessionEvent, SkippedEvent } from "../../session/SessionEvent.ts"
import type { Usage } from "../../session/Usage.ts"
import { whole } from "../say.ts"

/** How large the next request is. */
const sizeOf = ({ totalTokens }: Pick<Measurement, "totalTokens">, window: number | undefined): string =>
  `the next request: ${whole(totalTokens)} tokens${window === undefined ? "" : `, ${share(totalTokens, window)} of ${whole(window)}`}`

const share = (tokens: number, window: number) => `${Math.round((100 * tokens) / window)} %`

/**
 * The prompt: how full the window is and how often something was replaced; shorter on a narrow terminal.
 *
 * @since 0.1.0
 * @category conversions
 */
export const promptOf = (
  { generation, totalTokens }: Pick<Measurement, "generation" | "totalTokens">,
  window: number | undefined,
  columns: number
): string => {
  const full =
    window === undefined ? `${whole(totalTokens)} tokens` : `${share(totalTokens, window)} of ${whole(window)}`
  if (columns >= 50) return `[${full}, generation ${generation}] > `
  return `${window === undefined ? whole(totalTokens) : share(totalTokens, window)} g${generation}> `
}

const reasons: Readonly<Record<Declined["reason"], string>> = {
  "no-route": "nothing was asked of a model yet",
  off: "the policy has it off",
  "below-threshold": "it is below the threshold",
  "unknown-window": "nobody knows the window of this model; --window says it",
  "no-span": "there is nothing old enough to replace",
  repeat: "nothing is new since the last time",
  busy: "the session is busy",
  resting: "summaries failed repeatedly, and rest",
  "threshold-unreachable": "system prompt and tools alone are above the threshold",
  "envelope-too-large": "system prompt and tools alone are larger than the window",
  "unit-too-large": "the newest message alone is too large",
  "no-media": "there are no images or files to drop"
}

const declined = ({ reason, threshold, window }: Declined): string => {
  const bounds =
    window === undefined || threshold === undefined
      ? ""
      : ` (pressure begins at ${whole(threshold)} of ${whole(window)} tokens)`
  return `nothing, since ${reasons[reason]}${bounds}`
}

const names: Readonly<Record<string, string>> = {
  pressure: "before the next request",
  manual: "/compact",
  "context-overflow": "after a refused request"
}

const planned = (plan: Plan): string =>
  plan._tag === "Declined"
    ? `${names[plan.trigger]}: ${declined(plan)}`
    : `${names[plan.trigger]}: ${plan.rung} of the events ${plan.first} to ${plan.last}, ${whole(plan.price)} tokens (${plan.why})`

/**
 * What runs of these plans would do, and how large the next request is.
 *
 * @since 0.1.0
 * @category conversions
 */
export const planOf = (
  plans: ReadonlyArray<Plan>,
  measurement: Pick<Measurement, "totalTokens">,
  window: number | undefined
): ReadonlyArray<string> => [sizeOf(measurement, window), ...plans.map(planned)]

/**
 * What a run came to.
 *
 * @since 0.1.0
 * @category conversions
 */
export const outcomeOf = (outcome: Outcome): string => {
  if (outcome._tag === "Declined") return `compacted: ${declined(outcome)}`
  const { after, before, generation, rungs, spent } = outcome
  const paid =
    spent.inputTokens + spent.outputTokens === 0
      ? ""
      : `; it cost ${whole(spent.inputTokens)} tokens in and ${whole(spent.outputTokens)} out`
  return `compacted by ${rungs.join(" and ")}: ${whole(before)} -> ${whole(after)} tokens, generation ${generation}${paid}`
}

const withoutSummary: Readonly<Partial<Record<SummaryFailed["reason"], string>>> = {
  "no-route": "there is no model to ask for a summary",
  overflow: "the summary's own request was too long for its model",
  "timed-out": "the summary took too long",
  "not-smaller": "the summary is no smaller than what it is of",
  "no-structure": "the summary came without its headings, twice"
}

/**
 * Why a run landed nothing, and what to do: each way to fail has its own words.
 *
 * @since 0.1.0
 * @category conversions
 */
export const failureOf = (error: CompactionError): string => {
  switch (error._tag) {
    case "SessionBusy":
      return "not compacted: a turn of this session runs, or waits for an answer; try again when it has ended"
    case "CompactionBusy":
      return "not compacted: a compaction of this session runs already"
    case "SummaryFailed": {
      const why = withoutSummary[error.reason] ?? `the model gave no summary (${error.reason})`
      return `not compacted: ${why}${error.detail === "" ? "" : `: ${error.detail}`}`
    }
    case "SpanChanged":
      return `not compacted: the events ${error.first} to ${error.last} changed while they were summarised; try again`
    case "InvalidReplacement":
      return error.reason === "not-smaller"
        ? `not compacted: there is too little to gain (${error.detail})`
        : `not compacted: the replacement was refused (${error.reason}): ${error.detail}`
    case "LogWriteFailed":
      return `not compacted: ${error.message}`
  }
}

const sum = (usages: ReadonlyArray<Usage | undefined>) => {
  const total = (figure: (usage: Usage) => number | undefined) =>
    usages.reduce((sum, usage) => sum + (usage === undefined ? 0 : (figure(usage) ?? 0)), 0)
  return {
    input: total(({ inputTokens }) => inputTokens),
    cached: total(({ cachedTokens }) => cachedTokens),
    output: total(({ outputTokens }) => outputTokens)
  }
}

const used = (what: string, count: number, usages: ReadonlyArray<Usage | undefined>) => {
  const { cached, input, output } = sum(usages)
  return `${what}: ${whole(count)}, ${whole(input)} tokens in (${whole(cached)} of them cached), ${whole(output)} out`
}

/**
 * What a session has used, as the provider counted it, and what fills the window now. `events` is its whole log.
 *
 * @since 0.1.0
 * @category conversions
 */
export const usageOf = (
  events: ReadonlyArray<SessionEvent | SkippedEvent>,
  measurement: Pick<Measurement, "totalTokens" | "envelopeTokens" | "surfaceTokens" | "generation">,
  window: number | undefined
): ReadonlyArray<string> => {
  const usages: Array<Usage | undefined> = []
  const summaries: Array<Usage | undefined> = []
  let steps = 0
  let refused = 0
  for (const event of events) {
    if (event.type === "step/start") steps++
    else if (event.type === "message/assistant") usages.push(event.data.usage)
    else if (event.type === "compaction/call") summaries.push(event.data.usage)
    else if (event.type === "step/end") {
      usages.push(event.data.usage)
      if (event.data.outcome === "refused") refused++
    }
  }
  const { envelopeTokens, generation, surfaceTokens } = measurement
  return [
    used("requests", steps, usages),
    ...(summaries.length === 0 ? [] : [used("summaries", summaries.length, summaries)]),
    ...(refused === 0 ? [] : [`refused as too long: ${refused}`]),
    `${sizeOf(measurement, window)} (system prompt and tools ${whole(envelopeTokens)}, conversation ${whole(surfaceTokens)}), generation ${generation}`
  ]
}
