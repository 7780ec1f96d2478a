/**
 * Messages that are still bytes of the log. They stay inside the columns of a surface: who asks for one gets the whole message.
 *
 * @since 0.1.0
 */
import type { Message, ResultBlock, ToolResultBlock } from "./Message.ts"

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

const decoder = new TextDecoder()

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ content, metadata, role }: Message, unread: Unread): UnreadMessage =>
  // the metadata of a result stands beside its content, and what is not in the bytes has to be kept here
  role === "tool" && metadata !== undefined ? { role, content, metadata, unread } : { role, content, unread }

/**
 * The whole message; one that was read is given back.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (message: Message): Message => {
  const { unread } = message as Partial<UnreadMessage>
  if (unread === undefined) return message
  const value: unknown = JSON.parse(decoder.decode(unread.bytes.subarray(unread.from, unread.to)))
  if (message.role !== "tool") return value as Message
  const result = message.content[0] as ToolResultBlock
  const content = [{ ...result, content: value as ReadonlyArray<ResultBlock> }]
  return message.metadata === undefined
    ? { role: "tool", content }
    : { role: "tool", content, metadata: message.metadata }
}
