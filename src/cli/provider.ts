/**
 * `effect-compaction provider`: the simulated provider, for any client to talk to.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { textOption } from "./textOption.ts"

const requests = (name: string, what: string) =>
  textOption(name, "n,n", `${what} the requests with these numbers, for example 3,7; the first is 1.`)

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "provider",
  {
    port: textOption(
      "port",
      "P",
      "The port of 127.0.0.1 to listen on. Default: one that is free, named in the output."
    ),
    window: Options.text("window").pipe(
      Options.withPseudoName("tokens"),
      Options.withDescription("The context window that it enforces. Required.")
    ),
    as: Options.choice("as", ["deepseek", "openai", "anthropic"]).pipe(
      Options.withDefault("deepseek" as const),
      Options.withDescription(
        "Whose counting, prefix cache, wording and defaults it has: deepseek (the default), openai or anthropic. Each of them is asked in any of three protocols, by the path: /v1/chat/completions, /v1/messages, /v1/responses."
      )
    ),
    countingFactor: textOption(
      "counting-factor",
      "F",
      "Tokens that it counts for one of the vocabulary o200k, for example 1.3. Default: as the provider does that it imitates."
    ),
    statedWindow: textOption(
      "stated-window",
      "tokens|none",
      "Another window for its refusals and lists to name than the one it enforces, or none. Default: the value of --window."
    ),
    outputLimit: textOption("output-limit", "tokens", "The most output that a request may allow. Default: any."),
    byteLimit: textOption(
      "byte-limit",
      "bytes",
      "The largest body that it takes; larger ones get a 413. Default: any."
    ),
    truncates: Options.boolean("truncates").pipe(
      Options.withDescription("Drop the oldest of what does not fit, and say nothing, instead of refusing.")
    ),
    latency: textOption("latency", "ms", "Milliseconds before the first byte of each answer. Default: 0."),
    discovery: Options.choice("discovery", [
      "deepseek",
      "openai",
      "anthropic",
      "openrouter",
      "vllm",
      "llamacpp",
      "ollama",
      "lmstudio",
      "groq",
      "mistral",
      "none"
    ]).pipe(
      Options.withDescription(
        "Whose endpoints tell of the models and their windows: /v1/models, /props, /api/show and so on. Default: the list of the provider that it imitates."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    refuseAt: requests("refuse-at", "Refuse as too long, and name a window just below it if it would have fitted,"),
    rateLimitAt: requests("rate-limit-at", "Answer 429, with Retry-After: 1, to"),
    overloadAt: requests("overload-at", "Answer as a provider that has too much to do (529 or 503) to"),
    cutAt: requests("cut-at", "Break the connection in the middle of the answer to"),
    stallAt: requests("stall-at", "Begin the answer and send nothing more to"),
    misreportAt: requests("misreport-at", "Report a tenth of the window as the input, whatever it was, of")
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./providerRun.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    'Runs a provider that is simulated on this machine, until Ctrl-C: it counts with a real tokenizer, enforces a window, has a prefix cache, and refuses and fails as the one that it imitates. Its address goes to stdout, a line for each request to stderr. It repeats what it is told; a line #call NAME {"argument": 1} in the message makes it call a tool (the first it was given, without a NAME), #words 500 makes it say so many words, and #say {"a": 1} makes it say just that; the last such line counts.'
  )
)
