/**
 * Writes patterns that read figures.
 *
 * @since 0.1.0
 */

/** Digits, in groups of three or not. One that goes on as a fraction, or means thousands, is not read. */
const digits = String.raw`(?:\d{1,3}(?:[,_]\d{3})+|\d+)`
const goesOn = String.raw`(?:\.0+)?(?!\d|[.,_]\d{3}|\.\d|\s?[km]\b)`

/**
 * A pattern of words, in any case, in which `<limit>`, `<input>`, `<output>`, `<requested>` and `<more>` stand for figures (see
 * `Row`)
 * and `#` for one that does not matter. A blank is any white space, since texts are matched with theirs collapsed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const words = (strings: TemplateStringsArray, ...parts: ReadonlyArray<string>): RegExp =>
  new RegExp(
    String.raw(strings, ...parts)
      .replace(/<(limit2?|input2?|requested2?|output|more)>/g, (_, name: string) => `(?<${name}>${digits})${goesOn}`)
      .replaceAll("#", digits),
    "i"
  )

/**
 * @since 0.1.0
 * @category conversions
 */
export const toNumber = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text.replace(/[,_]/g, ""))
  return Number.isSafeInteger(value) ? value : undefined
}
