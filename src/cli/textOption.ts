/**
 * An option of the command line that takes a text and may be left out.
 *
 * @since 0.1.0
 */
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"

/**
 * `value` is what help shows in its place. Undefined: it was not given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const textOption = (name: string, value: string, description: string): Options.Options<string | undefined> =>
  Options.text(name).pipe(
    Options.withPseudoName(value),
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined)
  )
