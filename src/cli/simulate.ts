/**
 * `effect-compaction simulate`: what each of several policies would make of a recorded session.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { RunFailed } from "./exitCode.ts"
import { formatHelp } from "./formatHelp.ts"
import { textOption } from "./textOption.ts"

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "simulate",
  {
    transcript: Args.text({ name: "transcript" }).pipe(
      Args.withDescription(
        'The recorded session, in any format that --format names, told by its content; "-" for standard input, or a folder of sessions.'
      )
    ),
    window: Options.text("window").pipe(
      Options.withPseudoName("tokens"),
      Options.withDescription("The context window, as the provider enforces it. Required.")
    ),
    toldWindow: textOption(
      "told-window",
      "tokens",
      "Tell the adapter another window than the provider enforces, as stale model metadata does. Default: the value of --window."
    ),
    policies: Options.text("policy").pipe(
      Options.withPseudoName("file.json"),
      Options.withDescription(
        "A policy to run the session through; give several to compare them. Default: the library's own."
      ),
      Options.repeated
    ),
    threshold: textOption(
      "threshold",
      "values",
      "Run each policy with each of these thresholds: 0.6..0.9:0.1 (first..last:step), or 0.6,0.75."
    ),
    retain: textOption(
      "retain",
      "values",
      "Run each policy with each of these values of retain, written the same way."
    ),
    prices: textOption(
      "prices",
      "in,cached,out",
      "Money for a million tokens of input, of input from the prefix cache, and of output, for example 3,0.3,15. Two values: input and output. Adds a column."
    ),
    format: textOption("format", "name", formatHelp("file")),
    html: textOption(
      "html",
      "report.html",
      "Write the report as a page too: one file that needs no network, with what each policy sent, request by request."
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription(
        "Print the report as one JSON document on stdout, with every request of every policy. Progress stays on stderr."
      )
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./simulate/run.ts"))
      const { failures, text } = yield* run(given)
      // past the console, which tidies up what the parser prints
      yield* Effect.sync(() => process.stdout.write(`${text}\n`))
      if (failures.length > 0) return yield* new RunFailed({ message: failures.join("; ") })
    })
).pipe(
  Command.withDescription(
    "Drives a recorded session through each of several compaction policies against the simulated provider, and compares what they send, cache, summarise, refuse, rescue and cost."
  )
)
