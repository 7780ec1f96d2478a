/**
 * Holds the meter against recorded sessions.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { runEstimator } from "../../compaction/RunEstimator.ts"
import * as MeterInput from "./input.ts"
import * as MeterReplay from "./replay.ts"
import * as MeterReport from "./report.ts"
import * as MeterTable from "./table.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly transcripts: ReadonlyArray<string>
  readonly format: string | undefined
  readonly json: boolean
}

const metered = ({ file, transcript }: MeterInput.Read): ReadonlyArray<MeterReport.Metered> =>
  transcript.sessions.map((session) => ({
    file,
    format: transcript.format,
    session: session.id,
    rows: MeterReplay.rows(session, runEstimator)
  }))

/**
 * The report as text: a table, or one JSON document.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* ({ format, json, transcripts }: Arguments) {
  const sessions = yield* Effect.forEach(transcripts, (path) =>
    Effect.map(MeterInput.read(path, format === undefined ? {} : { format }), (read) => read.flatMap(metered))
  )
  const report = MeterReport.report(runEstimator.id, sessions.flat())
  return json ? JSON.stringify(report, undefined, 2) : MeterTable.render(report)
})
