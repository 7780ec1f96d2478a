/**
 * Signs that a text is something else than what was asked for: a tool call written out, or an error message.
 *
 * @since 0.1.0
 */

/**
 * Calls in the form of tags, with or without a namespace. From the chat templates of Hermes, Qwen, GLM and Llama, from
 * Anthropic's older prompt format, and from agents that have their own tags.
 */
const tagged = /^<((?:\w+:)?(?:tool_calls?|toolcall|tool_use|function_calls?|function|invoke|use_mcp_tool))(?=[\s>=])/i

/** Calls behind special tokens, of Mistral, Llama, gpt-oss and DeepSeek (in ASCII and in full-width bars). */
const special = /^(?:\[tool_calls?\]|<\|python_tag\|>|<\|channel\|>commentary to=|<[|｜]tool)/i

/** What follows an opening tag that starts a call: data or nothing, where a mention goes on as a sentence. */
const dataBehindTag = /^<[^\s>=]+(?:=[^\s>]*)?(?:\s+\w+=[^>\n]*)?>?[ \t]*(?:$|[\n{[<])/

const fence = /^[ \t]*(?:```|~~~)/

/** The index behind a call that stands at `start`, or -1 where none does. `unclosed` remembers tags that have no end. */
const endOfCall = (text: string, lower: string, start: number, unclosed: Set<string>): number => {
  const opening = text.slice(start, start + 400)
  if (special.test(opening)) {
    const blank = text.indexOf("\n\n", start)
    return blank < 0 ? text.length : blank
  }
  const tag = tagged.exec(opening)?.[1]?.toLowerCase()
  if (tag === undefined) return -1
  const closing = unclosed.has(tag) ? -1 : lower.indexOf(`</${tag}>`, start)
  if (closing >= 0) return closing + tag.length + 3
  unclosed.add(tag)
  return dataBehindTag.test(opening) ? text.length : -1
}

/** Whether the text begins or ends with a call. Calls start a line, and stand outside of code blocks. */
const beginsOrEndsWithCall = (text: string): boolean => {
  const lower = text.toLowerCase()
  // folding case may change the length of rare letters, and with it all positions
  const folded = lower.length === text.length ? lower : text
  const unclosed = new Set<string>()
  let quoted = false
  for (let line = 0; line < text.length;) {
    const lineEnd = text.indexOf("\n", line)
    const next = lineEnd < 0 ? text.length : lineEnd + 1
    let start = line
    while (text.charAt(start) === " " || text.charAt(start) === "\t") start++
    if (fence.test(text.slice(line, line + 40))) quoted = !quoted
    const end = quoted ? -1 : endOfCall(text, folded, start, unclosed)
    if (end >= 0 && (start === 0 || text.slice(end).trim() === "")) return true
    line = Math.max(next, end)
  }
  return false
}

/** An answer that is one code block is what stands inside. */
const unwrap = (text: string): string => {
  const block = /^(?:```|~~~)[^\n]*\n/.exec(text)
  if (block === null || !/\n(?:```|~~~)$/.test(text.slice(-5))) return text
  const inside = text.slice(block[0].length, -4)
  return /^[ \t]*(?:```|~~~)/m.test(inside) ? text : inside.trim()
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isCall = (value: unknown): boolean =>
  isRecord(value) &&
  ("tool_calls" in value ||
    "function_call" in value ||
    "tool_use" in value ||
    value["type"] === "tool_use" ||
    value["type"] === "function_call" ||
    (value["type"] === "function" && "function" in value) ||
    (("name" in value || "tool" in value) && ("arguments" in value || "parameters" in value || "input" in value)))

const parse = (text: string): unknown => {
  if (!/^[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether a text is a tool call written out: it starts with one, ends with one, or is the JSON of one. Text that mentions
 * the form of a call within prose, or quotes one in a code block, is not.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isToolProtocol = (whole: string): boolean => {
  const text = unwrap(whole.trim())
  const value = parse(text)
  if (value !== undefined) return Array.isArray(value) ? value.length > 0 && value.every(isCall) : isCall(value)
  if (/^[{[]\s*(\{\s*)?"(tool_calls|function_call|tool_use)"\s*:/.test(text)) return true
  return beginsOrEndsWithCall(text)
}

/** Longer than any error message, shorter than most summaries. */
const longestError = 2000

const errorStart =
  /^(?:\W{0,4}(?:api|http|request|server|upstream|internal server|network|provider|model)?[ _-]*(?:error|failure|failed|exception)\b|\W{0,4}(?:internal server error|bad gateway|service unavailable|gateway time-?out|too many requests|overloaded|rate limit)|<!doctype html|<html)/i

const errorSign =
  /\b(?:400|401|402|403|404|408|409|413|422|429|500|502|503|504|529)\b|rate.?limit|overloaded|api.?key|unauthori[sz]ed|quota|context.?(?:length|window)|_error\b|bad gateway|service unavailable|gateway time-?out|internal server error|too many requests|timed? ?out|connection (?:error|refused|reset)|econn/i

/**
 * Whether a text is an error message of a provider or a proxy: short, starts like one, and names a status or a kind. A
 * summary that tells of errors has headings or more than one paragraph, or starts with something else.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isErrorText = (whole: string): boolean => {
  const text = unwrap(whole.trim())
  if (text.length > longestError) return false
  const value = parse(text)
  if (isRecord(value)) return ("error" in value && Object.keys(value).length <= 4) || value["type"] === "error"
  if (/^#{1,6} /m.test(text)) return false
  const isHtml = /^<(!doctype|html)/i.test(text)
  return errorStart.test(text) && errorSign.test(text) && (isHtml || !/\n\s*\n/.test(text))
}
