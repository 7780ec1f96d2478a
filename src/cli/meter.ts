/**
 * `effect-compaction meter`: how well the meter predicts what providers counted in recorded sessions.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { classEstimator } from "../compaction/ClassEstimator.ts"
import * as MeterInput from "./meterInput.ts"
import * as MeterReplay from "./meterReplay.ts"
import * as MeterReport from "./meterReport.ts"
import * as MeterTable from "./meterTable.ts"

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
    rows: MeterReplay.rows(session, classEstimator)
  }))

/**
 * @since 0.1.0
 * @category constructors
 */
export const run = Effect.fnUntraced(function* ({ format, json, transcripts }: Arguments) {
  const sessions = yield* Effect.forEach(transcripts, (path) =>
    Effect.map(MeterInput.read(path, format), (read) => read.flatMap(metered))
  )
  const report = MeterReport.report(classEstimator.id, sessions.flat())
  yield* Console.log(json ? JSON.stringify(report, undefined, 2) : MeterTable.render(report))
})

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "meter",
  {
    transcripts: Args.text({ name: "transcript" }).pipe(
      Args.withDescription(
        "A session file with the provider's usage in it, or a folder: of one session's files, or of several sessions."
      ),
      Args.atLeast(1)
    ),
    format: Options.text("format").pipe(
      Options.withPseudoName("name"),
      Options.withDescription("Read the files as this format, whatever their content looks like."),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print every row and every figure as one JSON document on stdout.")
    )
  },
  run
).pipe(
  Command.withDescription(
    "Predicts each request of a recorded session before it was sent, and compares with what the provider counted: row by row, by number of reports seen before, and as error over growth beside predictors without a meter."
  )
)
