/**
 * Tells a provider's own words from what they quote.
 *
 * @since 0.1.0
 */
import * as LooseValue from "./looseValue.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ErrorWords {
  readonly words: ReadonlyArray<string>
  /** What stands in the text as an object or a list of objects. */
  readonly values: ReadonlyArray<unknown>
}

/** Providers say it in the first sentences; the bound keeps a hostile text cheap. */
const longest = 2000

/** From here on a validator repeats the input that it did not accept. */
const echo = /\binput(?:_value)?=(?=\S)(?!\d)|\bflagged_input\b/i

/** What is introduced like this is what was sent, whatever its fields are called. */
const sent =
  /\b(?:(?:inputs?|messages|arguments|args|params|payload|request_?body)\s*[=:]|(?:prompt|content|request|body)\s*=)\s*$/i

/** A passage in quotes behind one of these is the provider's, */
const said =
  /(?:^|\b(?:error|exception|message|msg|details?|status|code|returned|response|body|raw|reason|cause|description|fail(?:ure|ed)|says?|said|\d{3})|[a-z](?:error|exception))[\s:=([\-–]*b?$/i
/** unless one of these stands there too. */
const about =
  /\b(?:invalid|unexpected|unsupported|unknown|pars\w+|tokeniz\w+|decod\w+|near|got|received|given|flagged|echo\w*)\b/i

/** A quotation mark that opens stands before a word and behind none. Shorter passages are names of fields and models. */
const openQuote = /(?<![\w"'`])(["'`])(?=\S)/g
const fewestWords = 3

const closing = (quote: string, text: string, from: number): number => {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (!/\w/.test(text[at + 1] ?? "") && text[at - 1] !== "\\") return at
  }
  return -1
}

/** The text without the passages that it quotes from somebody else. */
const unquoted = (text: string): string => {
  let plain = ""
  let from = 0
  openQuote.lastIndex = 0
  for (let open = openQuote.exec(text); open !== null; open = openQuote.exec(text)) {
    const before = text.slice(Math.max(0, open.index - 24), open.index)
    const end = closing(open[1] ?? "", text, open.index + 1)
    const foreign = about.test(before) || !said.test(before)
    if (end === -1) {
      // nobody closes it: a stray mark, or a quotation that was cut off
      if (!about.test(before)) continue
      return plain + text.slice(from, open.index)
    }
    const passage = text.slice(open.index + 1, end)
    if (foreign && passage.trim().split(/\s+/).length >= fewestWords) {
      plain += `${text.slice(from, open.index)}…`
      from = end + 1
    }
    // a provider's own passage may quote in its turn, with the other marks
    openQuote.lastIndex = foreign ? end + 1 : open.index + 1
  }
  return plain + text.slice(from)
}

/** The marks of other keyboards as those of a program. */
const withPlainQuotes = (text: string): string => text.replace(/«\s?|\s?»|[“”„]/g, '"').replace(/[‘’‚]/g, "'")

const plain = (text: string): string => {
  const start = withPlainQuotes(text.slice(0, longest))
  const at = start.search(echo)
  return unquoted((at === -1 ? start : start.slice(0, at)).replace(/\s+/g, " ").trim())
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No error begins like this, and a parser takes seconds for a megabyte of it. */
const tooDeep = /^(?:\s*(?:\[|\{\s*"[^"]{0,40}"\s*:)){40}/

const brackets = /[[{]/g

/** No error quotes more objects, or has more brackets in its sentences. */
const maxValues = 20
const maxBrackets = 1000

/**
 * Takes a text apart into sentences and the objects between them. A text that is a JSON string is that string.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (text: string): ErrorWords => {
  const trimmed = text.trim()
  if (/^[[{"]/.test(trimmed) && !tooDeep.test(trimmed)) {
    const whole = parsed(trimmed)
    if (typeof whole === "string") return read(whole)
    if (typeof whole === "object" && whole !== null) return { words: [], values: [whole] }
  }
  const words: Array<string> = []
  const values: Array<unknown> = []
  const limit = trimmed.search(echo)
  const own = limit === -1 ? trimmed : trimmed.slice(0, limit)
  let from = 0
  const keep = (end: number) => {
    const sentence = plain(own.slice(from, end))
    if (sentence !== "") words.push(sentence)
  }
  brackets.lastIndex = 0
  for (let count = 0; count < maxBrackets; count++) {
    const open = brackets.exec(own)
    if (open === null) break
    if (!LooseValue.begins(own, open.index)) continue
    keep(open.index)
    if (values.length >= maxValues) return { words, values }
    const { end, value } = LooseValue.read(own, open.index)
    if (!sent.test(own.slice(Math.max(0, open.index - 30), open.index))) values.push(value)
    from = end
    brackets.lastIndex = end
  }
  keep(own.length)
  return { words, values }
}
