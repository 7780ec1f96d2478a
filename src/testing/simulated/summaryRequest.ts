/**
 * How a provider tells our requests for a summary from the conversation's: by the first line of the instruction. A person
 * may ask for a summary too.
 *
 * @since 0.1.0
 */
import { firstLine } from "../../compaction/SummaryInstruction.ts"
import { contentText, type ChatMessage, type ChatRequest } from "./chatRequest.ts"

const isInstruction = (message: ChatMessage) =>
  message.role === "user" && contentText(message).startsWith(`${firstLine}\n`)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isSummaryRequest = ({ messages }: ChatRequest): boolean => messages.some(isInstruction)

/**
 * The instruction, and what it is about: the messages before it. Where there is none of ours, the last message is it.
 *
 * @since 0.1.0
 * @category getters
 */
export const partsOf = ({
  messages
}: ChatRequest): { readonly messages: ReadonlyArray<ChatMessage>; readonly instruction: string } => {
  const found = messages.findLastIndex(isInstruction)
  const at = found === -1 ? messages.length - 1 : found
  return { messages: messages.slice(0, at), instruction: contentText(messages[at] ?? { role: "user" }) }
}
