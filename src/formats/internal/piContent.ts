// The content of the pi coding agent's messages, as blocks.
import * as Message from "../../session/Message.ts"
import { fields, inlineImage, list, nonEmpty, reasoning, text, textBlocks } from "./values.ts"

export const resultBlock = (value: unknown): Message.ResultBlock => {
  const part = fields(value)
  if (part["type"] === "text") return Message.textBlock(text(part["text"]))
  return part["type"] === "image" ? inlineImage(part["data"], part["mimeType"]) : { type: "unknown", value }
}

export const block = (value: unknown): Message.Block => {
  const part = fields(value)
  if (part["type"] === "thinking") {
    const signature = nonEmpty(part["thinkingSignature"])
    return reasoning(text(part["thinking"]), signature === undefined ? {} : { signature })
  }
  return part["type"] === "toolCall"
    ? Message.toolCall(text(part["id"]), text(part["name"]), part["arguments"] ?? {})
    : resultBlock(value)
}

export const content = (value: unknown): ReadonlyArray<Message.Block> =>
  typeof value === "string" ? textBlocks(value) : list(value).map(block)
