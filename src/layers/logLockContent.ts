/**
 * What the file of a lock says: who holds it, or held it, and whether it is held.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as conforms from "../session/conforms.ts"
import * as LogOwner from "./logOwner.ts"

/**
 * `held` is 0 once its owner let go.
 *
 * @since 0.1.0
 * @category models
 */
export const Content = Schema.Struct({ held: Schema.Literal(0, 1), ...LogOwner.Owner.fields })

/**
 * @since 0.1.0
 * @category models
 */
export type Content = typeof Content.Type

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))
const isContent = conforms.make(Content)
const decodeUnknown = Schema.decodeUnknownOption(Content)

/**
 * Nearly always the very form that is written, for which a schema is slow: every opening of a session comes this way.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (text: string): Option.Option<Content> =>
  Option.flatMap(parse(text), (value) => (isContent(value) ? Option.some(value as Content) : decodeUnknown(value)))

const encoder = new TextEncoder()

/**
 * Of a lock that is held.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = (owner: LogOwner.Owner): Uint8Array => encoder.encode(JSON.stringify({ held: 1, ...owner }))

/**
 * Where the one byte stands that says whether it is held.
 *
 * @since 0.1.0
 * @category constants
 */
export const heldAt = '{"held":'.length

/**
 * What is written there to let go.
 *
 * @since 0.1.0
 * @category constants
 */
export const free = encoder.encode("0")
