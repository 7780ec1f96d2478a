/**
 * Looks into JSON that a server sent, which may hold anything.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type Fields = Readonly<Record<string, unknown>>

/**
 * An object's fields; undefined for all else.
 *
 * @since 0.1.0
 * @category getters
 */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/**
 * A text, or the empty one for all else.
 *
 * @since 0.1.0
 * @category getters
 */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * The value of a text that is JSON; undefined for all else.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
