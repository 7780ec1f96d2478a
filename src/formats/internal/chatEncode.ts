// Messages in the form that chat-completions servers take.
import type { ToolSchema } from "../../session/Envelope.ts"
import * as Either from "effect/Either"
import * as Message from "../../session/Message.ts"
import { parseJson } from "../Format.ts"
import { type ChatPart, encodeContent } from "./chatParts.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ChatToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

/**
 * `reasoning_content`, `is_error` and `name` are not OpenAI's own: other servers write or ignore them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string | ReadonlyArray<ChatPart> | null
  readonly reasoning_content?: string
  readonly tool_calls?: ReadonlyArray<ChatToolCall>
  readonly tool_call_id?: string
  readonly name?: string
  readonly is_error?: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ChatTool {
  readonly type: "function"
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: unknown }
}

/**
 * `system` becomes the first message. `strict` leaves out every field that is not in OpenAI's own schema, for sending;
 * without it the list reads back as the same messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodeOptions {
  readonly system?: string
  readonly strict?: boolean
}

// Text that is JSON itself would be parsed when it is read again, so it goes out as JSON of text.
const callArguments = (value: unknown): string =>
  typeof value === "string" && Either.isLeft(parseJson(value)) ? value : (JSON.stringify(value) ?? "{}")

const isContent = (block: Message.Block): block is Message.ResultBlock =>
  block.type !== "reasoning" && block.type !== "tool-call" && block.type !== "tool-result"

const assistant = (message: Message.Message, strict: boolean): ChatMessage => {
  const content = message.content.filter(isContent)
  const calls = Message.toolCalls(message)
  const reasoning = message.content.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("\n\n")
  return {
    role: "assistant",
    content: content.length === 0 ? null : encodeContent(content),
    ...(reasoning === "" || strict ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: callArguments(call.arguments) }
          }))
        })
  }
}

const result = (block: Message.ToolResultBlock, strict: boolean): ChatMessage => ({
  role: "tool",
  tool_call_id: block.id,
  ...(strict || block.name === "" ? {} : { name: block.name }),
  content: encodeContent(block.content),
  ...(block.isError === true && !strict ? { is_error: true } : {})
})

const encodeOne = (message: Message.Message, first: boolean, strict: boolean): ReadonlyArray<ChatMessage> => {
  if (message.role === "assistant") return [assistant(message, strict)]
  const results = Message.toolResults(message).map((block) => result(block, strict))
  const words = message.content.filter(isContent)
  if (words.length === 0) return results
  // a system message from the middle of a chat goes back as one; at the start it would be taken for the system prompt
  const role = message.metadata?.["role"] === "system" && !first ? "system" : "user"
  return [...results, { role, content: encodeContent(words) }]
}

export const encode = (
  messages: ReadonlyArray<Message.Message>,
  options: EncodeOptions = {}
): ReadonlyArray<ChatMessage> => [
  ...(options.system === undefined || options.system === ""
    ? []
    : [{ role: "system" as const, content: options.system }]),
  ...messages.flatMap((message, index) => encodeOne(message, index === 0, options.strict === true))
]

export const encodeTools = (tools: ReadonlyArray<ToolSchema>): ReadonlyArray<ChatTool> =>
  tools.map(({ description, name, parameters }) => ({
    type: "function",
    function: { name, ...(description === undefined ? {} : { description }), parameters }
  }))
