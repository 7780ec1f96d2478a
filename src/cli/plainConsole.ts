/**
 * What the argument parser prints, for people: as wide as the terminal, without colours where there is none or where they
 * are not wanted, and without the parser's filler.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import wrapAnsi from "wrap-ansi"

// eslint-disable-next-line no-control-regex
const colours = /\u001b\[[0-9;]*m/gu

/**
 * @since 0.1.0
 * @category conversions
 */
export const withoutColours = (text: string): string => text.replace(colours, "")

/**
 * Whether a stream goes to a terminal that shows colours. `NO_COLOR`, set to anything, says no.
 *
 * @since 0.1.0
 * @category predicates
 */
export const hasColours = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY && (process.env["NO_COLOR"] ?? "") === "" && stream.hasColors()

/** What the parser says of every option of a kind: true, and no help. */
const filler =
  /^ *(?:A user-defined piece of text\.|A true or false value\.|This setting is optional\.|This option is optional\.|One of the following: [^\n]*)\n+/gmu

/** Where nobody says how wide: what is read well. */
const comfortable = 100

/** An example is there to be copied, and is never broken. */
const wrapLine = (line: string, columns: number): string => {
  const indent = /^ */u.exec(withoutColours(line))?.[0] ?? ""
  if (line.startsWith("    ") || columns - indent.length < 20) return line
  return wrapAnsi(line.slice(indent.length), columns - indent.length, { hard: false })
    .split("\n")
    .map((part) => `${indent}${part}`)
    .join("\n")
}

/** Of the commands the name and how its description begins: the options are in the help of each. */
const commandList = (text: string, commands: ReadonlyArray<string>, columns: number): string => {
  const longest = Math.max(...commands.map((name) => name.length))
  const indent = " ".repeat(longest + 4)
  return text.replace(/^ {2}- (?<name>\w+)(?: .*?)? {2,}(?<what>\S.*)$\n*/gmu, (line, name: string, what: string) => {
    if (!commands.includes(name)) return line
    const begins = /^.*?(?=[.:](?: |$))/u.exec(what)?.[0] ?? what
    const wrapped = wrapAnsi(`${begins}.`, Math.max(20, columns - indent.length)).replaceAll("\n", `\n${indent}`)
    return `  ${name.padEnd(longest)}  ${wrapped}\n`
  })
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const helpText = (
  text: string,
  look: { readonly commands: ReadonlyArray<string>; readonly colours: boolean; readonly columns: number | undefined }
): string => {
  // a completion script is none of the parser's prose
  if (/^(?:#compdef|function _|complete -c) ?/u.test(text)) return completions(text)
  const columns = Math.min(look.columns ?? comfortable, comfortable)
  const plain = (look.colours ? text : withoutColours(text))
    .replace(filler, "")
    // the parser leaves out what a subcommand belongs to
    .replace(new RegExp(`^\\$ (${look.commands.join("|")}) `, "mu"), "$ effect-compaction $1 ")
    .replace(/^\$ effect-compaction$/mu, "$ effect-compaction COMMAND [OPTIONS]")
    // what it says of an argument that may be given several times, and is said by the dots
    .replace(/^ *This argument must be repeated at least 1 times\.\n+/mu, "")
    .replace(/\n{3,}/gu, "\n\n")
    .split("\n")
    .map((line) => (line.startsWith("  - ") ? line : wrapLine(line.trimEnd(), columns)))
    .join("\n")
  return commandList(plain, look.commands, columns)
    .replace("\nEXAMPLES\n", "\n\nEXAMPLES\n")
    .replace(/\n{3,}/gu, "\n\n")
    .trimEnd()
}

/**
 * The parser's script for bash forgets that it writes a dash of the program's name as two underscores, and gives the
 * values of an option as one word.
 */
const completions = (script: string): string =>
  script
    .replace('cmd="effect-compaction"', 'cmd="effect__compaction"')
    .replace(/^ {8}effect-compaction\)$/mu, "        effect__compaction)")
    .replace(/compgen -W "[^"$]*"/gu, (words) => words.replaceAll(",", " "))

/**
 * Runs the parser with a console of its own: what it has to say goes to stdout, and of its complaints nothing, since they
 * come out as the error too.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withPlainConsole =
  (commands: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((console) => {
      const look = { commands, colours: hasColours(process.stdout), columns: process.stdout.columns }
      return Console.withConsole(effect, {
        ...console,
        log: (...words) => console.log(...words.map((word) => helpText(String(word), look))),
        error: () => Effect.void
      })
    })
