/**
 * `effect-compaction inspect`: what fills the window of a recorded session.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { formatHelp } from "./formatHelp.ts"
import { textOption } from "./textOption.ts"

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "inspect",
  {
    file: Args.text({ name: "file" }).pipe(
      Args.withDescription(
        "A session file of any format that --format names, a folder of one session's files, or - for standard input."
      )
    ),
    window: textOption(
      "window",
      "tokens",
      "The context window to hold the session against. Default: that of the model that the file names, where it is known; else one is assumed, and the report says so."
    ),
    policy: textOption(
      "policy",
      "file.json",
      'The compaction policy to hold it against, for example {"threshold": 0.7}. Default: the library\'s own.'
    ),
    session: textOption(
      "session",
      "id",
      "Of a file with several sessions, show this one. Default: the largest in detail."
    ),
    full: Options.boolean("full").pipe(
      Options.withDescription("Look at everything that was said, as if the session's own tool had never compacted it.")
    ),
    html: textOption(
      "html",
      "report.html",
      "Write the report as one page that opens from disk and needs no network; what is there is overwritten. The table, or the JSON document, is printed all the same."
    ),
    format: textOption("format", "name", formatHelp("file")),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print every step and every figure as one JSON document on stdout.")
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./inspect/run.ts"))
      const text = yield* run(given)
      // past the console, which tidies up what the parser prints
      yield* Effect.sync(() => process.stdout.write(`${text}\n`))
    })
).pipe(
  Command.withDescription(
    "Shows what fills the window of a recorded session: by kind, by message, by step; what was asked for again; what compaction would have done; and how well sizes were predicted where the provider's counts are in the file."
  )
)
