/**
 * How a session's id stands in the database.
 *
 * @since 0.1.0
 */
import type { SessionId } from "../session/Ids.ts"

/**
 * The id itself, but for what no database keeps apart or takes: halves of surrogate pairs have no UTF-8, and PostgreSQL
 * has no text with a zero. These, and the backslash that escapes them, become a backslash, `u` and four digits, so that
 * two ids are never one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromSessionId = (id: SessionId): string =>
  id.replace(/[\\\0\p{Surrogate}]/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * The id that stands in the database as `key`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toSessionId = (key: string): SessionId =>
  key.replace(/\\u([0-9a-f]{4})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
