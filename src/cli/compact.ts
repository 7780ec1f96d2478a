/**
 * `effect-compaction compact`: makes a session file smaller.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { formatHelp, writtenHelp } from "./formatHelp.ts"
import { textOption } from "./textOption.ts"

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "compact",
  {
    transcript: Args.text({ name: "file" }).pipe(
      Args.withDescription(
        "A session file of any format that --from names, told by its content; a folder of one session's files; or - for standard input."
      )
    ),
    out: textOption(
      "out",
      "file",
      "Where the smaller session goes; - or nothing: standard output. A file that is there is not overwritten without --force."
    ).pipe((option) => Options.withAlias(option, "o")),
    force: Options.boolean("force").pipe(
      Options.withDescription(
        "Overwrite the file that --out names, the input too. It is replaced as a whole or not at all."
      )
    ),
    to: textOption("to", "tokens", "Make it smaller than this. This or --window is required."),
    window: textOption(
      "window",
      "tokens",
      "Do what pressure would do in a context window of this size: nothing below the policy's threshold, and above it get below it."
    ),
    policy: textOption("policy", "file.json", "The compaction policy. Default: the library's own."),
    noModel: Options.boolean("no-model").pipe(
      Options.withDescription(
        "Ask no model: long tool results are cut, then an extract of calls, files, errors and the user's words stands for what is old. The default where no provider is named."
      )
    ),
    provider: Options.choice("provider", ["openai-compatible"]).pipe(
      Options.optional,
      Options.withDescription("Who summarises what is old: a model behind --base-url.")
    ),
    baseUrl: textOption(
      "base-url",
      "url",
      "Where that server is, without /chat/completions, for example http://localhost:8080/v1."
    ),
    model: textOption("model", "name", "The model that summarises."),
    apiKeyEnv: textOption(
      "api-key-env",
      "NAME",
      "The environment variable that holds the API key. Default: no key is sent."
    ),
    session: textOption("session", "id", "Only this session of a file that holds several."),
    full: Options.boolean("full").pipe(
      Options.withDescription(
        "Begin with everything that was ever said. Default: what the model saw last, where the session's own tool compacted it."
      )
    ),
    from: textOption("from", "name", formatHelp("file")),
    format: textOption("format", "name", writtenHelp),
    dryRun: Options.boolean("dry-run").pipe(
      Options.withDescription("Say what would be done, ask no model and write nothing.")
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription(
        "Print the report as one JSON document. It goes to stdout, or to stderr where the session itself is on stdout."
      )
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./compactRun.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    "Makes a recorded session smaller, with the library's own ladder, and writes it in the format that it came in, or as OpenAI chat messages where that is only read. Calls keep their results. The report says in numbers what was removed. Exit code 3: it was written, and is larger than it was to be."
  )
)
