/**
 * Messages of Anthropic's API: a list of them, or the body of a request with `system`, `tools` and `messages`.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { TranscriptInvalid } from "../errors/FormatError.ts"
import type { ToolSchema } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import { type Encoded, type Format, type Input, isRecord, noMessages } from "./Format.ts"
import { content } from "./internal/anthropicContent.ts"
import * as AnthropicEncode from "./internal/anthropicEncode.ts"
import * as Encoding from "./internal/encoding.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, list, messageList, nonEmpty, text, type Fields } from "./internal/values.ts"
import type { Session } from "./Transcript.ts"

const name = "anthropic-messages"

const description =
  'messages of Anthropic\'s API, a JSON list [{"role": …, "content": [{"type": "tool_use" …}]}] or a request ' +
  '{"system": …, "tools": …, "messages": […]}'

const ownParts = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use"])

const isOwnPart = (part: unknown): boolean =>
  isRecord(part) && (ownParts.has(text(part["type"])) || (part["type"] === "image" && isRecord(part["source"])))

const isOwnTool = (tool: unknown): boolean => isRecord(tool) && "input_schema" in tool

const recognises = (input: Input): boolean => {
  const json = Either.getOrUndefined(input.json())
  const messages = messageList(json)
  if (messages === undefined || !messages.every((each) => isRecord(each) && "role" in each)) return false
  const body = fields(json)
  return (
    list(body["tools"]).some(isOwnTool) ||
    (body["system"] !== undefined && messages.every((each) => fields(each)["role"] !== "system")) ||
    messages.some((each) => list(fields(each)["content"]).some(isOwnPart))
  )
}

const tool = (value: unknown): ToolSchema | undefined => {
  const given = fields(value)
  const called = nonEmpty(given["name"])
  const about = given["description"]
  return called === undefined
    ? undefined
    : {
        name: called,
        ...(typeof about === "string" ? { description: about } : {}),
        parameters: given["input_schema"] ?? { type: "object", properties: {} }
      }
}

const textOf = (blocks: ReadonlyArray<Message.Block>): string =>
  blocks.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n\n")

const takeMessage = (recording: Recording.Recording, value: unknown, index: number): void => {
  const place = `message ${index + 1}`
  const said: Fields = fields(value)
  const { role } = said
  const blocks = content(said["content"])
  if (role === "assistant") return void Recording.say(recording, Message.assistant(blocks), place)
  if (role !== "user") {
    Recording.remark(
      recording,
      place,
      isRecord(value)
        ? `the role ${JSON.stringify(role) ?? "is missing"} is unknown; it was read as the user's`
        : "it is no message and was left out"
    )
  }
  if (isRecord(value)) Recording.say(recording, Message.user(blocks), place)
}

const decode: Format["decode"] = (input, options) =>
  Either.flatMap(input.json(), (json) => {
    const messages = messageList(json)
    if (messages === undefined) {
      return Either.left(new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}` }))
    }
    if (messages.length === 0) return Either.left(noMessages())
    const recording = Recording.make(options)
    const body = fields(json)
    const system = textOf(content(body["system"]))
    if (system !== "") recording.system = system
    const tools = list(body["tools"])
    const schemas = tools.map(tool).filter((schema) => schema !== undefined)
    if (schemas.length > 0) recording.tools = schemas
    if (schemas.length < tools.length) {
      recording.notes.push(`${tools.length - schemas.length} tools have no name and were left out`)
    }
    for (const [index, value] of messages.entries()) takeMessage(recording, value, index)
    return transcript(name, [{ recording, id: "session", visible: "full" }], options)
  })

interface Said {
  readonly role: "user" | "assistant"
  readonly content: string | ReadonlyArray<AnthropicEncode.Part>
}

/** All results of one answer have to stand in one message. */
const said = (messages: ReadonlyArray<Message.Message>, losses: Encoding.Losses): ReadonlyArray<Said> => {
  const written: Array<Said> = []
  let results: Array<AnthropicEncode.Part> | undefined
  for (const message of messages) {
    if (message.metadata !== undefined) losses.noPlace("what an application keeps with a message")
    const parts = message.content.map((block) => AnthropicEncode.part(block, losses))
    if (message.role !== "tool") {
      results = undefined
      written.push({ role: message.role, content: AnthropicEncode.content(parts) })
    } else if (results === undefined) {
      results = parts
      written.push({ role: "user", content: results })
    } else results.push(...parts)
  }
  return written
}

const encodeSession = (session: Session): Encoded => {
  const losses = Encoding.losses(name)
  Encoding.besideMessages(losses, session, { system: true, tools: true })
  Encoding.renamedResults(losses, session.messages)
  const { system, tools } = session
  const body = {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ description, name, parameters }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: parameters
          }))
        }),
    messages: said(session.messages, losses)
  }
  return { text: `${JSON.stringify(body, null, 1)}\n`, notes: losses.notes() }
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name,
  description,
  recognises,
  decode,
  encode: Encoding.ofOne(name, encodeSession)
}
