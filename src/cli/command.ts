/**
 * The command line: its commands, and how its words are read.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as CliConfig from "@effect/cli/CliConfig"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { command as chat } from "./chat.ts"
import { command as classify } from "./classify.ts"
import { command as compact } from "./compact.ts"
import { command as copy } from "./copy.ts"
import { command as doctor } from "./doctor.ts"
import { command as inspect } from "./inspect.ts"
import { command as meter } from "./meter.ts"
import { command as provider } from "./provider.ts"
import { command as replay } from "./replay.ts"
import { command as simulate } from "./simulate.ts"
import { footerOf } from "./footer.ts"
import type { KnownOption } from "./mistyped.ts"
import { withoutColours } from "./plainConsole.ts"

/**
 * @since 0.1.0
 * @category commands
 */
export const root = Command.make("effect-compaction").pipe(
  Command.withDescription(
    "Keeps long agent conversations inside a model's context window. Each command has its options in its own help, for example `effect-compaction replay --help`."
  ),
  Command.withSubcommands([inspect, compact, simulate, replay, chat, meter, classify, provider, doctor, copy])
)

const subcommands = Command.getSubcommands(root)

/**
 * The names of all commands.
 *
 * @since 0.1.0
 * @category getters
 */
export const commandNames: ReadonlyArray<string> = [...HashMap.keys(subcommands)].toSorted()

/**
 * The options of a command, or of the program itself, each with the values it takes where it takes one of a few.
 *
 * @since 0.1.0
 * @category getters
 */
export const optionsOf = (name: string | undefined): ReadonlyArray<KnownOption> => {
  const command = Option.fromNullable(name).pipe(Option.flatMap((name) => HashMap.get(subcommands, name)))
  const help = Option.match(command, {
    onNone: () => Command.getHelp(root, CliConfig.defaultConfig),
    onSome: (command) => CommandDescriptor.getHelp(command, CliConfig.defaultConfig)
  })
  const shown = HelpDoc.toAnsiText(help)
  return [...withoutColours(shown).matchAll(/^\(?(?:-\w, )?(?<option>--[\w-]+)\)?(?<value> .*)?$/gmu)].map(
    ({ groups }) => {
      const values = (groups?.["value"] ?? "").trim().split(" | ")
      return { name: groups?.["option"] ?? "", values: values.length > 1 ? values : [] }
    }
  )
}

/**
 * The command that was asked for; undefined: none, or one that there is not.
 *
 * @since 0.1.0
 * @category getters
 */
export const commandOf = (words: ReadonlyArray<string>): string | undefined =>
  words.slice(2).find((word) => commandNames.includes(word))

const namesOutput = (word: string | undefined) => word === "-o" || word === "--out"

/** The parser takes a dash on its own for an option, so the one that is an option's value is written together with it. */
const dashAsValue = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word, index) => {
    if (word === "-" && namesOutput(words[index - 1])) return []
    return namesOutput(word) && words[index + 1] === "-" ? ["--out=-"] : [word]
  })

/** Of a dash that is an argument it finds no option behind it. */
const dashLast = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.includes("-") ? [...words.filter((word) => word !== "-"), "-"] : words

/**
 * The command line, for the arguments as Node gives them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const cli = (words: ReadonlyArray<string>) =>
  Command.run(root, {
    name: "effect-compaction",
    version: "0.1.0",
    summary: Span.text("keeps agent conversations inside the context window"),
    footer: footerOf(commandOf(words))
  })(dashLast(dashAsValue(words)))
