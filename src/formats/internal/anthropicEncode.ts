// Blocks as Anthropic's messages hold them: the other way of `anthropicContent`.
import type * as Message from "../../session/Message.ts"
import { isRecord } from "../Format.ts"
import { block as decodeBlock } from "./anthropicContent.ts"
import { argumentsOf, type Losses, unknownPart } from "./encoding.ts"
import { nonEmpty } from "./values.ts"

export type Part = Readonly<Record<string, unknown>>

const text = (value: string): Part => ({ type: "text", text: value })

const sourceOf = ({ mediaType, source }: Message.ImageBlock | Message.FileBlock): Part => {
  switch (source.type) {
    case "url":
      return { type: "url", url: source.url }
    case "blob":
      return { type: "file", file_id: source.blob }
    case "base64":
      return { type: "base64", ...(mediaType === undefined ? {} : { media_type: mediaType }), data: source.base64 }
  }
}

const media = (block: Message.ImageBlock | Message.FileBlock, { noPlace }: Losses): Part => {
  const source = sourceOf(block)
  if (block.mediaType !== undefined && source["media_type"] !== nonEmpty(block.mediaType)) {
    noPlace("the media type of what is not inline")
  }
  if (block.type === "image") {
    if (block.width !== undefined || block.height !== undefined) noPlace("the pixel size of an image")
    return { type: "image", source }
  }
  if (block.pages !== undefined) noPlace("the number of pages of a file")
  const title = nonEmpty(block.name)
  if (title !== block.name) noPlace("an empty name of a file")
  return { type: "document", source, ...(title === undefined ? {} : { title }) }
}

const reasoning = (block: Message.ReasoningBlock, { noPlace }: Losses): Part => {
  if (block.provider !== undefined) noPlace("which provider sealed the reasoning")
  if (block.redacted === undefined) {
    if (block.signature === "") noPlace("an empty seal of reasoning")
    const signature = nonEmpty(block.signature)
    return { type: "thinking", thinking: block.text, ...(signature === undefined ? {} : { signature }) }
  }
  if (block.text !== "" || block.signature !== undefined) noPlace("the text of reasoning beside its encrypted form")
  return { type: "redacted_thinking", data: block.redacted }
}

const said = (block: Message.ResultBlock, losses: Losses): Part => {
  if (block.type === "text") return text(block.text)
  return block.type === "unknown" ? unknownPart(losses, block, decodeBlock) : media(block, losses)
}

/** One text is a plain string; several blocks stay several parts, so that reading them again gives the same. */
export const content = (parts: ReadonlyArray<Part>): string | ReadonlyArray<Part> => {
  const [first] = parts
  const only = parts.length === 1 && first?.["type"] === "text" ? nonEmpty(first["text"]) : undefined
  return only ?? parts
}

export const part = (block: Message.Block, losses: Losses): Part => {
  switch (block.type) {
    case "reasoning":
      return reasoning(block, losses)
    case "tool-call":
      if (!isRecord(block.arguments)) losses.noPlace("arguments that are no object: they stand there all the same")
      return { type: "tool_use", id: block.id, name: block.name, input: argumentsOf(losses, block) }
    case "tool-result":
      return {
        type: "tool_result",
        tool_use_id: block.id,
        content: content(block.content.map((each) => said(each, losses))),
        ...(block.isError === true ? { is_error: true } : {})
      }
    default:
      return said(block, losses)
  }
}
