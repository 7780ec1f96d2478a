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

/** A message as far as a fold looks at it: `content` has the calls that it makes, without their arguments, or something. */
interface UnreadMessage extends Message, Unread {}

/** A tool result without its content. */
interface UnreadResult extends Omit<SessionEvent.Result, "content" | "counts">, Unread {}

/** A tool result as its event says it. */
type Result = Omit<SessionEvent.Result, "counts"> | UnreadResult

/**
 * @since 0.1.0
 * @category models
 */
export type HeldMessage = Message | UnreadMessage | Result

const unread = (event: SessionEvent.SurfaceBody, { bytes, from, to }: Unread): UnreadMessage | UnreadResult => {
  if (event.type !== "message/tool-result") {
    const { content, role } = event.data.message
    return { role, content, bytes, from, to }
  }
  const { callId, isError, metadata, name } = event.data
  return { callId, name, isError, metadata, bytes, from, to } as UnreadResult
}

/**
 * What a surface event brings. A result is no message yet: that would be three objects, which most never need before the next
 * request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (event: SessionEvent.SurfaceBody & { readonly unread?: Unread }): HeldMessage => {
  if (event.unread !== undefined) return unread(event, event.unread)
  return event.type === "message/tool-result" ? event.data : event.data.message
}

const isResult = (held: HeldMessage): held is Result => (held as Partial<Result>).callId !== undefined

/**
 * The call that a result answers which is no message yet.
 *
 * @since 0.1.0
 * @category getters
 */
export const answers = (held: HeldMessage): string | undefined => (isResult(held) ? held.callId : undefined)

const isUnread = (held: HeldMessage): held is UnreadMessage | UnreadResult =>
  (held as Partial<Unread>).bytes !== undefined

const nothing: ReadonlyArray<never> = []

/**
 * The message as far as a fold looks at it. Reads no bytes.
 *
 * @since 0.1.0
 * @category conversions
 */
export const outline = (held: HeldMessage): Message => {
  if (!isResult(held)) return held
  return SessionEvent.resultMessage(isUnread(held) ? { ...held, content: nothing } : held)
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
  const value = parsed(held)
  return isResult(held)
    ? SessionEvent.resultMessage({ ...held, content: value as ReadonlyArray<ResultBlock> })
    : (value as Message)
}
