// The content of Anthropic's messages, as blocks: Claude Code's records hold it too.
import * as Message from "../../session/Message.ts"
import { fields, type Fields, inlineImage, list, nonEmpty, reasoning, text, textBlocks } from "./values.ts"

const sourceOf = (source: Fields): Message.Source | undefined => {
  const url = nonEmpty(source["url"])
  const file = nonEmpty(source["file_id"])
  if (source["type"] === "url" && url !== undefined) return { type: "url", url }
  return source["type"] === "file" && file !== undefined ? { type: "blob", blob: file } : undefined
}

const image = (part: Fields): Message.ResultBlock => {
  const given = fields(part["source"])
  if (given["type"] === "base64") return inlineImage(given["data"], given["media_type"])
  const source = sourceOf(given)
  return source === undefined ? { type: "unknown", value: part } : { type: "image", source }
}

const document = (part: Fields): Message.ResultBlock => {
  const given = fields(part["source"])
  const title = nonEmpty(part["title"])
  const name = title === undefined ? {} : { name: title }
  if (given["type"] === "base64") {
    const mediaType = nonEmpty(given["media_type"])
    return {
      type: "file",
      source: { type: "base64", base64: text(given["data"]) },
      ...(mediaType === undefined ? {} : { mediaType }),
      ...name
    }
  }
  const source = sourceOf(given)
  return source === undefined ? { type: "unknown", value: part } : { type: "file", source, ...name }
}

const resultBlock = (value: unknown): Message.ResultBlock => {
  const part = fields(value)
  switch (part["type"]) {
    case "text":
      return Message.textBlock(text(part["text"]))
    case "image":
      return image(part)
    case "document":
      return document(part)
    default:
      return { type: "unknown", value: part }
  }
}

const resultContent = (value: unknown): ReadonlyArray<Message.ResultBlock> =>
  typeof value === "string" ? textBlocks(value) : list(value).map(resultBlock)

export const block = (value: unknown): Message.Block => {
  const part = fields(value)
  switch (part["type"]) {
    case "thinking": {
      const signature = nonEmpty(part["signature"])
      return reasoning(text(part["thinking"]), signature === undefined ? {} : { signature })
    }
    case "redacted_thinking":
      return reasoning("", { redacted: text(part["data"]) })
    case "tool_use":
      return Message.toolCall(text(part["id"]), text(part["name"]), part["input"] ?? {})
    case "tool_result":
      return {
        type: "tool-result",
        id: text(part["tool_use_id"]),
        name: "",
        content: resultContent(part["content"]),
        ...(part["is_error"] === true ? { isError: true } : {})
      }
    default:
      return resultBlock(value)
  }
}

export const content = (value: unknown): ReadonlyArray<Message.Block> =>
  typeof value === "string" ? textBlocks(value) : list(value).map(block)
