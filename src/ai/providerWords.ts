/**
 * Finds, in what a provider answered, the part in which it tells of a failure.
 *
 * @since 0.1.0
 */

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** Reasons to stop that are no failures; another one is held against the classifier's rows. */
const ordinaryReasons = new Set([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "stop",
  "length",
  "tool_calls",
  "function_call",
  "content_filter"
])

/**
 * `finish`: it is the reason why an answer ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly body: unknown
  readonly finish: boolean
}

/**
 * Of a body, or of an event of a stream, of the providers that Effect AI has packages for: an error event, a response that
 * failed, an error in place of an answer, a reason to stop that is not an ordinary one. Looks at the fields where these
 * stand and nowhere else, so that what a model or a user wrote is never read. Undefined: it tells of none.
 *
 * @since 0.1.0
 * @category getters
 */
export const failureIn = (value: unknown): Failure | undefined => {
  if (fieldOf(value, "type") === "error") return { body: value, finish: false }
  for (const holder of [value, fieldOf(value, "response")]) {
    const error = fieldOf(holder, "error")
    if (error !== undefined && error !== null) return { body: { error }, finish: false }
  }
  const reason = fieldOf(value, "stop_reason") ?? fieldOf(fieldOf(value, "delta"), "stop_reason")
  return typeof reason === "string" && !ordinaryReasons.has(reason)
    ? { body: { stop_reason: reason }, finish: true }
    : undefined
}
