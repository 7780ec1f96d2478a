/**
 * What a surface holds for a message until somebody asks for it: the message itself, or what it is made from. It stays inside
 * the columns of a surface, where asking once makes it whole.
 *
 * @since 0.1.0
 */
import type { Message, ResultBlock } from "./Message.ts"
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
 * An event whose message is still bytes of the log. It has as much of it as a fold looks at: the calls that it makes, or the
 * result that it brings without that one's content.
 *
 * @since 0.1.0
 * @category models
 */
export type UnreadEvent = SessionEvent.SurfaceBody & { readonly unread: Unread }

/**
 * A message, a tool result as its event says it, or an event that was not read.
 *
 * @since 0.1.0
 * @category models
 */
export type HeldMessage = Message | SessionEvent.Result | UnreadEvent

/**
 * What a surface event brings. Nothing is made for it: the message of a result would be three objects, that most never need
 * before the next request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (event: SessionEvent.SurfaceBody & { readonly unread?: Unread }): HeldMessage => {
  if (event.unread !== undefined) return event as UnreadEvent
  return event.type === "message/tool-result" ? event.data : event.data.message
}

const isUnread = (held: HeldMessage): held is UnreadEvent => "unread" in held
const isResult = (held: HeldMessage): held is SessionEvent.Result => "callId" in held

/**
 * The call that a result answers which is no message yet.
 *
 * @since 0.1.0
 * @category getters
 */
export const answers = (held: HeldMessage): string | undefined => {
  if (isResult(held)) return held.callId
  return isUnread(held) && held.type === "message/tool-result" ? held.data.callId : undefined
}

/**
 * The message as far as a fold looks at it. Reads no bytes.
 *
 * @since 0.1.0
 * @category conversions
 */
export const outline = (held: HeldMessage): Message => {
  if (isUnread(held)) return SessionEvent.messageOf(held)
  return isResult(held) ? SessionEvent.resultMessage(held) : held
}

const decoder = new TextDecoder()

const parsed = ({ bytes, from, to }: Unread): unknown => JSON.parse(decoder.decode(bytes.subarray(from, to)))

/**
 * The whole message; one that is there is given back.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (held: HeldMessage): Message => {
  if (!isUnread(held)) return outline(held)
  const value = parsed(held.unread)
  return held.type === "message/tool-result"
    ? SessionEvent.resultMessage({ ...held.data, content: value as ReadonlyArray<ResultBlock> })
    : (value as Message)
}
