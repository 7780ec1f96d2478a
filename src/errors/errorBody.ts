/**
 * Reads an error's body, whatever it was wrapped in, and never what a user or a model wrote.
 *
 * @since 0.1.0
 */
import * as ErrorWords from "./errorWords.ts"

/**
 * What an error says: its sentences, its structured codes, and the figures that it gives as fields. `answers` is what a
 * server put where the model's answer would stand, of a choice that ended in an error.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorBody {
  readonly texts: ReadonlyArray<string>
  /** Lower case; the fields that hold a code, a type, a name or a finish reason. */
  readonly codes: ReadonlyArray<string>
  /** By the field's name in lower case; of several of one name, the outermost. */
  readonly numbers: ReadonlyMap<string, number>
  readonly answers: ReadonlyArray<string>
}

/** Three envelopes, each a text in a field of a field, are a dozen. */
const maxDepth = 24
const maxFields = 400
const maxItems = 20
const maxTexts = 40
const maxAnswer = 300

/** Fields whose text is the provider's own sentence. */
const textFields = new Set([
  "message",
  "msg",
  "error",
  "errormessage",
  "error_message",
  "error_msg",
  "errmsg",
  "status_msg",
  "errors",
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
  "error_code",
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
  "lasterror",
  "cause",
  "defect",
  "failure",
  "left",
  "right",
  "response",
  "responsebody",
  "body",
  "data",
  "metadata",
  "$metadata",
  "raw",
  "message",
  "detail",
  "details",
  "choices",
  "candidates",
  "delta",
  "stats",
  "incomplete_details",
  "innererror",
  "base_resp"
])

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field of somebody else's object: a getter may throw. */
const fieldOf = (value: object, name: string): unknown => {
  try {
    return (value as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}

/**
 * The fields to look at. An error's own are not enumerable; of a retry's attempts only the last one counts; of a message
 * of the conversation only why it ended, since the provider did not write the rest.
 */
const namesOf = (value: object): ReadonlyArray<string> => {
  if (roles.includes(fieldOf(value, "role"))) return endReasons
  const own = Object.keys(value).slice(0, maxFields)
  const names = value instanceof Error ? [...new Set(["name", "message", "cause", "errors", ...own])] : own
  return fieldOf(value, "lastError") === undefined ? names : names.filter((name) => name !== "errors")
}

const roles: ReadonlyArray<unknown> = ["user", "system", "assistant", "tool", "developer"]

const endReasons = ["finish_reason", "finishReason", "stop_reason", "stopReason"]

/**
 * Takes time linear in the body, and never throws.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (body: unknown): ErrorBody => {
  const texts: Array<string> = []
  const codes: Array<string> = []
  const answers: Array<string> = []
  const numbers = new Map<string, number>()
  const seen = new Set<object>()
  let fields = 0

  const text = (value: string, depth: number) => {
    if (texts.length >= maxTexts || value.trim() === "") return
    const { values, words } = ErrorWords.read(value)
    texts.push(...words)
    if (depth < maxDepth) for (const inner of values) walk(inner, depth + 1)
  }

  const failedChoice = (choice: object) => {
    if (fieldOf(choice, "finish_reason") !== "error") return
    for (const name of ["message", "delta"]) {
      const holder = fieldOf(choice, name)
      const content = typeof holder === "object" && holder !== null ? fieldOf(holder, "content") : undefined
      if (typeof content === "string" && content.length <= maxAnswer) answers.push(content.trim())
    }
  }

  const field = (name: string, value: unknown, depth: number) => {
    const key = name.toLowerCase()
    if (typeof value === "number") {
      // JSON has numbers that are read as infinite
      if (Number.isFinite(value) && !numbers.has(key)) numbers.set(key, value)
      if (codeFields.has(key)) codes.push(String(value))
    } else if (typeof value === "string") {
      if (codeFields.has(key) && value.length <= 100) codes.push(value.toLowerCase())
      if (textFields.has(key)) text(value, depth)
      // a client's error may hold the answer's body as it came; a text in such a field that is no JSON may be anybody's
      else if (nestingFields.has(key)) walk(parsed(value), depth + 1)
    } else if (Array.isArray(value) && textFields.has(key)) {
      list(value, depth, true)
    } else if (nestingFields.has(key)) walk(value, depth + 1)
  }

  const list = (items: ReadonlyArray<unknown>, depth: number, sentences: boolean) => {
    for (const item of items.slice(0, maxItems)) {
      if (typeof item === "string" && sentences) text(item, depth)
      else walk(item, depth + 1)
    }
  }

  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || seen.has(value) || depth > maxDepth) return
    if (ArrayBuffer.isView(value)) return
    seen.add(value)
    if (Array.isArray(value)) return list(value, depth, depth === 0)
    failedChoice(value)
    for (const name of namesOf(value)) {
      if (++fields > maxFields) return
      field(name, fieldOf(value, name), depth)
    }
  }

  try {
    if (typeof body === "string") text(body, 0)
    else if (body instanceof Uint8Array) text(new TextDecoder().decode(body), 0)
    else walk(body, 0)
  } catch {
    // a proxy may throw wherever it is asked anything; what was read until then counts
  }
  return { texts, codes, numbers, answers }
}
