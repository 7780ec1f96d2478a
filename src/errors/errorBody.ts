/**
 * Reads an error's body, whatever it was wrapped in, and never what a user or a model wrote.
 *
 * @since 0.1.0
 */

/**
 * What an error says: its sentences, its structured codes, and the figures that it gives as fields.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorBody {
  readonly texts: ReadonlyArray<string>
  /** Lower case; the fields that hold a code, a type, a name or a finish reason. */
  readonly codes: ReadonlyArray<string>
  readonly numbers: ReadonlyMap<string, number>
}

const maxDepth = 8
const maxFields = 400
const maxText = 2000

/** Fields whose text is the provider's own sentence. */
const textFields = new Set([
  "message",
  "msg",
  "error",
  "errormessage",
  "error_message",
  "detail",
  "details",
  "description",
  "raw",
  "reason"
])

/** Fields that name a kind of error, or say why an answer ended. */
const codeFields = new Set([
  "code",
  "type",
  "status",
  "name",
  "error_type",
  "errortype",
  "__type",
  "reason",
  "finish_reason",
  "finishreason",
  "stop_reason",
  "stopreason"
])

/** Fields that hold an error inside an error; all others (`input`, `messages`, `content`, …) may be somebody's text. */
const nestingFields = new Set([
  "error",
  "errors",
  "cause",
  "response",
  "responsebody",
  "body",
  "data",
  "metadata",
  "raw",
  "message",
  "detail",
  "details",
  "choices",
  "candidates",
  "delta",
  "stats",
  "incomplete_details"
])

/** From here on a validator repeats the input that it did not accept. */
const echo = /\binput(?:_value)?=|\bflagged_input\b/i

const cut = (text: string) => {
  const at = text.search(echo)
  return text.slice(0, at === -1 ? maxText : Math.min(at, maxText))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON object that a text consists of, or that follows a text's own words. */
const embedded = (text: string): { readonly words: string; readonly value: unknown } | undefined => {
  const first = text.search(/[[{]/)
  if (first === -1) return undefined
  const close = text[first] === "{" ? "}" : "]"
  const value = parsed(text.slice(first, text.lastIndexOf(close) + 1))
  return typeof value === "object" && value !== null ? { words: text.slice(0, first).trim(), value } : undefined
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const read = (body: unknown): ErrorBody => {
  const texts: Array<string> = []
  const codes: Array<string> = []
  const numbers = new Map<string, number>()
  const seen = new Set<object>()
  let fields = 0

  const text = (value: string, depth: number) => {
    if (value.trim() === "") return
    const inner = depth < maxDepth ? embedded(value) : undefined
    if (inner === undefined) {
      texts.push(cut(value))
      return
    }
    if (inner.words !== "") texts.push(cut(inner.words))
    walk(inner.value, depth + 1)
  }

  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || seen.has(value) || depth > maxDepth) return
    seen.add(value)
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 20)) {
        if (typeof item === "string") text(item, depth)
        else walk(item, depth + 1)
      }
      return
    }
    // an Error's message is not enumerable
    const names = value instanceof Error ? ["name", "message", "cause", ...Object.keys(value)] : Object.keys(value)
    for (const name of names) {
      if (++fields > maxFields) return
      let field: unknown
      try {
        field = (value as Record<string, unknown>)[name]
      } catch {
        continue
      }
      const key = name.toLowerCase()
      if (typeof field === "number") {
        // JSON has numbers that are read as infinite
        if (Number.isFinite(field)) numbers.set(key, field)
        if (codeFields.has(key)) codes.push(String(field))
      } else if (typeof field === "string") {
        if (codeFields.has(key) && field.length <= 100) codes.push(field.toLowerCase())
        if (textFields.has(key)) text(field, depth)
        // a client's error may hold the answer's body as it came; a text in such a field that is no JSON may be anybody's
        else if (nestingFields.has(key)) walk(parsed(field), depth + 1)
      } else if (nestingFields.has(key)) walk(field, depth + 1)
    }
  }

  try {
    if (typeof body === "string") text(body, 0)
    else walk(body, 0)
  } catch {
    // a proxy may throw wherever it is asked anything; what was read until then counts
  }
  return { texts, codes, numbers }
}
