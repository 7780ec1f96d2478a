/**
 * Contents as Gemini's API takes them: a list of `{ role, parts }`, or a request that holds one.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { toolSchema } from "./internal/chatDecode.ts"
import { type Format, isRecord } from "./Format.ts"
import { documentFormat } from "./internal/documentFormat.ts"
import { parts } from "./internal/geminiParts.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, list } from "./internal/values.ts"

const contentsOf = (json: unknown): ReadonlyArray<unknown> =>
  list(isRecord(json) ? (json["contents"] ?? json["history"]) : json)

const isContent = (value: unknown): boolean =>
  isRecord(value) &&
  (value["role"] === "user" || value["role"] === "model") &&
  Array.isArray(value["parts"]) &&
  // messages of the AI SDK have parts too, and each of them a type
  value["parts"].every((part: unknown) => isRecord(part) && !("type" in part))

const systemOf = (json: unknown): string => {
  const given = fields(json)["systemInstruction"] ?? fields(json)["system_instruction"]
  const blocks = typeof given === "string" ? parts([given]) : parts(fields(given)["parts"])
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = documentFormat({
  name: "gemini-contents",
  description:
    'contents of Gemini\'s API, a JSON list [{"role": "user", "parts": [{"text": …}]}, {"role": "model", …}]',
  isOwn: (json) => contentsOf(json).length > 0 && contentsOf(json).every(isContent),
  read: (json, options) => {
    const recording = Recording.make(options)
    const system = systemOf(json)
    if (system !== "") recording.system = system
    const tools = list(fields(json)["tools"])
      .flatMap((tool) => list(fields(tool)["functionDeclarations"]))
      .map(toolSchema)
      .filter((tool) => tool !== undefined)
    if (tools.length > 0) recording.tools = tools
    for (const [index, value] of contentsOf(json).entries()) {
      const content = parts(fields(value)["parts"])
      const message = fields(value)["role"] === "model" ? Message.assistant(content) : Message.user(content)
      Recording.say(recording, message, `content ${index + 1}`)
    }
    return [{ recording, id: "session", visible: "messages" }]
  }
})
