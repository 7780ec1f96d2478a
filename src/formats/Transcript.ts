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
import { Usage } from "../session/Usage.ts"

/**
 * What the provider counted for one request of the session. The request's prompt is what comes before the message at
 * `at`, after the newest compaction before it; the message at `at` is its answer, unless the answer was empty.
 *
 * `place` says where in the file this stands, in the file's own terms ("line 12"). `provider` and `model` are absent
 * where the file does not say. `counted: "relay"`: somebody between us and the provider counted, in a way of its own.
 * `system` and `tools` are given where they were others than the session's, which are those of its end.
 *
 * @since 0.1.0
 * @category models
 */
export const Request = Schema.Struct({
  at: Schema.NonNegativeInt,
  place: Schema.String,
  provider: exactOptional(Schema.NonEmptyString),
  model: exactOptional(Schema.NonEmptyString),
  system: exactOptional(Schema.String),
  tools: exactOptional(Schema.Array(ToolSchema)),
  usage: Usage,
  counted: Schema.Literal("provider", "relay")
})

/**
 * @since 0.1.0
 * @category models
 */
export type Request = typeof Request.Type

/**
 * The tool compacted before the message at `at`: from then on the model saw `head`, then the messages from `keptFrom`.
 *
 * @since 0.1.0
 * @category models
 */
export const Compaction = Schema.Struct({
  at: Schema.NonNegativeInt,
  head: Schema.Array(Message),
  keptFrom: Schema.NonNegativeInt
})

/**
 * @since 0.1.0
 * @category models
 */
export type Compaction = typeof Compaction.Type

/**
 * How much of what a request carries is in the file: everything, all but the tool schemas, or only the messages, so that
 * its system prompt and tools are a hidden prefix of unknown size.
 *
 * @since 0.1.0
 * @category models
 */
export const Visible = Schema.Literal("full", "no-tool-schemas", "messages")

/**
 * @since 0.1.0
 * @category models
 */
export type Visible = typeof Visible.Type

/**
 * One conversation. Its pairs are whole: each tool message holds one result and stands right behind its call, in call
 * order, and no call is without its result. `notes` says in sentences what had to be mended for that, and what was odd.
 *
 * `requests` and `compactions` are in the order of the session, and empty where the file has none; `visible` is given
 * where there are requests.
 *
 * @since 0.1.0
 * @category models
 */
export const Session = Schema.Struct({
  id: SessionId,
  system: exactOptional(Schema.String),
  tools: exactOptional(Schema.Array(ToolSchema)),
  messages: Schema.Array(Message),
  requests: Schema.Array(Request),
  compactions: Schema.Array(Compaction),
  visible: exactOptional(Visible),
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
