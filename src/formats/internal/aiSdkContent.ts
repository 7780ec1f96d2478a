// The content of the AI SDK's model messages, as blocks.
import * as Message from "../../session/Message.ts"
import { ownField, ownMetadata } from "./encoding.ts"
import { fields, type Fields, json, list, nonEmpty, reasoning, text, textBlocks } from "./values.ts"
import { dataUrl } from "./chatParts.ts"

const unknown = (value: unknown): Message.UnknownBlock => ({ type: "unknown", value })

interface Located {
  readonly source: Message.Source
  readonly mediaType?: string
}

const typed = (mediaType: unknown): { readonly mediaType?: string } => {
  const known = nonEmpty(mediaType)
  return known === undefined ? {} : { mediaType: known }
}

/** Bytes in base64, a URL, or a URL that holds the bytes. */
const located = (data: unknown, mediaType: unknown): Located | undefined => {
  if (typeof data !== "string") return undefined
  const inline = dataUrl.exec(data)
  if (inline !== null) {
    const base64 = data.slice(inline[0].length)
    return { source: { type: "base64", base64 }, ...typed(nonEmpty(mediaType) ?? inline[1]) }
  }
  return /^[a-z][a-z0-9+.-]*:/iu.test(data)
    ? { source: { type: "url", url: data }, ...typed(mediaType) }
    : { source: { type: "base64", base64: data }, ...typed(mediaType) }
}

/** What the format has no field for, and our encoder keeps. */
const own = (part: Fields): Fields => fields(fields(part["providerOptions"])[ownField])

const size = (value: unknown): number | undefined => (typeof value === "number" && value > 0 ? value : undefined)

const image = (part: Fields, data: unknown): Message.ResultBlock => {
  const found = located(data, part["mediaType"])
  if (found === undefined) return unknown(part)
  const width = size(own(part)["width"])
  const height = size(own(part)["height"])
  return {
    type: "image",
    ...found,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height })
  }
}

const file = (part: Fields, data: unknown): Message.ResultBlock => {
  const found = located(data, part["mediaType"])
  if (found === undefined) return unknown(part)
  const pages = size(own(part)["pages"])
  const name = part["filename"]
  return {
    type: "file",
    ...found,
    ...(typeof name === "string" ? { name } : {}),
    ...(pages === undefined ? {} : { pages })
  }
}

/** Results may hold lists of parts, under names of their own. */
export const resultPart = (value: unknown): Message.ResultBlock => {
  const part = fields(value)
  switch (part["type"]) {
    case "text":
      return Message.textBlock(text(part["text"]))
    case "image-data":
      return image(part, part["data"])
    case "image-url":
      return image(part, part["url"])
    case "file-data":
      return file(part, part["data"])
    case "file-url":
      return file(part, part["url"])
    case "media":
      return text(part["mediaType"]).startsWith("image/") ? image(part, part["data"]) : file(part, part["data"])
    default:
      return unknown(value)
  }
}

interface Output {
  readonly content: ReadonlyArray<Message.ResultBlock>
  readonly isError?: true
}

const output = (part: Fields): Output => {
  const given = fields(part["output"])
  const failed = own(part)["isError"] === true || part["isError"] === true ? ({ isError: true } as const) : {}
  switch (given["type"]) {
    case "text":
      return { content: textBlocks(given["value"]), ...failed }
    case "error-text":
      return { content: textBlocks(given["value"]), isError: true }
    case "json":
      return { content: textBlocks(json(given["value"])), ...failed }
    case "error-json":
      return { content: textBlocks(json(given["value"])), isError: true }
    case "content":
      return { content: list(given["value"]).map(resultPart), ...failed }
    case "execution-denied":
      return { content: textBlocks(nonEmpty(given["reason"]) ?? "the call was not allowed"), isError: true }
    default:
      // before version 5 the result stood there as it was
      return { content: textBlocks(json(part["result"] ?? part["output"] ?? "")), ...failed }
  }
}

const sealed = (
  part: Fields
): { readonly signature?: string; readonly redacted?: string; readonly provider?: string } => {
  for (const [provider, options] of Object.entries(fields(part["providerOptions"]))) {
    const signature = nonEmpty(fields(options)["signature"])
    const redacted = fields(options)["redactedData"]
    if (signature === undefined && typeof redacted !== "string") continue
    return {
      ...(signature === undefined ? {} : { signature }),
      ...(typeof redacted === "string" ? { redacted } : {}),
      // messages of Anthropic's own form do not say whose seal it is either
      ...(provider === "anthropic" ? {} : { provider })
    }
  }
  return {}
}

export const block = (value: unknown): Message.Block => {
  const part = fields(value)
  switch (part["type"]) {
    case "text":
      return Message.textBlock(text(part["text"]))
    case "reasoning":
      return reasoning(text(part["text"]), sealed(part))
    case "image":
      return image(part, part["image"])
    case "file":
      return text(part["mediaType"]).startsWith("image/") ? image(part, part["data"]) : file(part, part["data"])
    case "tool-call":
      return Message.toolCall(text(part["toolCallId"]), text(part["toolName"]), part["input"] ?? part["args"] ?? {})
    case "tool-result":
      return { type: "tool-result", id: text(part["toolCallId"]), name: text(part["toolName"]), ...output(part) }
    default:
      return unknown(value)
  }
}

export const content = (value: unknown): ReadonlyArray<Message.Block> =>
  typeof value === "string" ? textBlocks(value) : list(value).map(block)

/** What an application keeps with a message, where our encoder wrote it. */
export const metadata = (value: unknown): { readonly metadata?: Message.Metadata } =>
  ownMetadata(fields(fields(value)["providerOptions"]))
