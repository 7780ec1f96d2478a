/**
 * Messages whose long texts are still bytes of the log. They stay inside the columns of a surface: who asks for one gets the
 * whole message.
 *
 * @since 0.1.0
 */
import type { Block, Message } from "./Message.ts"
import * as Outline from "./Outline.ts"

/**
 * The texts that were left out of a message, in order: from the number at `first` on, `places` says where in `bytes` each begins
 * and ends, two numbers a text. Messages of one batch share what they can: most of a large log's memory is this.
 *
 * @since 0.1.0
 * @category models
 */
export interface Texts {
  readonly bytes: Uint8Array
  readonly places: ReadonlyArray<number>
  readonly first: number
}

/**
 * The placeholder stands for each text that was left out.
 *
 * @since 0.1.0
 * @category models
 */
export interface UnreadMessage extends Message {
  readonly unread: Texts
}

const decoder = new TextDecoder()

/**
 * How many texts were left out of these blocks.
 *
 * @since 0.1.0
 * @category getters
 */
export const leftOut = (blocks: ReadonlyArray<Block>): number => {
  let count = 0
  for (const block of blocks) {
    if (block.type === "tool-result") count += leftOut(block.content)
    else if ("text" in block && block.text === Outline.placeholder) count++
  }
  return count
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ content, metadata, role }: Message, unread: Texts): UnreadMessage =>
  metadata === undefined ? { role, content, unread } : { role, content, metadata, unread }

const isUnread = (message: Message): message is UnreadMessage =>
  (message as Partial<UnreadMessage>).unread !== undefined

/**
 * The message with all its texts; one that is whole is given back.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (message: Message): Message => {
  if (!isUnread(message)) return message
  const { unread, ...outline } = message
  let next = unread.first
  const filled = <B extends Block>(block: B): B => {
    if (block.type === "tool-result") return { ...block, content: block.content.map(filled) }
    if (!("text" in block) || block.text !== Outline.placeholder) return block
    const json = unread.bytes.subarray(unread.places[next++], unread.places[next++])
    return { ...block, text: JSON.parse(decoder.decode(json)) as string }
  }
  return { ...outline, content: outline.content.map(filled) }
}
