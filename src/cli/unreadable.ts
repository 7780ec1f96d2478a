/**
 * Why a file cannot be read, in a sentence for a person.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import { BadInput } from "./exitCode.ts"

const reasons: Readonly<Record<string, string>> = {
  NotFound: "there is no such file",
  PermissionDenied: "it may not be read",
  BadResource: "it is a folder"
}

const whyNot = (error: PlatformError): string =>
  (error._tag === "SystemError" ? reasons[error.reason] : undefined) ??
  (/EISDIR/u.test(error.message) ? "it is a folder" : error.message)

/**
 * What a file that cannot be read is told as.
 *
 * @since 0.1.0
 * @category conversions
 */
export const unreadable = (path: string, what: string) => (error: PlatformError) =>
  new BadInput({ message: `cannot read the ${what} ${path}: ${whyNot(error)}` })
