/**
 * Says in a person's words what went wrong with a file.
 *
 * @since 0.1.0
 */

/**
 * The system's own message where there is one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { description } = error as { readonly description?: unknown }
  return typeof description === "string" && description !== "" ? description : error.message
}
