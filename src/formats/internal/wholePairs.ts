/**
 * Conversations whose pairs of tool calls and results are whole already, as those of most files are.
 */
import * as Message from "../../session/Message.ts"

/** Whether there is nothing to mend, which most files show at a fifth of the price of mending. */
export const areWhole = (messages: ReadonlyArray<Message.Message>): boolean => {
  const ids = new Set<string>()
  let calls: ReadonlyArray<Message.ToolCallBlock> = []
  let answered = 0
  for (const message of messages) {
    const { content, role } = message
    if (answered < calls.length) {
      const [result] = content
      if (role !== "tool" || content.length !== 1 || result?.type !== "tool-result") return false
      if (result.name === "" || result.id !== calls[answered++]!.id) return false
      continue
    }
    if (role === "tool" || Message.isEmpty(message) || content.some(({ type }) => type === "tool-result")) return false
    calls = Message.toolCalls(message)
    answered = 0
    if (role === "user" && calls.length > 0) return false
    for (const { id } of calls) {
      if (id === "" || ids.has(id)) return false
      ids.add(id)
    }
  }
  return answered === calls.length
}

/** Where the places of these messages are, if results go with their calls: the next message that is no result. */
export const placesIn = (messages: ReadonlyArray<Message.Message>): ((index: number) => number) => {
  const starts = new Int32Array(messages.length)
  for (let at = messages.length - 1, start = messages.length; at >= 0; at--) {
    if (messages[at]!.role !== "tool") start = at
    starts[at] = start
  }
  return (index) => starts[index] ?? messages.length
}
