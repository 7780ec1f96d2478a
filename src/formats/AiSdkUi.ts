/**
 * UI messages of the AI SDK. One message of the assistant's holds many steps of the model, and a call and its result are
 * one part.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { type Format, isRecord } from "./Format.ts"
import { decodeContent } from "./internal/chatParts.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, json, list, nonEmpty, reasoning, text } from "./internal/values.ts"

const toolName = (part: Fields): string | undefined => {
  const type = text(part["type"])
  if (type === "dynamic-tool") return text(part["toolName"])
  return type.startsWith("tool-") ? type.slice("tool-".length) : undefined
}

const file = (part: Fields): Message.Block => {
  const { filename, mediaType, url } = part
  const [block] = decodeContent([
    text(mediaType).startsWith("image/")
      ? { type: "image_url", image_url: { url } }
      : { type: "file", file: { file_data: url, filename } }
  ])
  return block ?? { type: "unknown", value: part }
}

/** What a provider sealed stands under its name. */
const sealed = (part: Fields): { readonly signature?: string; readonly redacted?: string } => {
  for (const kept of Object.values(fields(part["providerMetadata"]))) {
    const signature = nonEmpty(fields(kept)["signature"])
    const redacted = nonEmpty(fields(kept)["redactedData"])
    if (signature !== undefined) return { signature }
    if (redacted !== undefined) return { redacted }
  }
  return {}
}

const resultOf = (part: Fields, name: string): ReadonlyArray<Message.Message> => {
  const { errorText, output, state, toolCallId } = part
  const named = { id: text(toolCallId), name }
  if (state === "output-available") return [Message.toolResult({ ...named, content: json(output ?? "") })]
  if (state === "output-error") return [Message.toolResult({ ...named, content: text(errorText), isError: true })]
  if (state === "output-denied") {
    const reason = nonEmpty(fields(part["approval"])["reason"]) ?? "the call was not allowed"
    return [Message.toolResult({ ...named, content: reason, isError: true })]
  }
  return []
}

/** Parts that an application shows and the SDK does not send. */
const isShown = (type: string) => type.startsWith("source-") || type.startsWith("data-")

interface Step {
  readonly blocks: Array<Message.Block>
  readonly results: Array<Message.Message>
}

const stepsOf = (recording: Recording.Recording, parts: ReadonlyArray<unknown>): ReadonlyArray<Step> => {
  const steps: Array<Step> = [{ blocks: [], results: [] }]
  for (const value of parts) {
    const part = fields(value)
    const type = text(part["type"])
    if (type === "step-start") {
      steps.push({ blocks: [], results: [] })
      continue
    }
    const step = steps.at(-1)!
    const name = toolName(part)
    if (name !== undefined) {
      step.blocks.push(Message.toolCall(text(part["toolCallId"]), name, part["input"] ?? part["rawInput"] ?? {}))
      step.results.push(...resultOf(part, name))
    } else if (type === "text") step.blocks.push(Message.textBlock(text(part["text"])))
    else if (type === "reasoning") step.blocks.push(reasoning(text(part["text"]), sealed(part)))
    else if (type === "file") step.blocks.push(file(part))
    else if (!isShown(type))
      Recording.count(recording, `parts of the unknown type ${JSON.stringify(type)} were left out`)
  }
  return steps.filter(({ blocks }) => blocks.length > 0)
}

const takeMessage = (recording: Recording.Recording, value: unknown, place: string): void => {
  const said = fields(value)
  const steps = stepsOf(recording, list(said["parts"]))
  if (said["role"] === "assistant") {
    for (const { blocks, results } of steps) {
      Recording.say(recording, Message.assistant(blocks), place)
      for (const result of results) Recording.say(recording, result, place)
    }
    return
  }
  const blocks = steps.flatMap((step) => step.blocks)
  if (said["role"] !== "system") return void Recording.say(recording, Message.user(blocks), place)
  const words = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  if (recording.messages.length === 0) recording.system = words
  else Recording.say(recording, { ...Message.user(words), metadata: { source: "context", role: "system" } }, place)
}

const messagesOf = (json: unknown): ReadonlyArray<unknown> => list(isRecord(json) ? json["messages"] : json)

const isOwn = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["role"] === "string" &&
  Array.isArray(value["parts"]) &&
  value["parts"].every((part: unknown) => isRecord(part) && typeof part["type"] === "string")

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "ai-sdk-ui",
  description: 'UI messages of the AI SDK, a JSON list [{"id": …, "role": …, "parts": [{"type": "text", …}]}]',
  isOwn: (json) => messagesOf(json).length > 0 && messagesOf(json).every(isOwn),
  read: (json, options) => {
    const recording = Recording.make(options)
    for (const [index, value] of messagesOf(json).entries()) takeMessage(recording, value, `message ${index + 1}`)
    const file = fields(json)
    return [{ recording, id: nonEmpty(file["id"]) ?? "session", visible: "messages" }]
  }
})
