/**
 * What `inspect` finds, as data: what `--json` prints, and what the page of `--html` shows.
 *
 * All sizes are tokens. `steps` and places in it count from 0; a step is one request of the model, and stands at its
 * answer.
 *
 * @since 0.1.0
 */
import type { Figures } from "../meter/report.ts"
import type { Part, Parts } from "./parts.ts"

/**
 * Goes up when a field changes its meaning or goes away.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 1

/**
 * One message. `place` is where it stands in the file; `message` its number in the session, from 1; `words` its first ones,
 * where they were kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Heavy {
  readonly place: string
  readonly message: number
  readonly part: Part
  /** the tool that a result, or the first call of an answer, is of */
  readonly tool: string | null
  readonly tokens: number
  readonly words: string
}

/**
 * The same file read again, or the same tool called again with the same arguments. `tokens` are those of all its results,
 * `again` those of all but the first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Repeat {
  readonly tool: string
  readonly what: string
  readonly times: number
  readonly tokens: number
  readonly again: number
}

/**
 * One column a field, one row a step. `tokens` is what the request carried, estimated, and `parts` what that is made of;
 * where the file has the provider's count, `counted` is it, and `predicted` and `upper` what the meter said before; else
 * null. `apart` says why a count is not held against the meter. `generation` counts the compactions before the step.
 *
 * @since 0.1.0
 * @category models
 */
export interface Steps {
  readonly place: ReadonlyArray<string>
  readonly message: ReadonlyArray<number>
  readonly tokens: ReadonlyArray<number>
  readonly parts: Readonly<Record<Part, ReadonlyArray<number>>>
  readonly counted: ReadonlyArray<number | null>
  readonly predicted: ReadonlyArray<number | null>
  readonly upper: ReadonlyArray<number | null>
  readonly apart: ReadonlyArray<string | null>
  readonly generation: ReadonlyArray<number>
}

/**
 * A compaction that the file records: `step` is the first request behind it, `before` and `after` what the request would have
 * carried without it and carried with it. `shadowed` is what it took off.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checkpoint {
  readonly step: number
  readonly place: string
  readonly before: number
  readonly after: number
  /** what stands in its place, and how it begins */
  readonly tokens: number
  readonly words: string
  readonly shadowed: {
    readonly messages: number
    readonly parts: Parts
    readonly heaviest: ReadonlyArray<Heavy>
  }
}

/**
 * What pressure would have done, had this library kept the session: where it would have begun, and to what size. `prune`:
 * cutting tool results was enough; `summary`: the old part gave way to a summary, which is taken to be as long as the
 * policy lets it be, or half of what it stands for; `overflow`: the request would have been too long all the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface Run {
  readonly step: number
  readonly place: string
  readonly kind: "prune" | "summary" | "overflow"
  readonly from: number
  readonly to: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Forecast {
  readonly runs: ReadonlyArray<Run>
  /** the largest request with the policy, and the sum of all of them; the same without any compaction */
  readonly peak: number
  readonly sent: number
  readonly peakWithout: number
  readonly sentWithout: number
  /** the first step whose request would not have fitted without any compaction */
  readonly overflowWithout: { readonly step: number; readonly place: string; readonly tokens: number } | null
}

/**
 * `from`: "given" with `--window`, "model": of a model that this library knows, "assumed" where it does not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Window {
  readonly tokens: number
  readonly from: "given" | "model" | "assumed"
  readonly why: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SessionReport {
  readonly id: string
  /** as people write it; null where the file does not say which model answered */
  readonly route: string | null
  readonly messages: number
  readonly window: Window
  readonly policy: { readonly threshold: number; readonly retain: number; readonly summaryMaxTokens: number }
  /** what the provider counted for one estimated token, learned from its counts; 1 where there are none */
  readonly density: number
  /** what the next request would carry */
  readonly tokens: number
  readonly parts: Parts
  /** everything that was ever said, with what compactions took off */
  readonly said: number
  readonly heaviest: ReadonlyArray<Heavy>
  readonly repeats: {
    /** calls that asked for what had been asked for before, and the tokens of their results */
    readonly times: number
    readonly tokens: number
    readonly heaviest: ReadonlyArray<Repeat>
  }
  readonly growth: {
    readonly median: number
    readonly p95: number
    readonly largest: ReadonlyArray<{ readonly step: number; readonly place: string; readonly tokens: number }>
  }
  readonly steps: Steps
  /** the errors of the predictions, as `effect-compaction meter` reports them; null without counts */
  readonly accuracy: Figures | null
  readonly checkpoints: ReadonlyArray<Checkpoint>
  readonly forecast: Forecast
  readonly advice: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly version: typeof version
  readonly file: string
  readonly format: string
  readonly history: "last-seen" | "full"
  readonly estimator: string
  readonly sessions: ReadonlyArray<SessionReport>
}
