// What Gemini's API calls parts, as blocks.
import * as Message from "../../session/Message.ts"
import { fields, type Fields, inlineImage, json, list, nonEmpty, reasoning, text } from "./values.ts"

const media = (part: Fields): Message.ResultBlock | undefined => {
  const inline = fields(part["inlineData"])
  const mediaType = nonEmpty(inline["mimeType"])
  if (typeof inline["data"] === "string") {
    return mediaType?.startsWith("image/") === true
      ? inlineImage(inline["data"], mediaType)
      : {
          type: "file",
          source: { type: "base64", base64: inline["data"] },
          ...(mediaType === undefined ? {} : { mediaType })
        }
  }
  const url = nonEmpty(fields(part["fileData"])["fileUri"])
  return url === undefined ? undefined : { type: "file", source: { type: "url", url } }
}

/** What a function answered: a text under one of these names, or anything else as JSON. */
const responseText = (value: unknown): string => {
  const response = fields(value)
  const said = response["output"] ?? response["error"]
  return said === undefined || Object.keys(response).length > 1 ? json(value ?? "") : json(said)
}

export const functionResponse = (value: unknown, failed = false): Message.ToolResultBlock => {
  const response = fields(value)
  const parts = list(response["parts"]).flatMap((part) => media(fields(part)) ?? [])
  const isError = failed || "error" in fields(response["response"])
  return {
    type: "tool-result",
    id: text(response["id"]),
    name: text(response["name"]),
    content: [Message.textBlock(responseText(response["response"])), ...parts],
    ...(isError ? { isError } : {})
  }
}

const part = (value: unknown): Message.Block => {
  if (typeof value === "string") return Message.textBlock(value)
  const given = fields(value)
  const signature = nonEmpty(given["thoughtSignature"])
  if (typeof given["text"] === "string") {
    return given["thought"] === true
      ? reasoning(given["text"], signature === undefined ? {} : { signature })
      : Message.textBlock(given["text"])
  }
  if ("functionCall" in given) {
    const call = fields(given["functionCall"])
    return Message.toolCall(text(call["id"]), text(call["name"]), call["args"] ?? {})
  }
  if ("functionResponse" in given) return functionResponse(given["functionResponse"])
  return media(given) ?? { type: "unknown", value }
}

const says = (block: Message.Block): boolean => block.type !== "text" || block.text !== ""

export const parts = (value: unknown): ReadonlyArray<Message.Block> =>
  (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : value === undefined ? [] : [value]).map(part).filter(says)
