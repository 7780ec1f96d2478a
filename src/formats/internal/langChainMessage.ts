// Messages of LangChain, in each of the forms that it writes: constructors, stored messages, and plain ones.
import * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import { isRecord } from "../Format.ts"
import { toolSchema } from "./chatDecode.ts"
import { decodeContent } from "./chatParts.ts"
import * as Recording from "./Recording.ts"
import { fields, type Fields, list, nonEmpty, parsed, reasoning, text, usage } from "./values.ts"

export interface Opened {
  readonly kind: "system" | "human" | "ai" | "tool" | "other"
  /** what the file calls it */
  readonly name: string
  readonly given: Fields
}

const kinds: Readonly<Record<string, Opened["kind"]>> = {
  system: "system",
  developer: "system",
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  tool: "tool",
  function: "tool"
}

const kindOf = (name: string): Opened["kind"] => kinds[name.replace(/Message(?:Chunk)?$/u, "").toLowerCase()] ?? "other"

/** undefined where it is no message of LangChain's */
export const open = (value: unknown): Opened | undefined => {
  if (!isRecord(value)) return undefined
  const path = list(value["id"])
  const name = value["lc"] === undefined ? value["type"] : path.at(-1)
  if (typeof name !== "string") return undefined
  const given = isRecord(value["kwargs"]) ? value["kwargs"] : isRecord(value["data"]) ? value["data"] : undefined
  if (given === undefined) return undefined
  return { kind: kindOf(name), name, given }
}

export const isMessage = (value: unknown): boolean => "content" in (open(value)?.given ?? {})

/** whether it is of a kind that LangChain itself has */
export const isKnown = (value: unknown): boolean => isMessage(value) && open(value)?.kind !== "other"

const thoughts = (given: Fields): ReadonlyArray<Message.Block> => {
  const more = fields(given["additional_kwargs"])
  const plain = text(more["reasoning_content"])
  const summary = list(fields(more["reasoning"])["summary"]).map((each) => text(fields(each)["text"]))
  const shown = [plain, ...summary].filter(Boolean).join("\n\n")
  return shown === "" ? [] : [reasoning(shown)]
}

/** Anthropic's blocks stand in the content too: thoughts, and calls that `tool_calls` repeats. */
const answerContent = (content: unknown): ReadonlyArray<Message.Block> =>
  Array.isArray(content)
    ? content.flatMap((value): ReadonlyArray<Message.Block> => {
        const part = fields(value)
        switch (part["type"]) {
          case "tool_use":
          case "tool_call":
          case "function_call":
          case "input_json_delta":
            return []
          case "thinking":
          case "reasoning": {
            const signature = nonEmpty(part["signature"])
            const shown = text(part["thinking"] ?? part["reasoning"])
            return [reasoning(shown, signature === undefined ? {} : { signature })]
          }
          default:
            return decodeContent([value])
        }
      })
    : decodeContent(content)

const call = (value: unknown): Message.Block => {
  const given = fields(value)
  return Message.toolCall(text(given["id"]), text(given["name"]), parsed(given["args"]) ?? {})
}

const answer = (given: Fields): Message.Message =>
  Message.assistant([
    ...thoughts(given),
    ...answerContent(given["content"]),
    ...[...list(given["tool_calls"]), ...list(given["invalid_tool_calls"])].map(call)
  ])

const messageOf = ({ given, kind }: Opened): Message.Message => {
  switch (kind) {
    case "ai":
      return answer(given)
    case "tool":
      return Message.toolResult({
        id: text(given["tool_call_id"]),
        name: text(given["name"]),
        content: decodeContent(given["content"]),
        isError: given["status"] === "error"
      })
    default:
      return Message.user(decodeContent(given["content"]))
  }
}

const usageOf = (given: Fields): Usage | undefined => {
  const counted = fields(given["usage_metadata"])
  const read = fields(counted["input_token_details"])
  return usage({
    input: counted["input_tokens"],
    output: counted["output_tokens"],
    cached: read["cache_read"],
    cacheWrite: read["cache_creation"],
    reasoning: fields(counted["output_token_details"])["reasoning"]
  })
}

/** The response may repeat what was sent with the request. */
const takeTools = (recording: Recording.Recording, response: Fields): void => {
  const tools = list(response["tools"])
    .map(toolSchema)
    .filter((tool) => tool !== undefined)
  if (tools.length > 0 && JSON.stringify(tools) !== JSON.stringify(recording.tools)) recording.tools = tools
}

const takeSystem = (recording: Recording.Recording, given: Fields, place: string): void => {
  const content = decodeContent(given["content"])
  if (recording.messages.length > 0) {
    Recording.remark(recording, place, "a system message in the middle was read as context in the user's role")
    Recording.say(recording, { role: "user", content, metadata: { source: "context", role: "system" } }, place)
    return
  }
  const said = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  recording.system = recording.system === undefined ? said : `${recording.system}\n\n${said}`
}

/** `counted` is where the count of an answer stands, if elsewhere. */
export const take = (recording: Recording.Recording, value: unknown, place: string, counted = place): void => {
  const opened = open(value)
  if (opened === undefined) return Recording.remark(recording, place, "it is no message and was left out")
  const { given, kind, name } = opened
  // removing a message from a thread is told by a message
  if (name === "RemoveMessage" || name === "remove") return
  if (kind === "system") return takeSystem(recording, given, place)
  if (kind === "other") {
    Recording.remark(recording, place, `the kind ${JSON.stringify(name)} is unknown; it was read as the user's`)
  }
  const at = Recording.say(recording, messageOf(opened), place)
  if (kind !== "ai") return
  const response = fields(given["response_metadata"])
  takeTools(recording, response)
  Recording.request(recording, usageOf(given), {
    at,
    place: counted,
    provider: nonEmpty(response["model_provider"]),
    model: nonEmpty(response["model_name"]) ?? nonEmpty(response["model"])
  })
}
