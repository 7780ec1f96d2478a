/**
 * `effect-compaction meter`: how well the meter predicts what providers counted in recorded sessions.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { formatHelp } from "./formatHelp.ts"

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "meter",
  {
    transcripts: Args.text({ name: "transcript" }).pipe(
      Args.withDescription(
        "A session file with the provider's usage in it, \"-\" for standard input, or a folder: of one session's files, or of several sessions."
      ),
      Args.atLeast(1)
    ),
    format: Options.text("format").pipe(
      Options.withPseudoName("name"),
      Options.withDescription(formatHelp("files")),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print every row and every figure as one JSON document on stdout.")
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./meter/run.ts"))
      const text = yield* run(given)
      // past the console, which tidies up what the parser prints
      yield* Effect.sync(() => process.stdout.write(`${text}\n`))
    })
).pipe(
  Command.withDescription(
    "Predicts each request of a recorded session before it was sent, and compares with what the provider counted: row by row, by number of reports seen before, and as error over growth beside predictors without a meter."
  )
)
