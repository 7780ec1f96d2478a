// One list of chat messages, as a session. Tolerant: whatever stands in the list, something sensible comes out, and the
// notes say what was odd.
import * as Either from "effect/Either"
import type { ToolSchema } from "../../session/Envelope.ts"
import * as Message from "../../session/Message.ts"
import { type DecodeOptions, isRecord, parseJson } from "../Format.ts"
import { decodeContent } from "./chatParts.ts"
import * as Recording from "./Recording.ts"

const stringOr = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise)

const callArguments = (value: unknown): unknown =>
  typeof value === "string" ? Either.getOrElse(parseJson(value), () => value) : (value ?? {})

const call = (value: unknown): Message.ToolCallBlock | undefined => {
  if (!isRecord(value)) return undefined
  const detail = value["function"] ?? value["custom"]
  if (!isRecord(detail) || typeof detail["name"] !== "string") return undefined
  // a custom tool's input is text by definition, JSON or not
  const given = "input" in detail ? detail["input"] : callArguments(detail["arguments"])
  return Message.toolCall(stringOr(value["id"], ""), detail["name"], given)
}

export interface Reading {
  readonly system: Array<string>
  /** whether anything but system messages was said */
  begun: boolean
  readonly notes: Array<string>
}

const where = (place: number) => `message ${place + 1}`

const assistant = (value: Readonly<Record<string, unknown>>, place: number, notes: Array<string>) => {
  const reasoning = stringOr(value["reasoning_content"], stringOr(value["reasoning"], ""))
  const listed = Array.isArray(value["tool_calls"]) ? (value["tool_calls"] as ReadonlyArray<unknown>) : []
  const legacy = isRecord(value["function_call"]) ? [{ id: "", function: value["function_call"] }] : []
  const calls = [...listed, ...legacy].map(call).filter((block) => block !== undefined)
  const unread = listed.length + legacy.length - calls.length
  if (unread > 0) notes.push(`${where(place)}: ${unread} tool calls without a name were left out`)
  return Message.assistant([
    ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...decodeContent(value["content"]),
    ...decodeContent(value["refusal"]),
    ...calls
  ])
}

const tool = (value: Readonly<Record<string, unknown>>) =>
  Message.toolResult({
    id: stringOr(value["tool_call_id"], ""),
    name: stringOr(value["name"], ""),
    content: decodeContent(value["content"]),
    isError: value["is_error"] === true
  })

// Before anything was said a system message is part of the system prompt. Later it is something that the application
// told the model on the way; no provider but this one has a place for that, so it is context in the user's role.
const system = (
  reading: Reading,
  value: Readonly<Record<string, unknown>>,
  place: number
): Message.Message | undefined => {
  const blocks = decodeContent(value["content"])
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  if (reading.begun) {
    if (blocks.length === 0) return undefined
    reading.notes.push(`${where(place)}: a system message in the middle was read as context in the user's role`)
    return { role: "user", content: blocks, metadata: { source: "context", role: "system" } }
  }
  if (blocks.some((block) => block.type !== "text")) {
    reading.notes.push(`${where(place)}: only the text of the system message was kept`)
  }
  if (text !== "") reading.system.push(text)
  return undefined
}

/** One message of the list; undefined where it went into the system prompt, or is none. */
export const decodeOne = (reading: Reading, value: unknown, place: number): Message.Message | undefined => {
  const message = messageOf(reading, value, place)
  if (message !== undefined && !Message.isEmpty(message)) reading.begun = true
  return message
}

const messageOf = (reading: Reading, value: unknown, place: number): Message.Message | undefined => {
  if (!isRecord(value)) {
    reading.notes.push(`${where(place)}: it is no message and was left out`)
    return undefined
  }
  const role = value["role"]
  switch (role) {
    case "system":
    case "developer":
      return system(reading, value, place)
    case "user":
      return Message.user(decodeContent(value["content"]))
    case "assistant":
      return assistant(value, place, reading.notes)
    case "tool":
    case "function":
      return tool(value)
    default:
      reading.notes.push(
        `${where(place)}: the role ${JSON.stringify(role) ?? "is missing"} is unknown; it was read as the user's`
      )
      return Message.user(decodeContent(value["content"]))
  }
}

export const toolSchema = (value: unknown): ToolSchema | undefined => {
  const detail = isRecord(value) && isRecord(value["function"]) ? value["function"] : value
  if (!isRecord(detail)) return undefined
  const { description, name } = detail
  if (typeof name !== "string" || name === "") return undefined
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    parameters: detail["parameters"] ?? { type: "object", properties: {} }
  }
}

export const record = (
  list: ReadonlyArray<unknown>,
  tools: ReadonlyArray<unknown> = [],
  options?: DecodeOptions
): Recording.Recording => {
  const recording = Recording.make(options)
  const reading: Reading = { system: [], begun: false, notes: recording.notes }
  for (const [place, value] of list.entries()) {
    const message = decodeOne(reading, value, place)
    if (message !== undefined) Recording.say(recording, message, where(place))
  }
  const schemas = tools.map(toolSchema).filter((schema) => schema !== undefined)
  if (schemas.length < tools.length) {
    recording.notes.push(`${tools.length - schemas.length} tools have no name and were left out`)
  }
  if (reading.system.length > 0) recording.system = reading.system.join("\n\n")
  if (schemas.length > 0) recording.tools = schemas
  return recording
}
