/**
 * Which session the services of a session belong to.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * @since 0.1.0
 * @category tags
 */
export class SessionId extends Context.Tag("effect-compaction/services/SessionId")<SessionId, string>() {}
