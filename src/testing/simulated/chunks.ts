/**
 * Writes an answer as chat completions do, streamed or whole.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import type { ChatRequest } from "./chatRequest.ts"
import type { Imitation } from "./imitation.ts"

/** Code points, so that no piece ends inside a pair. */
const pieces = (text: string, length = 160): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + length, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end--
    found.push(text.slice(at, end))
    at = end
  }
  return found
}

const argumentsText = (call: Message.ToolCallBlock) =>
  typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {})

const reasoningText = (message: Message.Message) =>
  message.content.map((block) => (block.type === "reasoning" ? block.text : "")).join("")

/**
 * The text of everything that the answer puts out, for counting.
 *
 * @since 0.1.0
 * @category getters
 */
export const outputText = (message: Message.Message) => ({
  reasoning: reasoningText(message),
  content: Message.text(message),
  calls: Message.toolCalls(message).map((call) => `${call.name}${argumentsText(call)}`)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Written {
  readonly id: string
  readonly request: ChatRequest
  readonly message: Message.Message
  readonly finish: string
  readonly usage: Readonly<Record<string, unknown>>
  readonly imitation: Imitation
}

const frame = (written: Pick<Written, "id" | "request">, object: string) => ({
  id: written.id,
  object,
  created: 0,
  model: written.request.model
})

/**
 * One chunk of a stream, as the text of its event.
 *
 * @since 0.1.0
 * @category conversions
 */
export const chunk = (
  written: Pick<Written, "id" | "request">,
  delta: object,
  finish: string | null = null,
  more: object = {}
) =>
  `data: ${JSON.stringify({
    ...frame(written, "chat.completion.chunk"),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more
  })}\n\n`

/**
 * @since 0.1.0
 * @category conversions
 */
export const streamed = (written: Written): ReadonlyArray<string> => {
  const { finish, imitation, message, request, usage } = written
  const calls = Message.toolCalls(message).map((call, index) => ({ call, index }))
  const own = imitation.usageChunk === "own"
  return [
    ...(imitation.keepAlive ? [": keep-alive\n\n"] : []),
    chunk(written, { role: "assistant", content: "" }),
    ...pieces(reasoningText(message)).map((text) => chunk(written, { reasoning_content: text })),
    ...pieces(Message.text(message)).map((text) => chunk(written, { content: text })),
    ...calls.map(({ call, index }) =>
      chunk(written, {
        tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }]
      })
    ),
    ...calls.flatMap(({ call, index }) =>
      pieces(argumentsText(call)).map((text) =>
        chunk(written, { tool_calls: [{ index, function: { arguments: text } }] })
      )
    ),
    chunk(written, {}, finish, request.includeUsage && !own ? { usage } : {}),
    ...(request.includeUsage && own
      ? [`data: ${JSON.stringify({ ...frame(written, "chat.completion.chunk"), choices: [], usage })}\n\n`]
      : []),
    "data: [DONE]\n\n"
  ]
}

/**
 * @since 0.1.0
 * @category conversions
 */
export const whole = (written: Written): unknown => {
  const { finish, message, usage } = written
  const calls = Message.toolCalls(message)
  const reasoning = reasoningText(message)
  const text = Message.text(message)
  return {
    ...frame(written, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((call) => ({
                  id: call.id,
                  type: "function",
                  function: { name: call.name, arguments: argumentsText(call) }
                }))
              })
        },
        finish_reason: finish
      }
    ],
    usage
  }
}
