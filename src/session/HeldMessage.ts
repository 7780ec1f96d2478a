/**
 * What a surface holds for a message until somebody asks for it: the message itself, a tool result as its event says it, or
 * a message whose texts are still bytes of the log. It stays inside the columns of a surface, where asking once makes it whole.
 *
 * @since 0.1.0
 */
import type { Message, ResultBlock, ToolResultBlock } from "./Message.ts"
import * as SessionEvent from "./SessionEvent.ts"

/**
 * The JSON of a message, or of a tool result's content, which was verified and not read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unread {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/**
 * A message as far as a fold looks at it: `content` has the calls that it makes, or the result that it brings without that
 * one's content.
 *
 * @since 0.1.0
 * @category models
 */
export interface UnreadMessage extends Message {
  readonly unread: Unread
}

/**
 * @since 0.1.0
 * @category models
 */
export type HeldMessage = Message | UnreadMessage | SessionEvent.Result

const decoder = new TextDecoder()

/**
 * @since 0.1.0
 * @category constructors
 */
export const unread = ({ content, metadata, role }: Message, bytes: Unread): UnreadMessage =>
  // the metadata of a result stands beside its content, and what is not in the bytes has to be kept here
  role === "tool" && metadata !== undefined
    ? { role, content, metadata, unread: bytes }
    : { role, content, unread: bytes }

/**
 * What a surface event brings. A tool result stays what the event has: its message would be three more objects, that most
 * never need before the next request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (event: SessionEvent.SurfaceBody & { readonly unread?: Unread }): HeldMessage => {
  if (event.unread !== undefined) return unread(SessionEvent.messageOf(event), event.unread)
  return event.type === "message/tool-result" ? event.data : event.data.message
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isResult = (held: HeldMessage): held is SessionEvent.Result => "callId" in held

/**
 * The message as far as a fold looks at it. Reads no bytes.
 *
 * @since 0.1.0
 * @category conversions
 */
export const outline = (held: HeldMessage): Message => (isResult(held) ? SessionEvent.resultMessage(held) : held)

/**
 * The whole message; one that was read is given back.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (held: HeldMessage): Message => {
  const { unread } = held as Partial<UnreadMessage>
  if (isResult(held) || unread === undefined) return outline(held)
  const value: unknown = JSON.parse(decoder.decode(unread.bytes.subarray(unread.from, unread.to)))
  if (held.role !== "tool") return value as Message
  const result = held.content[0] as ToolResultBlock
  const content = [{ ...result, content: value as ReadonlyArray<ResultBlock> }]
  return held.metadata === undefined ? { role: "tool", content } : { role: "tool", content, metadata: held.metadata }
}
