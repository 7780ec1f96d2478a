/**
 * The name and text of whatever was thrown.
 *
 * @since 0.1.0
 */

const textOf = (error: unknown): string => String(error instanceof Error ? error.message : error)

/**
 * For a record that outlives the error. Never throws, whatever the value is: an object without a prototype has no text,
 * and a getter may throw.
 *
 * @since 0.1.0
 * @category conversions
 */
export const errorRecord = (error: unknown): { readonly tag: string; readonly message: string } => {
  try {
    const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"
    return { tag, message: textOf(error).slice(0, 1000) }
  } catch {
    return { tag: "Defect", message: "an error that cannot be read" }
  }
}
