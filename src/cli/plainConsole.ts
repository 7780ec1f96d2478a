/**
 * What the argument parser prints, for people: without colours where there is no terminal, and without its filler.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

// eslint-disable-next-line no-control-regex
const colours = /\u001b\[[0-9;]*m/gu

/**
 * @since 0.1.0
 * @category conversions
 */
export const withoutColours = (text: string): string => text.replace(colours, "")

/** What the parser says of every option of a kind: true, and no help. */
const filler =
  /^ *(?:A user-defined piece of text\.|A true or false value\.|This setting is optional\.|This option is optional\.|One of the following: [^\n]*)\n+/gmu

/**
 * @since 0.1.0
 * @category conversions
 */
export const helpText = (text: string, terminal: boolean): string =>
  (terminal ? text : withoutColours(text))
    .replace(filler, "")
    // the parser leaves out what a subcommand belongs to
    .replace(/^\$ (replay|simulate|meter|classify|provider|doctor|copy) /mu, "$$ effect-compaction $1 ")
    // what it says of an argument that may be given several times, and is said by the dots
    .replace(/^ *This argument must be repeated at least 1 times\.\n+/mu, "")
    .replace(/\n{3,}/gu, "\n\n")
    .trimEnd()

/**
 * Runs the parser with a console of its own: what it has to say goes to stdout, and of its complaints nothing, since they
 * come out as the error too.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withPlainConsole = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Console.withConsole(effect, {
      ...console,
      log: (...words) => console.log(...words.map((word) => helpText(String(word), process.stdout.isTTY))),
      error: () => Effect.void
    })
  )
