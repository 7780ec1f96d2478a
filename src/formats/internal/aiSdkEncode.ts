// Blocks as the AI SDK's model messages hold them: the other way of `aiSdkContent`. What a part has no field for goes into
// `providerOptions`, under our own name, where the SDK leaves it alone.
import * as Message from "../../session/Message.ts"
import * as Decode from "./aiSdkContent.ts"
import { argumentsOf, isSystem, type Losses, named, ownField, unknownPart } from "./encoding.ts"
import { nonEmpty } from "./values.ts"

type Part = Readonly<Record<string, unknown>>

const options = (own: Part): Part => (Object.keys(own).length === 0 ? {} : { providerOptions: { [ownField]: own } })

const defined = (entries: Readonly<Record<string, unknown>>): Part =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))

const text = (value: string): Part => ({ type: "text", text: value })

type Media = Message.ImageBlock | Message.FileBlock

/** A URL that the reader takes for one, or bytes. */
const dataOf = ({ source }: Media): string | undefined => {
  if (source.type === "base64") return source.base64.includes(":") ? undefined : source.base64
  return source.type === "url" && /^(?!data:)[a-z][a-z0-9+.-]*:/iu.test(source.url) ? source.url : undefined
}

/** `inResult`: lists of parts in results have other names for the same. */
const media = (block: Media, inResult: boolean, { noPlace }: Losses): Part => {
  const data = dataOf(block)
  const isImageFile = block.type === "file" && !inResult && (block.mediaType ?? "").startsWith("image/")
  if (data === undefined || block.mediaType === "" || isImageFile) {
    noPlace(`such ${block.type === "image" ? "an image" : "a file"}: it is named in text`)
    return text(named(block).text)
  }
  const { mediaType } = block
  const isUrl = block.source.type === "url"
  if (block.type === "image") {
    const more = { ...defined({ mediaType }), ...options(defined({ width: block.width, height: block.height })) }
    if (!inResult) return { type: "image", image: data, ...more }
    return isUrl ? { type: "image-url", url: data, ...more } : { type: "image-data", data, ...more }
  }
  const more = { ...defined({ mediaType, filename: block.name }), ...options(defined({ pages: block.pages })) }
  if (!inResult) return { type: "file", data, ...more }
  return isUrl ? { type: "file-url", url: data, ...more } : { type: "file-data", data, ...more }
}

const said = (block: Message.ResultBlock, inResult: boolean, losses: Losses): Part => {
  if (block.type === "text") return text(block.text)
  return block.type === "unknown"
    ? unknownPart(losses, block, inResult ? Decode.resultPart : Decode.block)
    : media(block, inResult, losses)
}

const reasoning = (block: Message.ReasoningBlock, { noPlace }: Losses): Part => {
  const { provider, redacted, signature } = block
  if (signature === undefined && redacted === undefined) {
    if (provider !== undefined) noPlace("which provider gave the reasoning")
    return { type: "reasoning", text: block.text }
  }
  if (signature === "") noPlace("an empty seal of reasoning")
  if (provider === "anthropic" || provider === "") noPlace("which provider sealed the reasoning")
  const seal = { ...defined({ signature: nonEmpty(signature) }), ...defined({ redactedData: redacted }) }
  return { type: "reasoning", text: block.text, providerOptions: { [nonEmpty(provider) ?? "anthropic"]: seal } }
}

const part = (block: Message.Block, losses: Losses): Part => {
  switch (block.type) {
    case "reasoning":
      return reasoning(block, losses)
    case "tool-call":
      return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: argumentsOf(losses, block) }
    case "tool-result":
      return result(block, {}, losses)
    default:
      return said(block, false, losses)
  }
}

/** One text is plain; several blocks stay several, so that reading them again gives the same. */
const output = ({ content, isError }: Message.ToolResultBlock, losses: Losses): Part => {
  const [first] = content
  return content.length === 1 && first?.type === "text" && first.text !== ""
    ? { type: isError === true ? "error-text" : "text", value: first.text }
    : { type: "content", value: content.map((block) => said(block, true, losses)) }
}

export const result = (
  block: Message.ToolResultBlock,
  { metadata }: Pick<Message.Message, "metadata">,
  losses: Losses
): Part => {
  const given = output(block, losses)
  const unsaid = block.isError === true && given["type"] === "content"
  return {
    type: "tool-result",
    toolCallId: block.id,
    toolName: block.name,
    output: given,
    ...options(defined({ metadata, isError: unsaid ? true : undefined }))
  }
}

/** A message that is no result. */
export const message = (given: Message.Message, first: boolean, losses: Losses): Part => {
  const { content, metadata, role } = given
  const words = Message.text(given)
  // at the start a system message would be taken for the system prompt, and it holds nothing but text
  if (isSystem(given) && !first && content.length === 1 && content[0]?.type === "text" && words !== "") {
    return { role: "system", content: words }
  }
  return { role, content: content.map((block) => part(block, losses)), ...options(defined({ metadata })) }
}
