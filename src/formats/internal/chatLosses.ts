// What chat messages have no place for, told without looking at how they are written.
import type * as Message from "../../session/Message.ts"
import { decodeContent, encodePart } from "./chatParts.ts"
import { compare, isSystem, type Losses } from "./encoding.ts"

const ofContent = (block: Message.ResultBlock, losses: Losses): void => {
  if (block.type !== "text") return compare(losses, block, decodeContent([encodePart(block)])[0])
  if (block.text === "") losses.noPlace("an empty text beside other blocks")
}

const ofReasoning = (content: ReadonlyArray<Message.Block>, { noPlace }: Losses): void => {
  for (const block of content) {
    if (block.type !== "reasoning") continue
    noPlace(
      block.text === ""
        ? "reasoning without a text"
        : "reasoning in OpenAI's own API: it is in reasoning_content, which other servers know"
    )
    if (block.signature !== undefined || block.redacted !== undefined || block.provider !== undefined) {
      noPlace("the seal of reasoning")
    }
  }
}

/** An answer is reasoning, then content, then calls. */
const rank = (block: Message.Block): number => (block.type === "reasoning" ? 0 : block.type === "tool-call" ? 2 : 1)

const isInOrder = (content: ReadonlyArray<Message.Block>): boolean =>
  content.filter(({ type }) => type === "reasoning").length < 2 &&
  content.every((block, index) => index === 0 || rank(content[index - 1]!) <= rank(block))

export const chatLosses = (losses: Losses, messages: ReadonlyArray<Message.Message>): void => {
  for (const [index, message] of messages.entries()) {
    const { content, metadata, role } = message
    if (metadata !== undefined && (index === 0 || !isSystem(message))) {
      losses.noPlace("what an application keeps with a message")
    }
    ofReasoning(content, losses)
    if (role === "assistant" && !isInOrder(content)) losses.noPlace("the order of an answer's blocks")
    for (const block of content) {
      if (block.type === "tool-result") for (const said of block.content) ofContent(said, losses)
      else if (block.type !== "reasoning" && block.type !== "tool-call") ofContent(block, losses)
    }
  }
}
