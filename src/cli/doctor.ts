/**
 * `effect-compaction doctor`: what is in a session's log, and what is wrong with it.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "doctor",
  {
    log: Args.text({ name: "log" }).pipe(
      Args.withDescription("The file of a session's log (.jsonl), as the file store writes it. It is never changed.")
    ),
    json: Options.boolean("json").pipe(Options.withDescription("Print the report as one JSON document on stdout.")),
    repair: Options.text("repair").pipe(
      Options.withPseudoName("OUT"),
      Options.withDescription(
        "Write a new log with everything that can be kept: whole batches from the first on without a gap, each of which decodes and fits on those before it. A file that is there is never overwritten."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./doctorRun.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    "Says what is in a session's log and what is wrong with it, with the place and the rule of each finding. Exit code 1 if something is wrong; what a dead writer left open is not: the next open closes it."
  )
)
