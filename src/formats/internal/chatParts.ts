// The parts of a chat message's content, as blocks and back.
import * as Message from "../../session/Message.ts"
import { isRecord } from "../Format.ts"

type Media = Message.ImageBlock | Message.FileBlock

export const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,/u

const unknownBlock = (value: unknown): Message.ResultBlock => ({ type: "unknown", value })

/** Bytes inline or elsewhere: `data:` URLs come apart, anything else stays a URL. */
const fromUrl = (url: string): { readonly source: Message.Source; readonly mediaType?: string } => {
  const match = dataUrl.exec(url)
  if (match === null) return { source: { type: "url", url } }
  const mediaType = match[1]
  return {
    source: { type: "base64", base64: url.slice(match[0].length) },
    ...(mediaType === undefined || mediaType === "" ? {} : { mediaType })
  }
}

const image = (value: unknown): Message.ResultBlock | undefined => {
  const url = typeof value === "string" ? value : isRecord(value) ? value["url"] : undefined
  return typeof url === "string" && url !== "" ? { type: "image", ...fromUrl(url) } : undefined
}

const file = (value: unknown): Message.ResultBlock | undefined => {
  if (!isRecord(value)) return undefined
  const { file_data: data, file_id: id, filename } = value
  const name = typeof filename === "string" ? { name: filename } : {}
  if (typeof id === "string" && id !== "") return { type: "file", source: { type: "blob", blob: id }, ...name }
  if (typeof data !== "string") return undefined
  return dataUrl.test(data)
    ? { type: "file", ...fromUrl(data), ...name }
    : { type: "file", source: { type: "base64", base64: data }, ...name }
}

const part = (value: unknown): Message.ResultBlock => {
  if (typeof value === "string") return Message.textBlock(value)
  if (!isRecord(value)) return Message.textBlock(JSON.stringify(value))
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string" ? Message.textBlock(value["text"]) : unknownBlock(value)
    case "refusal":
      return typeof value["refusal"] === "string" ? Message.textBlock(value["refusal"]) : unknownBlock(value)
    case "image_url":
      return image(value["image_url"]) ?? unknownBlock(value)
    case "file":
      return file(value["file"]) ?? unknownBlock(value)
    default:
      return unknownBlock(value)
  }
}

const says = (block: Message.ResultBlock) => block.type !== "text" || block.text !== ""

/** Content of any form that is met: null, text, a list of parts, or a single part without its list. */
export const decodeContent = (content: unknown): ReadonlyArray<Message.ResultBlock> => {
  if (content === null || content === undefined) return []
  return (Array.isArray(content) ? content : [content]).map(part).filter(says)
}

/**
 * A part of a message's content, as servers take it.
 *
 * @since 0.1.0
 * @category models
 */
export type ChatPart = Readonly<Record<string, unknown>>

const text = (value: string): ChatPart => ({ type: "text", text: value })

const inline = (base64: string, mediaType: string | undefined) => `data:${mediaType ?? ""};base64,${base64}`

// The form has a place for an image by URL or inline and for a file by id or inline. Anything else is named in text.
const media = (block: Media): ChatPart => {
  const { source } = block
  if (block.type === "image" && source.type !== "blob") {
    const url = source.type === "url" ? source.url : inline(source.base64, block.mediaType)
    return { type: "image_url", image_url: { url } }
  }
  const name = block.type === "file" && block.name !== undefined ? { filename: block.name } : {}
  if (block.type === "file" && source.type === "blob") return { type: "file", file: { file_id: source.blob, ...name } }
  if (source.type === "base64") {
    const data = block.mediaType === undefined ? source.base64 : inline(source.base64, block.mediaType)
    return { type: "file", file: { file_data: data, ...name } }
  }
  const where = source.type === "url" ? source.url : source.blob
  return text(`[${block.type}${block.type === "file" && block.name !== undefined ? ` ${block.name}` : ""}: ${where}]`)
}

export const encodePart = (block: Message.ResultBlock): ChatPart => {
  switch (block.type) {
    case "text":
      return text(block.text)
    case "unknown":
      return isRecord(block.value) ? block.value : text(JSON.stringify(block.value) ?? "")
    default:
      return media(block)
  }
}

/** One text is a plain string; several blocks stay several parts, so that reading them again gives the same. */
export const encodeContent = (blocks: ReadonlyArray<Message.ResultBlock>): string | ReadonlyArray<ChatPart> => {
  const [first] = blocks
  if (first === undefined) return ""
  return blocks.length === 1 && first.type === "text" ? first.text : blocks.map(encodePart)
}
