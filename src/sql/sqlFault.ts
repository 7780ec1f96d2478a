/**
 * What a database's error says: in a person's words, and whether a statement can have been carried out all the same.
 *
 * @since 0.1.0
 */
import type { SqlError } from "@effect/sql/SqlError"

const field = (cause: unknown, name: "code" | "severity" | "message"): string => {
  const value: unknown = typeof cause === "object" && cause !== null && name in cause ? cause[name as never] : undefined
  return typeof value === "string" ? value : ""
}

/**
 * The database's own message where there is one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const describe = ({ cause, message }: SqlError): string =>
  [field(cause, "message") || message, field(cause, "code")].filter((part) => part !== "").join(", ")

/** The connection was never made, so nothing was sent. */
const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"])

/** PostgreSQL refuses a connection: too many, starting or stopping, not allowed, no such database. */
const refusedConnection = new Set(["53300", "57P03", "28000", "28P01", "3D000"])

/** Connection lost, outcome not known, shut down under us, the system's own errors, internal errors. */
const inDoubt = /^(?:08|40003|57P|58|XX)/

/**
 * Whether a statement of its own that failed with this was certainly not carried out. Both databases undo a statement that
 * they fail; what is in doubt is an error of the connection, and one that came while the outcome was made durable.
 *
 * @since 0.1.0
 * @category predicates
 */
export const notCarriedOut = ({ cause }: SqlError): boolean => {
  const code = field(cause, "code")
  if (unreachable.has(code)) return true
  if (code.startsWith("SQLITE_")) return !code.startsWith("SQLITE_IOERR")
  const severity = field(cause, "severity")
  if (severity === "") return false
  return refusedConnection.has(code) || (severity === "ERROR" && !inDoubt.test(code))
}
