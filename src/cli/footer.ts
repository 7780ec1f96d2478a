/**
 * What stands below a command's options in its help.
 *
 * @since 0.1.0
 */
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"
import { type Example, examples, readings } from "./examples.ts"
import { meanings } from "./exitCode.ts"

const paragraph = (text: string) => HelpDoc.p(Span.text(text))

const shown = ([what, ...lines]: Example): ReadonlyArray<HelpDoc.HelpDoc> => [
  paragraph(what),
  ...lines.map((line) => paragraph(`    ${line}`))
]

const exitCodes = [HelpDoc.h1("EXIT CODES"), ...meanings.map(([code, what]) => paragraph(`${code}: ${what}`))]

/**
 * A command's own examples; without a command the first of each, and where more is said.
 *
 * @since 0.1.0
 * @category constructors
 */
export const footerOf = (command: string | undefined): HelpDoc.HelpDoc => {
  const own = command === undefined ? Object.values(examples).flatMap((all) => all.slice(0, 1)) : examples[command]
  const reading = command === undefined ? undefined : readings[command]
  return HelpDoc.blocks([
    ...(own === undefined ? [] : [HelpDoc.h1("EXAMPLES"), ...own.flatMap(shown)]),
    ...(reading === undefined ? [] : [HelpDoc.h1(reading[0]), paragraph(reading[1])]),
    ...(command === undefined
      ? [
          HelpDoc.h1("SHELL COMPLETIONS"),
          paragraph("bash (in ~/.bashrc), zsh and fish:"),
          paragraph("    source <(effect-compaction --completions bash)"),
          paragraph('    effect-compaction --completions zsh > "${fpath[1]}/_effect-compaction"'),
          paragraph("    effect-compaction --completions fish > ~/.config/fish/completions/effect-compaction.fish")
        ]
      : []),
    ...exitCodes
  ])
}
