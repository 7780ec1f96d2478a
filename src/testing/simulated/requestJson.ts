/**
 * Looks into the JSON of a request, which may hold anything.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type Fields = Readonly<Record<string, unknown>>

/**
 * @since 0.1.0
 * @category predicates
 */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The fields of a body; undefined: it is no JSON, or no object.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseFields = (text: string): Fields | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}
