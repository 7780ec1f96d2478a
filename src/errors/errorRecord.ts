/**
 * The name and text of whatever was thrown.
 *
 * @since 0.1.0
 */

/**
 * The fields that are no objects, as JSON: what an error without a message has to say. Deeper ones may be anything, a
 * request with its headers too.
 */
const fieldsOf = (error: object): string => {
  const plain = Object.entries(error).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
  if (plain.length > 0) return JSON.stringify(Object.fromEntries(plain))
  return error instanceof Error ? error.name : "an error without a message"
}

/**
 * Whether a text holds a request of Effect's HTTP client as it is printed: with its headers, the API key among them. Some
 * provider packages put it into the message of an error.
 */
const showsRequest = (text: string): boolean => text.includes("@effect/platform/HttpClientRequest")

const withoutRequest = (text: string): string =>
  showsRequest(text) ? `${text.slice(0, Math.max(text.indexOf("{"), 0))}(a request, left out)` : text

/**
 * What an error says, in words and without its stack. Never throws, whatever the value is: an object without a prototype has
 * no text, and a getter may throw.
 *
 * @since 0.1.0
 * @category conversions
 */
export const errorText = (error: unknown): string => {
  try {
    if (typeof error !== "object" || error === null) return withoutRequest(String(error))
    const { message } = error as { readonly message?: unknown }
    return withoutRequest(typeof message === "string" && message !== "" ? message : fieldsOf(error))
  } catch {
    return "an error that cannot be read"
  }
}

const tagOf = (error: unknown): string => {
  try {
    return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"
  } catch {
    return "Defect"
  }
}

/**
 * For a record that outlives the error.
 *
 * @since 0.1.0
 * @category conversions
 */
export const errorRecord = (error: unknown): { readonly tag: string; readonly message: string } => ({
  tag: tagOf(error),
  message: errorText(error).slice(0, 1000)
})
