/**
 * What went wrong with a file.
 *
 * @since 0.1.0
 */
import type { PlatformError, SystemErrorReason } from "@effect/platform/Error"

/**
 * In a person's words: the system's own message where there is one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { description } = error as { readonly description?: unknown }
  return typeof description === "string" && description !== "" ? description : error.message
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isReason = (error: PlatformError, reason: SystemErrorReason): boolean =>
  error._tag === "SystemError" && error.reason === reason
