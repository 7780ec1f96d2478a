/**
 * What a replay came to, as data. `--json` prints it as it is.
 *
 * @since 0.1.0
 */
import { type Figures, sum } from "./figures.ts"
import type { Step } from "./steps.ts"

/**
 * Something that could not fit. `what`: the envelope (system prompt and tools), the newest unit with it, or a request
 * whose overflow could not be rescued. `tokens` is what it takes, `window` what there is; `skipped` counts the recorded
 * answers that were not asked for because of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unfit {
  readonly session: string
  readonly what: "envelope-too-large" | "unit-too-large" | "overflow"
  readonly tokens: number
  readonly window: number
  readonly turn: number | null
  readonly skipped: number
  readonly detail: string
}

/**
 * `recorded` is how many assistant messages the recording holds: `answered` and what was skipped because it could not fit
 * come to the same. `series` is the conversation's requests in order, refused ones included: what each carried, and the
 * generation of the surface that it was made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionReport extends Figures {
  readonly session: string
  readonly series: ReadonlyArray<Pick<Step, "outcome" | "generation"> & { readonly tokens: number }>
  readonly recorded: number
  readonly skipped: number
  readonly resumed: boolean
  readonly replayVerified: boolean
  readonly unfit: ReadonlyArray<Unfit>
  /** what went wrong, in sentences */
  readonly failures: ReadonlyArray<string>
  /** what was odd in the recording, in sentences */
  readonly notes: ReadonlyArray<string>
}

/**
 * The sums, and the sessions that they are of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report extends Figures {
  readonly transcript: string
  readonly format: string
  readonly provider: string
  readonly window: number
  readonly toldWindow: number
  readonly directory: string
  readonly recorded: number
  readonly skipped: number
  readonly replayVerified: boolean
  readonly unfit: ReadonlyArray<Unfit>
  readonly failures: ReadonlyArray<string>
  readonly sessions: ReadonlyArray<SessionReport>
}

/**
 * What a session's own figures say against it, in sentences.
 *
 * @since 0.1.0
 * @category getters
 */
export const faultsOf = (
  report: Omit<SessionReport, "failures">,
  options: { readonly answersAreRecorded: boolean }
): ReadonlyArray<string> => [
  ...(report.retriesWithoutProgress === 0
    ? []
    : [`${report.retriesWithoutProgress} refused requests were sent again without progress`]),
  ...(report.retriesNotSmaller === 0
    ? []
    : [`${report.retriesNotSmaller} requests that were sent again were not smaller than what had been refused`]),
  ...(report.replayVerified ? [] : ["its log does not fold to what the session was when it closed"]),
  ...(options.answersAreRecorded && report.answered + report.skipped !== report.recorded
    ? [`${report.answered} requests were answered, and the recording holds ${report.recorded - report.skipped} answers`]
    : [])
]

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  about: Pick<Report, "transcript" | "format" | "provider" | "window" | "toldWindow" | "directory">,
  sessions: ReadonlyArray<SessionReport>
): Report => ({
  ...about,
  ...sum(sessions),
  recorded: sessions.reduce((total, session) => total + session.recorded, 0),
  skipped: sessions.reduce((total, session) => total + session.skipped, 0),
  replayVerified: sessions.every((session) => session.replayVerified),
  unfit: sessions.flatMap((session) => session.unfit),
  failures: sessions.flatMap((session) =>
    session.failures.map((failure) => `session "${session.session}": ${failure}`)
  ),
  sessions
})
