/**
 * How well the meter predicted what providers counted, as figures.
 *
 * @since 0.1.0
 */
import type { Row } from "./replay.ts"

/**
 * Errors of the rows that had seen about as many reports before. Shares are of the counted input.
 *
 * @since 0.1.0
 * @category models
 */
export interface Errors {
  readonly reports: string
  readonly rows: number
  /** mean and 95th percentile of the absolute error */
  readonly mean: number
  readonly p95: number
  /** the most that was counted above the prediction */
  readonly worstUnder: number
  /** how often the upper bound was exceeded, and how far it was above the prediction on average */
  readonly upperMissed: number
  readonly upperSlack: number
}

/**
 * Sum of the errors over the sum of the growth since the last report, for rows after five reports: of the meter, and of two
 * predictors without one, "the same as last time" and that plus the output that was reported for the last answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Merit {
  readonly rows: number
  readonly growth: number
  readonly meter: number
  readonly same: number
  readonly plusOutput: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Figures {
  readonly requests: number
  readonly comparable: number
  /** requests that are not held against the meter, by reason */
  readonly apart: Readonly<Record<string, number>>
  readonly errors: ReadonlyArray<Errors>
  /** absent where no comparable row had five reports before it */
  readonly merit?: Merit
  /** the same for rows that were set apart, by reason, where each has a count before it */
  readonly meritApart: Readonly<Record<string, Merit>>
}

/**
 * From how many reports on a row counts for the figure of merit.
 *
 * @since 0.1.0
 * @category constants
 */
export const settled = 5

const bands: ReadonlyArray<readonly [name: string, from: number, to: number]> = [
  ["0", 0, 0],
  ["1", 1, 1],
  ["2 to 4", 2, 4],
  ["5 to 19", settled, 19],
  ["20 and more", 20, Infinity]
]

const sum = (rows: ReadonlyArray<Row>, of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0)

/**
 * The value that so large a share of them is at or below; 0 of none.
 *
 * @since 0.1.0
 * @category getters
 */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  Float64Array.from(values).sort()[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

const errorsOf = (reports: string, rows: ReadonlyArray<Row>): Errors => ({
  reports,
  rows: rows.length,
  mean: sum(rows, (row) => Math.abs(row.error) / row.counted) / rows.length,
  p95: percentile(
    rows.map((row) => Math.abs(row.error) / row.counted),
    0.95
  ),
  worstUnder: Math.max(0, ...rows.map((row) => -row.error / row.counted)),
  upperMissed: rows.filter((row) => row.counted > row.predicted.upper).length,
  upperSlack: sum(rows, (row) => (row.predicted.upper - row.predicted.mean) / row.counted) / rows.length
})

const meritOf = (rows: ReadonlyArray<Row>): Merit | undefined => {
  const used = rows.filter((row) => row.reports >= settled && row.before !== undefined)
  const grown = (row: Row) => row.counted - (row.before?.counted ?? 0)
  const growth = sum(used, (row) => Math.abs(grown(row)))
  if (growth === 0) return undefined
  return {
    rows: used.length,
    growth,
    meter: sum(used, (row) => Math.abs(row.error)) / growth,
    same: sum(used, (row) => Math.abs(grown(row))) / growth,
    plusOutput: sum(used, (row) => Math.abs(grown(row) - (row.before?.output ?? 0))) / growth
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const figures = (rows: ReadonlyArray<Row>): Figures => {
  const comparable = rows.filter((row) => row.apart === undefined)
  const reasons = [...new Set(rows.flatMap((row) => row.apart ?? []))].toSorted()
  const apart = (reason: string) => rows.filter((row) => row.apart === reason)
  const merit = meritOf(comparable)
  return {
    requests: rows.length,
    comparable: comparable.length,
    apart: Object.fromEntries(reasons.map((reason) => [reason, apart(reason).length])),
    errors: bands.flatMap(([name, from, to]) => {
      const band = comparable.filter(({ reports }) => reports >= from && reports <= to)
      return band.length === 0 ? [] : [errorsOf(name, band)]
    }),
    ...(merit === undefined ? {} : { merit }),
    meritApart: Object.fromEntries(
      reasons.flatMap((reason) => {
        const found = meritOf(apart(reason))
        return found === undefined ? [] : [[reason, found] as const]
      })
    )
  }
}

/**
 * The rows of one session of a file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Metered {
  readonly file: string
  readonly format: string
  readonly session: string
  readonly rows: ReadonlyArray<Row>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly estimator: string
  /** over all files; `route` is null where the file does not say which model answered */
  readonly routes: ReadonlyArray<Figures & { readonly route: string | null }>
  readonly files: ReadonlyArray<Figures & { readonly route: string | null; readonly file: string }>
  readonly sessions: ReadonlyArray<Metered>
}

const grouped = <K>(
  sessions: ReadonlyArray<Metered>,
  key: (session: Metered, row: Row) => string,
  with_: (session: Metered, row: Row) => K
): ReadonlyArray<Figures & K> => {
  const groups = new Map<string, { readonly words: K; readonly rows: Array<Row> }>()
  for (const session of sessions) {
    for (const row of session.rows) {
      const name = key(session, row)
      const group = groups.get(name) ?? { words: with_(session, row), rows: [] }
      group.rows.push(row)
      groups.set(name, group)
    }
  }
  return [...groups.values()].map(({ rows, words }) => ({ ...words, ...figures(rows) }))
}

const routeOf = (row: Row) => row.route ?? null

/**
 * @since 0.1.0
 * @category constructors
 */
export const report = (estimator: string, sessions: ReadonlyArray<Metered>): Report => ({
  estimator,
  routes: grouped(
    sessions,
    (_, row) => String(routeOf(row)),
    (_, row) => ({ route: routeOf(row) })
  ),
  files: grouped(
    sessions,
    ({ file }, row) => JSON.stringify([file, routeOf(row)]),
    ({ file }, row) => ({ file, route: routeOf(row) })
  ),
  sessions
})
