/**
 * The command line: its options, and the words that explain them.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as Span from "@effect/cli/HelpDoc/Span"
import * as Effect from "effect/Effect"
import { RunFailed } from "./exitCode.ts"
import { command as classify } from "./classify.ts"
import { command as compact } from "./compact.ts"
import { command as copy } from "./copy.ts"
import { command as doctor } from "./doctor.ts"
import { command as meter } from "./meter.ts"
import { command as provider } from "./provider.ts"
import { command as simulate } from "./simulate.ts"
import { formatHelp } from "./formatHelp.ts"
import { textOption } from "./textOption.ts"

const options = {
  transcript: Args.text({ name: "transcript" }).pipe(
    Args.withDescription(
      "The file to replay: OpenAI chat messages as JSON (a list of them, an object with messages and tools, or a list of runs with traj, each run a session), a log of this library (.jsonl), or a session file of another tool: see --format. Told by its content."
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

const example = (command: string) => HelpDoc.p(Span.text(`    ${command}`))

const footer = HelpDoc.blocks([
  HelpDoc.h1("EXAMPLES"),
  HelpDoc.p("What a window of 16k does to a recorded session, and how much is sent with and without compaction:"),
  example("effect-compaction replay session.json --window 16000"),
  HelpDoc.p("The adapter believes in 24k and the provider takes 16k: overflows, and their rescue:"),
  example("effect-compaction replay session.json --window 16000 --told-window 24000"),
  HelpDoc.p("The figures as data, the logs kept, and the run taken up again after Ctrl-C:"),
  example("effect-compaction replay session.json --window 8000 --dir logs --json"),
  example("effect-compaction replay session.json --window 8000 --dir logs --json --resume"),
  HelpDoc.p("A real model:"),
  example(
    "effect-compaction replay session.json --window 32000 --provider openai-compatible --base-url http://localhost:8080/v1 --model qwen3 --api-key-env API_KEY"
  ),
  HelpDoc.p("What other thresholds would have cost, at prices for a million tokens:"),
  example("effect-compaction simulate session.json --window 32000 --threshold 0.6..0.9:0.1 --prices 3,0.3,15"),
  HelpDoc.p("How well the token meter would have predicted what the provider counted:"),
  example("effect-compaction meter session.jsonl"),
  HelpDoc.p("What a provider's errors are, one a line, and whether they are what they are expected to be:"),
  example("effect-compaction classify errors.jsonl --json"),
  example("effect-compaction classify errors.jsonl --expect"),
  HelpDoc.p("A simulated provider for any client to talk to, which refuses the third request as too long:"),
  example("effect-compaction provider --port 4010 --window 8000 --as anthropic --refuse-at 3"),
  HelpDoc.p("A session that fits a window of 32k again, in its own format, without asking a model:"),
  example("effect-compaction compact session.jsonl --window 32000 --out smaller.jsonl"),
  HelpDoc.p("What is in a session's log, what is wrong with it, and a new log with all that can be kept:"),
  example("effect-compaction doctor logs/session.jsonl"),
  example("effect-compaction doctor logs/session.jsonl --repair repaired.jsonl"),
  HelpDoc.p("Sessions from one store into another, compared at both ends before it says done:"),
  example("effect-compaction copy logs sqlite:sessions.db"),
  example("effect-compaction copy postgres://app@localhost/app copied --session t42 --while-open"),
  HelpDoc.h1("WHAT REPLAY REPORTS"),
  HelpDoc.p(
    "steps: requests of the conversation, refused ones included; requests: those and the summary calls; tokens sent with and without compaction: what the steps carried, and what the same steps would have carried uncompacted, by the provider's count; overflows: refused requests; rescues: overflows after which the request went through; retries: requests sent again by rescue (never without progress, and each one smaller than the refused one); pressure: tokens of the next request; generation: replacements that landed; spend: summary calls. Of several sessions the sums are given, of the pressures the largest."
  ),
  HelpDoc.h1("WHAT METER REPORTS"),
  HelpDoc.p(
    "first table, where 0 is a perfect prediction: growth: tokens by which the input grew from one report of the provider to the next; meter: the errors of the meter's predictions as a share of that growth; same and plus output: the same of two predictors without a meter, \"as much as last time\" and that plus the last answer. Second table: mean and p95: the error as a share of the counted input; worst under: the most that was counted above a prediction; upper missed: how often the count was above the meter's upper bound; slack: how far that bound was above the prediction on average. apart: requests that are left out of the figures, and why."
  ),
  HelpDoc.h1("EXIT CODES"),
  HelpDoc.p("0: it ran, also when something could not fit; the report then says what."),
  HelpDoc.p(
    "1: it failed; of classify --expect: something is not as expected; of doctor: something is wrong with the log; of copy: a session was not copied, or is not the same at both ends."
  ),
  HelpDoc.p("2: what was given cannot be used: nothing was written."),
  HelpDoc.p("3: compact wrote a session that is larger than it was to be; the last line says what stays."),
  HelpDoc.p("130: interrupted; the logs are whole. A provider ends so.")
])

const replay = Command.make("replay", options, (given) =>
  Effect.gen(function* () {
    // everything else is loaded only now: help and a wrong option need none of it
    const { run } = yield* Effect.promise(() => import("./replay.ts"))
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

const root = Command.make("effect-compaction").pipe(
  Command.withDescription(
    "Keeps long agent conversations inside a model's context window. Each command has its options in its own help, for example `effect-compaction replay --help`."
  ),
  Command.withSubcommands([replay, simulate, meter, classify, provider, doctor, copy, compact])
)

const parse = Command.run(root, {
  name: "effect-compaction",
  version: "0.1.0",
  summary: Span.text("keeps agent conversations inside the context window"),
  footer
})

/** The parser takes a dash on its own for an option, and finds none of those behind it. */
const dashLast = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.includes("-") ? [...words.filter((word) => word !== "-"), "-"] : words

/**
 * The command line, for the arguments as Node gives them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const cli = (words: ReadonlyArray<string>): ReturnType<typeof parse> => parse(dashLast(words))
