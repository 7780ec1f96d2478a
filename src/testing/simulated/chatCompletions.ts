/**
 * OpenAI's chat completions, as they are read and written.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../../session/Message.ts"
import type { ChatMessage, ChatRequest } from "./chatRequest.ts"
import { argumentsText, inPieces, reasoningText } from "./pieces.ts"
import {
  invalid,
  type End,
  type Frame,
  type Protocol,
  type ReadContext,
  type Refusal,
  type Written
} from "./protocol.ts"

/** Every call is answered by the tool messages behind it, and they answer nothing else. */
const unpaired = (messages: ReadonlyArray<ChatMessage>): Refusal | undefined => {
  let open: ReadonlyArray<string> = []
  let calling = 0
  const unanswered = () =>
    open.length === 0
      ? undefined
      : invalid(
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
          `messages.[${calling}].role`
        )
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id ?? "")) {
        return invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${at}].role`
        )
      }
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    const refusal = unanswered()
    if (refusal !== undefined) return refusal
    open = (message.tool_calls ?? []).map(({ id }) => id ?? "")
    calling = at
  }
  return unanswered()
}

/** Who bounds the ids of calls is strict about their names, too. */
const badCall = (messages: ReadonlyArray<ChatMessage>, { idLength }: ReadContext): Refusal | undefined => {
  for (const [at, { tool_calls: calls }] of messages.entries()) {
    if (calls === undefined) continue
    const place = `messages[${at}].tool_calls`
    if (calls.length === 0) {
      return invalid(
        `Invalid '${place}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        place,
        "empty_array"
      )
    }
    const odd = calls.findIndex(({ function: { name = "" } = {} }) => idLength !== undefined && !/^[\w-]+$/.test(name))
    if (odd !== -1) {
      return invalid(
        `Invalid '${place}[${odd}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        `${place}[${odd}].function.name`,
        "invalid_value"
      )
    }
    const long = calls.findIndex(({ id = "" }) => idLength !== undefined && id.length > idLength)
    if (long !== -1) {
      return invalid(
        `Invalid '${place}[${long}].id': string too long. Expected a string with maximum length ${idLength}, but got a string with length ${calls[long]?.id?.length} instead.`,
        `${place}[${long}].id`,
        "string_above_max_length"
      )
    }
  }
  return undefined
}

const isMessage = (value: unknown) => typeof value === "object" && value !== null && "role" in value

const parse = (text: string): ChatRequest | undefined => {
  try {
    const body = JSON.parse(text)
    if (typeof body.model !== "string" || !Array.isArray(body.messages) || body.messages.length === 0) return undefined
    if (!body.messages.every(isMessage)) return undefined
    const maxTokens = body.max_completion_tokens ?? body.max_tokens
    return {
      model: body.model,
      messages: body.messages,
      tools: Array.isArray(body.tools) ? body.tools : [],
      stream: body.stream === true,
      includeUsage: body.stream_options?.include_usage === true,
      maxTokens: typeof maxTokens === "number" ? maxTokens : undefined
    }
  } catch {
    return undefined
  }
}

const read = (text: string, context: ReadContext): Either.Either<ChatRequest, Refusal> => {
  const request = parse(text)
  if (request === undefined) return Either.left(invalid("Failed to parse the request body"))
  const refusal = badCall(request.messages, context) ?? unpaired(request.messages)
  return refusal === undefined ? Either.right(request) : Either.left(refusal)
}

const frameOf = ({ index, request }: Frame, object: string) => ({
  id: `chatcmpl-${index}`,
  object,
  created: 0,
  model: request.model
})

/** One chunk of a stream, as the text of its event. */
const chunk = (frame: Frame, delta: object, finish: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({
    ...frameOf(frame, "chat.completion.chunk"),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more
  })}\n\n`

const finishes = { stop: "stop", "tool-calls": "tool_calls", length: "length", window: "length" } as const

const finishOf = (end: End) => ("word" in end ? end.word : finishes[end.reason])

const opening = (frame: Frame) => [
  ...(frame.chat.keepAlive ? [": keep-alive\n\n"] : []),
  chunk(frame, { role: "assistant", content: "" })
]

const streamed = (written: Written): ReadonlyArray<string> => {
  const { chat, end, message, request } = written
  const usage = chat.usage(written.usage)
  const calls = Message.toolCalls(message).map((call, index) => ({ call, index }))
  const own = chat.usageChunk === "own"
  return [
    ...opening(written),
    ...inPieces(reasoningText(message)).map((text) => chunk(written, { reasoning_content: text })),
    ...inPieces(Message.text(message)).map((text) => chunk(written, { content: text })),
    ...calls.map(({ call, index }) =>
      chunk(written, {
        tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }]
      })
    ),
    ...calls.flatMap(({ call, index }) =>
      inPieces(argumentsText(call)).map((text) =>
        chunk(written, { tool_calls: [{ index, function: { arguments: text } }] })
      )
    ),
    chunk(written, {}, finishOf(end), request.includeUsage && !own ? { usage } : {}),
    ...(request.includeUsage && own
      ? [`data: ${JSON.stringify({ ...frameOf(written, "chat.completion.chunk"), choices: [], usage })}\n\n`]
      : []),
    "data: [DONE]\n\n"
  ]
}

const whole = (written: Written): unknown => {
  const { chat, end, message, usage } = written
  const calls = Message.toolCalls(message)
  const reasoning = reasoningText(message)
  const text = Message.text(message)
  return {
    ...frameOf(written, "chat.completion"),
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
        finish_reason: finishOf(end)
      }
    ],
    usage: chat.usage(usage)
  }
}

const errorBody = ({ code, message, param, type }: Refusal) => ({ error: { message, type, param, code } })

/**
 * @since 0.1.0
 * @category constants
 */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  path: "/chat/completions",
  requestIdHeader: "x-request-id",
  read,
  whole,
  streamed,
  begun: (frame, text, error) => [
    ...opening(frame),
    ...(text === "" ? [] : [chunk(frame, { content: text })]),
    ...(error === undefined ? [] : [`data: ${JSON.stringify(errorBody(error))}\n\n`])
  ],
  refusal: errorBody
}
