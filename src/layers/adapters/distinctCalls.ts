/**
 * Gives each call of a conversation an id of its own. Some servers number the calls of each answer anew, and a provider that
 * such a conversation moves to refuses an id that comes twice.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"

/**
 * A call whose id an earlier one has gets another, and so does the result that follows it; all else stays. What a message
 * becomes depends on those before it alone, so that a longer conversation begins as a shorter one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const distinctCalls = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> => {
  const taken = new Set<string>()
  /** By the id that a call came with: the one that its newest call has now. */
  const current = new Map<string, string>()

  const called = (id: string): string => {
    let own = id
    for (let n = 2; taken.has(own); n++) own = `${id}#${n}`
    taken.add(own)
    current.set(id, own)
    return own
  }

  const renamed = <B extends Message.ToolCallBlock | Message.ToolResultBlock>(block: B, id: string): B =>
    id === block.id ? block : { ...block, id }

  const distinct = (block: Message.Block): Message.Block => {
    if (block.type === "tool-call") return renamed(block, called(block.id))
    return block.type === "tool-result" ? renamed(block, current.get(block.id) ?? block.id) : block
  }

  return messages.map((message) => {
    const content = message.content.map(distinct)
    return content.every((block, i) => block === message.content[i]) ? message : { ...message, content }
  })
}
