/**
 * Effect AI's prompt messages as ours, and back.
 *
 * Nothing of a prompt is lost on the way there: what our messages have no place for (a provider's options, that an image
 * came as bytes, that a result was JSON and no text) travels in their `metadata`, so that the log keeps it, and `encode`
 * puts it back where the block that it belongs to is still of its kind.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type { Message } from "../session/Message.ts"
import { decodeAssistant, decodeResult, decodeUser } from "./promptDecode.ts"
import { encodePart, encodeResult } from "./promptEncode.ts"
import { keptOf } from "./promptKept.ts"

/**
 * What a prompt says, in our form. `system` is the text of its system messages, in order and with an empty line between
 * them; absent: there is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoded {
  readonly system?: string
  readonly messages: ReadonlyArray<Message>
}

/**
 * One message of a prompt as ours: a tool message as one for each of its results, any other as one. A system message is
 * none: it belongs into the envelope.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeMessage = (message: Prompt.Message): ReadonlyArray<Message> => {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return [decodeUser(message)]
    case "assistant":
      return decodeAssistant(message)
    case "tool":
      return message.content.map((part, i) => decodeResult(part, i === 0 ? message.options : {}, i > 0))
  }
}

/**
 * A prompt as our messages, and its system text apart.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decode = (prompt: Prompt.Prompt): Decoded => {
  const system = prompt.content.flatMap((message) => (message.role === "system" ? [message.content] : []))
  return {
    ...(system.length === 0 ? {} : { system: system.join("\n\n") }),
    messages: prompt.content.flatMap(decodeMessage)
  }
}

/**
 * Our messages as those of a prompt. One that came from a prompt, and that nobody changed since, is the same again; of one
 * that a compaction cut, the blocks that it left are. Results of one tool message are one message again. Images and files
 * of ours that no prompt brought are given as bytes or as a `URL`, since that is what every provider package takes. A
 * message that holds nothing is none.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encodeMessages = (messages: ReadonlyArray<Message>): ReadonlyArray<Prompt.Message> => {
  const encoded: Array<Prompt.Message> = []
  for (const message of messages) {
    const kept = keptOf(message)
    const options = kept.options ?? {}
    if (message.role === "tool") {
      const results = message.content.flatMap((block, i) =>
        block.type === "tool-result" ? [encodeResult(block, kept.parts?.[i])] : []
      )
      const before = encoded.at(-1)
      if (kept.continues === true && before?.role === "tool") {
        encoded[encoded.length - 1] = Prompt.makeMessage("tool", {
          content: [...before.content, ...results],
          options: before.options
        })
      } else if (results.length > 0) encoded.push(Prompt.makeMessage("tool", { content: results, options }))
      continue
    }
    const content = message.content.flatMap((block, i) => encodePart(block, kept.parts?.[i], kept.calls))
    if (content.length === 0) continue
    encoded.push(
      message.role === "user"
        ? Prompt.makeMessage("user", { content: content as ReadonlyArray<Prompt.UserMessagePart>, options })
        : Prompt.makeMessage("assistant", { content, options })
    )
  }
  return encoded
}

/**
 * A prompt of a system text, where there is one, and our messages.
 *
 * @since 0.1.0
 * @category conversions
 */
export const encode = ({ messages, system }: Decoded): Prompt.Prompt =>
  Prompt.fromMessages([
    ...(system === undefined ? [] : [Prompt.makeMessage("system", { content: system })]),
    ...encodeMessages(messages)
  ])

const opening = Prompt.makeMessage("user", {
  content: [Prompt.makePart("text", { text: "[the conversation begins here]" })]
})

/**
 * The prompt, begun by the user: some providers refuse one that begins with an answer, as a part of a conversation may.
 *
 * @since 0.1.0
 * @category combinators
 */
export const begunByUser = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const first = prompt.content.findIndex(({ role }) => role !== "system")
  return prompt.content[first]?.role === "assistant"
    ? Prompt.fromMessages([...prompt.content.slice(0, first), opening, ...prompt.content.slice(first)])
    : prompt
}
