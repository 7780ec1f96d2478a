/**
 * What a command line that cannot be read is told as: one sentence, with what was probably meant.
 *
 * @since 0.1.0
 */
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"

/**
 * `values`: the ones that it takes, where those are a few words; else empty.
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownOption {
  readonly name: string
  readonly values: ReadonlyArray<string>
}

/**
 * `words` is what was typed behind the program's name; `options` belong to `command`, or to the program without one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Typed {
  readonly words: ReadonlyArray<string>
  readonly command: string | undefined
  readonly commands: ReadonlyArray<string>
  readonly options: ReadonlyArray<KnownOption>
}

/**
 * The word that was probably meant: at most two letters off (of short words one), or begun alike.
 *
 * @since 0.1.0
 * @category getters
 */
export const closest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const most = word.length < 4 ? 1 : 2
  const near = known
    .map((name) => [name, AutoCorrect.levensteinDistance(word, name, CliConfig.defaultConfig)] as const)
    .filter(([, distance]) => distance <= most)
    .toSorted(([, a], [, b]) => a - b)
  return near[0]?.[0] ?? known.find((name) => word.replace(/^--/u, "").length > 2 && name.startsWith(word))
}

const list = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const meant = (word: string, known: ReadonlyArray<string>): string => {
  const name = closest(word, known)
  return name === undefined ? "" : `; did you mean ${name}?`
}

const nameOf = (word: string): string => word.split("=", 1)[0] ?? word

/** What was given to an option, whether behind a blank or an equals sign. */
const givenTo = (words: ReadonlyArray<string>, option: string): string | undefined => {
  const at = words.findIndex((word) => nameOf(word) === option)
  const word = words[at]
  if (at === -1) return undefined
  return word?.includes("=") === true ? word.slice(option.length + 1) : words[at + 1]
}

const unknownOption = ({ options, words }: Pick<Typed, "options" | "words">): string | undefined => {
  const names = [...options.map(({ name }) => name), "--help", "--version", "--completions", "--log-level", "--wizard"]
  const wrong = words.find((word) => word.startsWith("--") && word.length > 2 && !names.includes(nameOf(word)))
  return wrong === undefined ? undefined : `there is no option ${nameOf(wrong)}${meant(nameOf(wrong), names)}`
}

/** Of one letter the command itself has none; what was probably meant begins with it. */
const unknownLetter = ({ words }: Typed): string | undefined => {
  const wrong = words.find((word) => /^-[a-z]$/iu.test(word))
  const near =
    wrong === undefined ? undefined : ["--version", "--help"].find((name) => name[2] === wrong[1]?.toLowerCase())
  return wrong === undefined
    ? undefined
    : `there is no option ${wrong}${near === undefined ? "" : `; did you mean ${near}?`}`
}

/** The parser's own words are about what it expected to find. */
const missing = (parser: string, command: string): string => {
  const option = /^Expected to find option: '(--[\w-]+)'$/u.exec(parser)?.[1]
  return option === undefined ? parser : `${command} needs ${option}`
}

const wrongValue = ({ options, words }: Typed): string | undefined => {
  for (const { name, values } of options) {
    const given = values.length === 0 ? undefined : givenTo(words, name)
    if (given === undefined || values.includes(given)) continue
    const near = closest(given, values)
    return `${name} takes ${list(values)}, and not "${given}"${near === undefined ? "" : `; did you mean ${near}?`}`
  }
  return undefined
}

const unknownCommand = ({ commands, words }: Typed): string | undefined => {
  const word = words.find((word) => !word.startsWith("-"))
  return word === undefined
    ? undefined
    : `there is no command "${word}"; the commands are ${commands.join(", ")}${meant(word, commands)}`
}

const helpOf = (command: string | undefined): string =>
  `(effect-compaction ${command === undefined ? "--help has the commands" : `${command} --help has the options`})`

/**
 * What cannot be read may be an option that was mistyped: without a file beside it the parser takes it for one. Undefined where
 * `sentence`, which says what is wrong, names none.
 *
 * @since 0.1.0
 * @category conversions
 */
export const explainFile = (sentence: string, { command, options, words }: Typed): string | undefined => {
  const option = unknownOption({ options, words: words.filter((word) => sentence.includes(word)) })
  return option === undefined ? undefined : `${option} ${helpOf(command)}`
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const explain = (parser: string, typed: Typed): string => {
  const better =
    typed.command === undefined
      ? (unknownCommand(typed) ?? unknownOption(typed) ?? unknownLetter(typed))
      : (unknownOption(typed) ?? wrongValue(typed) ?? missing(parser, typed.command))
  return `${better ?? parser} ${helpOf(typed.command)}`
}
