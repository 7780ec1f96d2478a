/**
 * How a provider tells our requests for a summary from the conversation's: by the first line of the instruction. A person
 * may ask for a summary too.
 *
 * @since 0.1.0
 */
import { firstLine } from "../../compaction/SummaryInstruction.ts"
import { contentText, contentTexts, type ChatMessage, type ChatRequest } from "./chatRequest.ts"

const begins = (text: string) => text.startsWith(`${firstLine}\n`)

/** The instruction may be one part of a message: where roles have to alternate, it stands behind what the user said. */
const isInstruction = (message: ChatMessage) => message.role === "user" && contentTexts(message).some(begins)

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
  const at = messages.findLastIndex(isInstruction)
  const message = messages[at]
  if (message === undefined) {
    return { messages: messages.slice(0, -1), instruction: contentText(messages.at(-1) ?? { role: "user" }) }
  }
  const texts = contentTexts(message)
  const part = texts.findIndex(begins)
  const before = texts.slice(0, part).map((content) => ({ role: "user", content }))
  return { messages: [...messages.slice(0, at), ...before], instruction: texts.slice(part).join("\n") }
}
