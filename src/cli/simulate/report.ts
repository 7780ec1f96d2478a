/**
 * What a simulation came to, as data. `--json` prints it as it is.
 *
 * @since 0.1.0
 */
import { type Figures, sum } from "../replay/figures.ts"
import { cost, type Prices } from "./prices.ts"
import type { SessionReport, Unfit } from "../replay/report.ts"
import type { Variant } from "./variants.ts"

/**
 * One policy over all sessions: the sums, and of each session its requests in order. `money` is there where prices were
 * given.
 *
 * @since 0.1.0
 * @category models
 */
export interface VariantReport extends Figures {
  readonly name: string
  readonly settings: Variant["settings"]
  readonly recorded: number
  readonly skipped: number
  readonly money: number | null
  readonly unfit: ReadonlyArray<Unfit>
  readonly failures: ReadonlyArray<string>
  readonly sessions: ReadonlyArray<Pick<SessionReport, "session" | "series">>
}

/**
 * Goes up when a field changes its meaning or goes away.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 1

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly version: typeof version
  readonly transcript: string
  readonly format: string
  readonly window: number
  readonly toldWindow: number
  readonly prices: Prices | null
  readonly notes: ReadonlyArray<string>
  readonly variants: ReadonlyArray<VariantReport>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const ofVariant = (
  { name, settings }: Variant,
  sessions: ReadonlyArray<SessionReport>,
  prices: Prices | undefined
): VariantReport => {
  const figures = sum(sessions)
  return {
    name,
    settings,
    ...figures,
    recorded: sessions.reduce((total, { recorded }) => total + recorded, 0),
    skipped: sessions.reduce((total, { skipped }) => total + skipped, 0),
    money: prices === undefined ? null : cost(figures, prices),
    unfit: sessions.flatMap(({ unfit }) => unfit),
    failures: sessions.flatMap(({ failures, session }) =>
      failures.map((failure) => `policy "${name}", session "${session}": ${failure}`)
    ),
    sessions: sessions.map(({ series, session }) => ({ session, series }))
  }
}
