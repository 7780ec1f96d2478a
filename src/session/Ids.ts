/**
 * The names that the domain goes by.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The name of one conversation. Any non-empty text of at most 200 characters without control characters; a store that
 * maps it to a file name escapes it.
 *
 * @since 0.1.0
 * @category models
 */
export const SessionId = Schema.String.pipe(
  // eslint-disable-next-line no-control-regex
  Schema.pattern(/^[^\u0000-\u001f\u007f]{1,200}$/u, {
    message: () => "a session id is 1 to 200 characters long and holds no control characters"
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type SessionId = typeof SessionId.Type

/**
 * The place of an event in its session's log: 0, 1, 2, … with no holes.
 *
 * @since 0.1.0
 * @category models
 */
export const Seq = Schema.NonNegativeInt

/**
 * @since 0.1.0
 * @category models
 */
export type Seq = typeof Seq.Type
