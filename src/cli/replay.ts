/**
 * `effect-compaction replay`: a recorded session through the real loop, in a window of one's choice.
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

const options = {
  transcript: Args.text({ name: "transcript" }).pipe(
    Args.withDescription(
      'The file to replay, "-" for standard input, or a folder of such files: OpenAI chat messages as JSON (a list of them, an object with messages and tools, or a list of runs with traj, each run a session), a log of this library (.jsonl), or a session file of another tool: see --format. Told by its content.'
    )
  ),
  window: Options.text("window").pipe(
    Options.withPseudoName("tokens"),
    Options.withDescription("The context window to replay in, as the provider enforces it. Required.")
  ),
  toldWindow: textOption(
    "told-window",
    "tokens",
    "Tell the adapter another window than the provider enforces, as stale model metadata does; requests then overflow and are rescued. Default: the value of --window."
  ),
  policy: textOption(
    "policy",
    "file.json",
    'The compaction policy, for example {"threshold": 0.7, "retain": 0.1, "prune": {"over": 4096, "head": 2048, "tail": 512}}. Default: the library\'s own.'
  ),
  directory: textOption(
    "dir",
    "folder",
    "Where the sessions' logs go, one file a session. A session that is there already is refused without --resume. Default: a fresh temporary folder, named in the output."
  ),
  resume: Options.boolean("resume").pipe(
    Options.withDescription("Go on with the sessions in --dir: what their logs hold already is not played again.")
  ),
  provider: Options.choice("provider", ["simulated", "openai-compatible"]).pipe(
    Options.withDefault("simulated" as const),
    Options.withDescription(
      "simulated (the default): an HTTP server in this process that counts with a real tokenizer (o200k), enforces the window, refuses as DeepSeek does, and answers with the recorded assistant messages; it costs nothing. openai-compatible: a real model behind --base-url, which answers for itself; recorded tool results stand in for tools where it makes the recorded calls."
    )
  ),
  baseUrl: textOption(
    "base-url",
    "url",
    "With openai-compatible: where the server is, without /chat/completions, for example http://localhost:8080/v1."
  ),
  model: textOption("model", "name", 'The model to ask for. Required with openai-compatible; "simulated" otherwise.'),
  apiKeyEnv: textOption(
    "api-key-env",
    "NAME",
    "With openai-compatible: the environment variable that holds the API key. Default: no key is sent."
  ),
  format: textOption("format", "name", formatHelp("file")),
  json: Options.boolean("json").pipe(
    Options.withDescription("Print the report as one JSON document on stdout. Progress stays on stderr.")
  )
}

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make("replay", options, (given) =>
  Effect.gen(function* () {
    // everything else is loaded only now: help and a wrong option need none of it
    const { run } = yield* Effect.promise(() => import("./replay/run.ts"))
    const { failures, text } = yield* run(given)
    // past the console, which tidies up what the parser prints
    yield* Effect.sync(() => process.stdout.write(`${text}\n`))
    if (failures.length > 0) return yield* new RunFailed({ message: failures.join("; ") })
  })
).pipe(
  Command.withDescription(
    "Runs a recorded agent session through the real agent loop in a window of your choice, over HTTP, and reports what compaction did: what was sent, pruned, summarised, refused and rescued."
  )
)
