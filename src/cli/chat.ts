/**
 * `effect-compaction chat`: a small agent in the terminal.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { textOption } from "./textOption.ts"

/**
 * Written out, since help loads no adapter; a test holds them against those that there are.
 *
 * @since 0.1.0
 * @category constants
 */
export const providers = [
  "simulated",
  "openai-compatible",
  "deepseek",
  "anthropic",
  "openai",
  "openrouter",
  "groq",
  "mistral",
  "xai",
  "vllm",
  "ollama"
] as const

/**
 * @since 0.1.0
 * @category commands
 */
export const command = Command.make(
  "chat",
  {
    provider: Options.choice("provider", providers).pipe(
      Options.withDescription(
        "Who answers. Default: deepseek, anthropic or openai, the first whose key is set (DEEPSEEK_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY), else simulated: a model by rule on this machine, which costs nothing."
      ),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    model: textOption("model", "name", "The model to ask for. deepseek, anthropic and openai have one by default."),
    baseUrl: textOption(
      "base-url",
      "url",
      "Where the server is, for openai-compatible or another than the provider's own, for example http://localhost:8080/v1."
    ),
    apiKeyEnv: textOption(
      "api-key-env",
      "NAME",
      "The environment variable that holds the API key. Default: the provider's usual one, for example OPENAI_API_KEY."
    ),
    window: textOption(
      "window",
      "tokens",
      "The context window. Default: what is known of the model; 16000 for the simulated one."
    ),
    policy: textOption("policy", "file.json", "The compaction policy. Default: the library's own."),
    session: textOption(
      "session",
      "ID",
      "Go on with this session, or begin one of this name. Default: a new one, named at the end."
    ),
    data: textOption(
      "data",
      "folder",
      "Where the sessions are kept, one file each. Default: effect-compaction/sessions in $XDG_DATA_HOME or ~/.local/share."
    ),
    config: textOption(
      "config",
      "file.json",
      "Read this config file and no other. Default: effect-compaction.json in the working folder, then effect-compaction/config.json in $XDG_CONFIG_HOME or ~/.config."
    ),
    allowCommands: Options.boolean("allow-commands").pipe(
      Options.withDescription("Run the commands that the model wants to run, without asking.")
    ),
    once: Options.boolean("once").pipe(
      Options.withDescription("Take all of the standard input as one prompt. Default: each line is one.")
    )
  },
  (given) =>
    Effect.gen(function* () {
      // everything else is loaded only now: help and a wrong option need none of it
      const { run } = yield* Effect.promise(() => import("./chat/run.ts"))
      yield* run(given)
    })
).pipe(
  Command.withDescription(
    "A small agent in the terminal, on this library's own loop: it reads, lists, searches and edits the files of the working folder, and runs a command after asking. Its tools cannot leave the folder; a command that you let run can. Lines that begin with a slash are for the chat itself: /help has them. Ctrl-C stops a turn, twice leaves. Without a terminal it reads its lines from the standard input and asks nothing; what the model says goes to stdout, all else to stderr."
  )
)
