/**
 * What messages and envelopes cost, given what their texts cost: framing, media, and the parts that are sent as text. What
 * of a message a route does not send is taken off before (`sends`).
 *
 * @since 0.1.0
 */
import type { Envelope } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import { families } from "./estimator/families.ts"
import { documentTokens, imageTokens } from "./estimator/media.ts"
import { argumentsText, toolText } from "./sends.ts"

/**
 * Adds the tokens of a text, for each family, to counts.
 *
 * @since 0.1.0
 * @category models
 */
export type AddText = (text: string, counts: Array<number>) => void

/**
 * What a request costs beside its text, in tokens of every family.
 *
 * - `message`, `request`: the chat format that OpenAI documents for its models spends 3 to 4 tokens on the role and the
 *   separators of a message, and 3 to open the answer.
 * - `toolCall`, `toolResult`: the call's id, type and separators.
 * - `unknown`: the most that a block of unknown kind may cost, because it may hold encoded bytes.
 *
 * @since 0.1.0
 * @category constants
 */
export const framing = { message: 4, request: 3, toolCall: 4, toolResult: 4, unknown: 4096 } as const

/** What cannot be written as JSON cannot be sent either, and costs nothing. */
const jsonOf = (write: () => string | undefined): string => {
  try {
    return write() ?? ""
  } catch {
    return ""
  }
}

const isTextual = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(text\/|application\/(json|xml|yaml)\b)/i.test(mediaType)

/** A text file that is sent inline is read as its text, whatever its encoding was. */
const inlineText = (file: Message.FileBlock): string | undefined => {
  if (file.source.type !== "base64" || !isTextual(file.mediaType) || file.pages !== undefined) return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(file.source.base64), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

const addTokens = (counts: Array<number>, tokens: number): void => {
  for (let k = 0; k < counts.length; k++) counts[k] = counts[k]! + tokens
}

/** No counts yet: one a family. */
const none = (): Array<number> => families.map(() => 0)

const addBlock = (addText: AddText, block: Message.Block, counts: Array<number>): void => {
  switch (block.type) {
    case "text":
      return addText(block.text, counts)
    case "reasoning":
      addText(block.text, counts)
      // encrypted reasoning is billed by the tokens inside: four characters of base64 are three bytes
      return addTokens(counts, Math.ceil(((block.redacted?.length ?? 0) * 3) / 16))
    case "tool-call": {
      addTokens(counts, framing.toolCall)
      addText(block.name, counts)
      return addText(
        jsonOf(() => argumentsText(block.arguments)),
        counts
      )
    }
    case "tool-result":
      addTokens(counts, framing.toolResult)
      for (const part of block.content) addBlock(addText, part, counts)
      return
    case "image":
      families.forEach((family, k) => (counts[k] = counts[k]! + imageTokens(family, block)))
      return
    case "file": {
      const text = inlineText(block)
      addTokens(counts, text === undefined ? documentTokens(block) : framing.message)
      return addText(text ?? "", counts)
    }
    case "unknown": {
      const own = none()
      addText(
        jsonOf(() => JSON.stringify(block.value)),
        own
      )
      own.forEach((tokens, k) => (counts[k] = counts[k]! + Math.min(framing.unknown, tokens)))
    }
  }
}

/** An empty assistant message costs nothing: it is not sent. */
const addMessage = (addText: AddText, message: Message.Message, counts: Array<number>): void => {
  if (message.role === "assistant" && Message.isEmpty(message)) return
  addTokens(counts, framing.message)
  for (const block of message.content) addBlock(addText, block, counts)
}

/**
 * Everything of a message that a request carries. Bytes of images and documents never count.
 *
 * @since 0.1.0
 * @category getters
 */
export const messageCounts = (addText: AddText, message: Message.Message): ReadonlyArray<number> => {
  const counts = none()
  addMessage(addText, message, counts)
  return counts
}

/**
 * System prompt, tool schemas, request-only prefix messages and the framing of a request.
 *
 * @since 0.1.0
 * @category getters
 */
export const envelopeCounts = (addText: AddText, envelope: Envelope): ReadonlyArray<number> => {
  const counts = none()
  addTokens(counts, framing.request)
  if (envelope.system !== undefined && envelope.system !== "") {
    addTokens(counts, framing.message)
    addText(envelope.system, counts)
  }
  for (const tool of envelope.tools ?? [])
    addText(
      jsonOf(() => toolText(tool)),
      counts
    )
  for (const message of envelope.prefix ?? []) addMessage(addText, message, counts)
  return counts
}
