/**
 * Parts of Effect AI's prompt messages to our blocks.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Message from "../session/Message.ts"
import { compactJson, type DecodedPart, keeping, type KeptPart, optionsOf, partsOf } from "./promptKept.ts"
import { decodeData } from "./promptData.ts"
import { decodeSeal } from "./promptSeal.ts"

const decodeFile = (part: Prompt.FilePart): DecodedPart => {
  const { data, source } = decodeData(part.data, part.mediaType)
  const common = { source, ...(part.mediaType === "" ? {} : { mediaType: part.mediaType }) }
  const block: Message.Block =
    // a name makes it a file whatever it holds
    part.mediaType.startsWith("image/") && part.fileName === undefined
      ? { type: "image", ...common }
      : { type: "file", ...common, ...(part.fileName === undefined ? {} : { name: part.fileName }) }
  return { block, kept: { ...optionsOf(part.options), ...(data === undefined ? {} : { data }) } }
}

/** Our log names no message without an id, and some providers' calls have none. */
const idOf = (id: string) => (id === "" ? "unnamed" : id)

/** What the provider ran itself is no call of ours: kept as it came, and only its own provider can read it. */
export const opaque = ({
  id,
  name,
  options,
  providerExecuted,
  type,
  ...part
}: Prompt.ToolCallPart | Prompt.ToolResultPart) => ({
  block: {
    type: "unknown" as const,
    value: { type, id, name, ...part, providerExecuted, ...optionsOf(options) }
  },
  kept: {}
})

const decodePart = (part: Exclude<Prompt.AssistantMessagePart, Prompt.ToolResultPart>): DecodedPart => {
  switch (part.type) {
    case "text":
      return { block: Message.textBlock(part.text), kept: optionsOf(part.options) }
    case "file":
      return decodeFile(part)
    case "reasoning":
      return { block: { type: "reasoning", text: part.text, ...decodeSeal(part.options) }, kept: {} }
    case "tool-call":
      return part.providerExecuted
        ? opaque(part)
        : { block: Message.toolCall(idOf(part.id), part.name, part.params), kept: optionsOf(part.options) }
  }
}

/** A user message as ours. */
export const decodeUser = (message: Prompt.UserMessage): Message.Message => {
  const decoded = message.content.map((part) => decodePart(part))
  return keeping(Message.user(decoded.map(({ block }) => block)), {
    ...optionsOf(message.options),
    ...partsOf(decoded)
  })
}

/** An answer as ours. Results in it that the application made come after it, as they do in a prompt. */
export const decodeAssistant = (message: Prompt.AssistantMessage): ReadonlyArray<Message.Message> => {
  const decoded: Array<DecodedPart> = []
  const results: Array<Message.Message> = []
  for (const part of message.content) {
    if (part.type !== "tool-result") decoded.push(decodePart(part))
    else if (part.providerExecuted) decoded.push(opaque(part))
    else results.push(decodeResult(part, {}, results.length > 0))
  }
  const answer = Message.assistant(decoded.map(({ block }) => block))
  return [keeping(answer, { ...optionsOf(message.options), ...partsOf(decoded) }), ...results]
}

/** A value that has no JSON has at least a text: nothing of what a tool says may cost the conversation. */
export const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return String(value)
  }
}

/** What is not seen of the text alone: see `encodeResult`. */
const resultKind = (result: unknown, text: string | undefined): KeptPart["result"] => {
  if (text === undefined) return "void"
  if (typeof result === "object" && result !== null && !Array.isArray(result)) return "object"
  const isSeen = (typeof result === "string") === (compactJson(text) === undefined)
  return isSeen ? undefined : typeof result === "string" ? "text" : "json"
}

/** A result as a message of its own: text as text, anything else as its JSON. `continues`: not the first of its message. */
export const decodeResult = (
  part: Prompt.ToolResultPart,
  options: Prompt.ProviderOptions,
  continues: boolean
): Message.Message => {
  const text = typeof part.result === "string" ? part.result : jsonOf(part.result)
  const result = resultKind(part.result, text)
  const message = Message.toolResult({
    id: idOf(part.id),
    name: part.name,
    content: text ?? "",
    isError: part.isFailure
  })
  const kept = { ...optionsOf(part.options), ...(result === undefined ? {} : ({ result } as const)) }
  return keeping(message, {
    ...optionsOf(options),
    ...partsOf([{ block: message.content[0]!, kept }]),
    ...(continues ? { continues } : {})
  })
}
