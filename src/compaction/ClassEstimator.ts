/**
 * The default estimator: text by character classes, media by their own rule, and the framing that a provider adds.
 *
 * @since 0.1.0
 */
import * as CanonicalJson from "../session/CanonicalJson.ts"
import type { Envelope } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import { countText } from "./CharacterClasses.ts"
import type { TokenEstimator } from "./TokenEstimator.ts"

export { countText } from "./CharacterClasses.ts"

/**
 * What a request costs beside its text, in tokens.
 *
 * - `message`, `request`: the chat format that OpenAI documents for its models spends 3 to 4 tokens on the role and the
 *   separators of a message, and 3 to open the answer.
 * - `toolCall`, `toolResult`: the call's id, type and separators.
 * - `tool`: the type expression around one tool's schema.
 * - `pixelsPerToken`, `image`: Anthropic's rule for images, and its cap; one of unknown size is priced at the cap.
 * - `page`: Anthropic states 1,500 to 3,000 tokens of text a page. A document of unknown length is priced as one page.
 * - `unknown`: the most that a block of unknown kind may cost, because it may hold encoded bytes.
 *
 * @since 0.1.0
 * @category constants
 */
export const framing = {
  message: 4,
  request: 3,
  toolCall: 4,
  toolResult: 4,
  tool: 8,
  pixelsPerToken: 750,
  image: 1600,
  page: 1500,
  unknown: 4096
} as const

/** What cannot be written as JSON cannot be sent either, and costs nothing. */
const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return ""
  }
}

const isTextual = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(text\/|application\/(json|xml|yaml)\b)/i.test(mediaType)

/** A text file that is sent inline is read as its text, whatever its encoding was. */
const inlineText = (file: Message.FileBlock): string | undefined => {
  if (file.source.type !== "base64" || !isTextual(file.mediaType)) return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(file.source.base64), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

const priceOfImage = ({ height, width }: Message.ImageBlock): number =>
  height === undefined || width === undefined
    ? framing.image
    : Math.min(framing.image, Math.ceil((width * height) / framing.pixelsPerToken))

const priceOfFile = (file: Message.FileBlock): number => {
  const text = file.pages === undefined ? inlineText(file) : undefined
  return text === undefined ? Math.ceil(file.pages ?? 1) * framing.page : framing.message + countText(text)
}

const priceOfBlock = (block: Message.Block): number => {
  switch (block.type) {
    case "text":
      return countText(block.text)
    case "reasoning":
      // encrypted reasoning is billed by the tokens inside: four characters of base64 are three bytes
      return countText(block.text) + Math.ceil(((block.redacted?.length ?? 0) * 3) / 16)
    case "tool-call":
      return (
        framing.toolCall +
        countText(block.name) +
        countText(typeof block.arguments === "string" ? block.arguments : json(block.arguments))
      )
    case "tool-result":
      return block.content.reduce<number>((sum, part) => sum + priceOfBlock(part), framing.toolResult)
    case "image":
      return priceOfImage(block)
    case "file":
      return priceOfFile(block)
    case "unknown":
      return Math.min(framing.unknown, countText(json(block.value)))
  }
}

const priceOfMessage = (message: Message.Message): number =>
  message.role === "assistant" && Message.isEmpty(message)
    ? 0
    : message.content.reduce<number>((sum, block) => sum + priceOfBlock(block), framing.message)

/** The same tool costs the same whatever the order of its keys. */
const priceableTool = (tool: unknown): string => {
  try {
    return CanonicalJson.encode(tool)
  } catch {
    return ""
  }
}

const priceOfEnvelope = (envelope: Envelope): number => {
  let tokens = framing.request
  if (envelope.system !== undefined && envelope.system !== "") tokens += framing.message + countText(envelope.system)
  for (const tool of envelope.tools ?? []) tokens += framing.tool + countText(priceableTool(tool))
  for (const message of envelope.prefix ?? []) tokens += priceOfMessage(message)
  return tokens
}

/**
 * Prices with one weight for all routes, in tokens of OpenAI's o200k vocabulary; other vocabularies differ by their density,
 * which the meter learns from the provider's own counts.
 *
 * An empty assistant message costs nothing: it is not sent. Bytes of images and documents never count.
 *
 * @since 0.1.0
 * @category models
 */
export const classEstimator: TokenEstimator = {
  id: "character-classes/1",
  dimensions: 1,
  message: (message) => [priceOfMessage(message)],
  envelope: (envelope) => [priceOfEnvelope(envelope)],
  weights: () => [1]
}
