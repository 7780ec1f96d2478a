/**
 * Sessions of the Cline SDK: one JSON object, with the messages as they were sent last.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { type Format, isRecord } from "./Format.ts"
import { block as anthropicBlock } from "./internal/anthropicContent.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, json, list, nonEmpty, text, textBlocks, usage } from "./internal/values.ts"

/** What a tool gave may be a list of answers to several queries, and a file that the person attached a block of its own. */
const block = (value: unknown): Message.Block => {
  const part = fields(value)
  if (part["type"] === "file" && typeof part["content"] === "string") {
    return Message.textBlock(`<file path="${text(part["path"])}">\n${part["content"]}\n</file>`)
  }
  const answers = part["type"] === "tool_result" ? list(part["content"]) : []
  return answers.some((answer) => isRecord(answer) && "result" in answer)
    ? anthropicBlock({
        ...part,
        content: answers.map((answer) => ({ type: "text", text: json(fields(answer)["result"] ?? "") }))
      })
    : anthropicBlock(value)
}

const content = (value: unknown): ReadonlyArray<Message.Block> =>
  typeof value === "string" ? textBlocks(value) : list(value).map(block)

const takeMessage = (recording: Recording.Recording, value: unknown, place: string): void => {
  const said = fields(value)
  const blocks = content(said["content"])
  if (said["role"] !== "assistant") {
    Recording.say(recording, Message.user(blocks), place)
    if (fields(said["metadata"])["kind"] === "compaction_summary") {
      recording.notes.push(`${place}: the tool compacted; what was before the summary is not there`)
    }
    return
  }
  const at = Recording.say(recording, Message.assistant(blocks), place)
  const counted = fields(said["metrics"])
  const { id, provider } = fields(said["modelInfo"])
  Recording.request(
    recording,
    usage({
      input: counted["inputTokens"],
      output: counted["outputTokens"],
      cached: counted["cacheReadTokens"],
      cacheWrite: counted["cacheWriteTokens"]
    }),
    { at, place, provider: nonEmpty(provider), model: nonEmpty(id) }
  )
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "cline-sdk",
  description: 'a session of the Cline SDK {"sessionId": …, "system_prompt": …, "agent": …, "messages": […]}',
  isOwn: (json) =>
    isRecord(json) &&
    Array.isArray(json["messages"]) &&
    typeof json["sessionId"] === "string" &&
    ("agent" in json || "system_prompt" in json),
  read: (json, options) => {
    const file = fields(json)
    const recording = Recording.make(options)
    const system = nonEmpty(file["system_prompt"])
    if (system !== undefined) recording.system = system
    for (const [index, value] of list(file["messages"]).entries()) takeMessage(recording, value, `message ${index}`)
    return [{ recording, id: nonEmpty(file["sessionId"]) ?? "session", visible: "messages" }]
  }
})
