/**
 * Chats of Gemini CLI: one JSON object, whose answers hold their calls, and each call its own result.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { type Format, isRecord } from "./Format.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import { functionResponse, parts } from "./internal/geminiParts.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, list, nonEmpty, reasoning, text, usage } from "./internal/values.ts"

const thought = (value: unknown): Message.Block => {
  const { description, subject } = fields(value)
  return reasoning([subject, description].map(text).filter(Boolean).join("\n"))
}

const call = (value: unknown): Message.Block => {
  const given = fields(value)
  return Message.toolCall(text(given["id"]), text(given["name"]), given["args"] ?? {})
}

/** A call that was cancelled may have no result. */
const results = (value: unknown): ReadonlyArray<Message.Message> => {
  const given = fields(value)
  return list(given["result"])
    .map((each) => fields(each)["functionResponse"])
    .filter(isRecord)
    .map((response) => ({
      role: "tool" as const,
      content: [functionResponse({ id: given["id"], name: given["name"], ...response }, given["status"] === "error")]
    }))
}

/** The count of thoughts is not in that of the output. */
const usageOf = (tokens: Fields) => {
  const { output, thoughts } = tokens
  const both = typeof output === "number" && typeof thoughts === "number" ? output + thoughts : output
  return usage({ input: tokens["input"], output: both, cached: tokens["cached"], reasoning: thoughts })
}

const takeAnswer = (recording: Recording.Recording, said: Fields, place: string): void => {
  const calls = list(said["toolCalls"])
  const blocks = [...list(said["thoughts"]).map(thought), ...parts(said["content"]), ...calls.map(call)]
  const at = Recording.say(recording, Message.assistant(blocks), place)
  const model = nonEmpty(said["model"])
  Recording.request(recording, usageOf(fields(said["tokens"])), { at, place, provider: "google", model })
  for (const message of calls.flatMap(results)) Recording.say(recording, message, place)
}

/** Kinds of messages that the window shows and the model does not see. */
const shown = new Set(["info", "warning", "error"])

const takeMessage = (recording: Recording.Recording, value: unknown, place: string): void => {
  const said = fields(value)
  const type = said["type"]
  if (type === "user") return void Recording.say(recording, Message.user(parts(said["content"])), place)
  if (type === "gemini") return takeAnswer(recording, said, place)
  if (shown.has(text(type))) return
  Recording.count(recording, `messages of the unknown type ${JSON.stringify(type)} were left out`)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "gemini-cli-chat",
  description: 'a chat of Gemini CLI {"sessionId": …, "projectHash": …, "messages": [{"type": "gemini", …}]}',
  isOwn: (json) => isRecord(json) && "projectHash" in json && "sessionId" in json && Array.isArray(json["messages"]),
  read: (json, options) => {
    const file = fields(json)
    const recording = Recording.make(options)
    for (const [index, value] of list(file["messages"]).entries()) takeMessage(recording, value, `message ${index}`)
    return [{ recording, id: nonEmpty(file["sessionId"]) ?? "session", visible: "messages" }]
  }
})
