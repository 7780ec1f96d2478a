/**
 * What a session file of any tool holds, in this library's own terms.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ToolSchema } from "../session/Envelope.ts"
import { exactOptional } from "../session/exactOptional.ts"
import { SessionId } from "../session/Ids.ts"
import { Message } from "../session/Message.ts"

/**
 * One conversation. Its pairs are whole: each tool message holds one result and stands right behind its call, in call
 * order, and no call is without its result. `notes` says in sentences what had to be mended for that, and what was odd.
 *
 * @since 0.1.0
 * @category models
 */
export const Session = Schema.Struct({
  id: SessionId,
  system: exactOptional(Schema.String),
  tools: exactOptional(Schema.Array(ToolSchema)),
  messages: Schema.Array(Message),
  notes: Schema.Array(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Session = typeof Session.Type

/**
 * All conversations of one file; `format` is the name of the format that it was read as.
 *
 * @since 0.1.0
 * @category models
 */
export const Transcript = Schema.Struct({ format: Schema.String, sessions: Schema.NonEmptyArray(Session) })

/**
 * @since 0.1.0
 * @category models
 */
export type Transcript = typeof Transcript.Type

/**
 * Session ids made of what a file calls its conversations: control characters out, cut to length, each used once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const uniqueIds = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return names.map((name) => {
    // a cut by code point, since half a surrogate pair is no name
    const base = [...name.replace(/\p{Cc}/gu, " ").trim()].slice(0, 80).join("") || "session"
    let id = base
    for (let count = 2; taken.has(id); count++) id = `${base}-${count}`
    taken.add(id)
    return id
  })
}
