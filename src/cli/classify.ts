/**
 * `effect-compaction classify`: which of our errors a provider's answer is.
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
  "classify",
  {
    file: Args.text({ name: "file" }).pipe(
      Args.withDescription(
        'Errors, one a line: {"provider", "api", "delivery", "status", "body"}, of which only body has to be there, or any other JSON, or text. "-", or no file: what comes in on stdin. delivery is http, sse-error, exit-200-body, thrown or finish-reason.'
      ),
      Args.withDefault("-")
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print each verdict as one line of JSON: {tag, limit, requested, row, why}.")
    ),
    expect: Options.boolean("expect").pipe(
      Options.withDescription(
        "Compare with the lines' field expected (and limit and requested), and print a confusion table: overflow, rate-limit, quota, auth, invalid-request, payload-too-large, output-limit, content-filter, server, timeout, other. Exit code 1 if an overflow is missed (but for lines whose id begins with hard-), one is false, a figure is wrong, or more than --allow others differ."
      )
    ),
    allow: Options.text("allow").pipe(
      Options.withPseudoName("N"),
      Options.withDescription(
        "With --expect: how many errors that are no overflow may be in another class. Default: 0."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./classify/run.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    "Says of errors that model providers gave what they are: an overflow of the context window with its figures, a rate limit, a quota, a wrong key and so on, and which row of the classifier's table said so."
  )
)
