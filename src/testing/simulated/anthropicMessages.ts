/**
 * Anthropic messages, as they are written.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import { read } from "./anthropicRequest.ts"
import { argumentsText, inPieces, namedEvent } from "./pieces.ts"
import type { End, Frame, Protocol, Refusal, ReportedUsage, Written } from "./protocol.ts"

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  529: "overloaded_error"
}

const error = ({ message, status }: Refusal) => ({
  type: "error" as const,
  error: { type: errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message }
})

const stops = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  window: "model_context_window_exceeded"
} as const

const stopOf = (end: End) => ("word" in end ? end.word : stops[end.reason])

/** The input is what was neither read from the cache nor written to it. */
const inputUsage = ({ cached, input, written }: ReportedUsage) => ({
  input_tokens: Math.max(0, input - cached - written),
  cache_creation_input_tokens: written,
  cache_read_input_tokens: cached
})

const usageOf = (usage: ReportedUsage, output: number) => ({
  ...inputUsage(usage),
  cache_creation: { ephemeral_5m_input_tokens: usage.written, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
  service_tier: "standard"
})

const messageOf = (frame: Frame, content: ReadonlyArray<object>, stop: string | null, output: number) => ({
  id: `msg_${frame.index}`,
  type: "message",
  role: "assistant",
  model: frame.request.model,
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: usageOf(frame.usage, output)
})

/** A call's arguments are an object; a script may have them as text that is none. */
const inputOf = (call: Message.ToolCallBlock): unknown => {
  try {
    return JSON.parse(argumentsText(call))
  } catch {
    return {}
  }
}

/** A block as it begins, what comes in pieces, and as it is whole. */
interface Unfolded {
  readonly start: object
  readonly deltas: ReadonlyArray<object>
  readonly whole: object
}

const textBlock = (text: string): Unfolded => ({
  start: { type: "text", text: "" },
  deltas: inPieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  whole: { type: "text", text }
})

const unfold = (block: Message.Block, frame: Frame): ReadonlyArray<Unfolded> => {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [textBlock(block.text)]
    case "reasoning": {
      const signature = frame.seals.seal(block, frame.request)
      if (block.redacted !== undefined) {
        const whole = { type: "redacted_thinking", data: signature }
        return [{ start: whole, deltas: [], whole }]
      }
      return [
        {
          start: { type: "thinking", thinking: "", signature: "" },
          deltas: [
            ...inPieces(block.text).map((thinking) => ({ type: "thinking_delta", thinking })),
            { type: "signature_delta", signature }
          ],
          whole: { type: "thinking", thinking: block.text, signature }
        }
      ]
    }
    case "tool-call": {
      const call = { type: "tool_use", id: block.id, name: block.name }
      return [
        {
          start: { ...call, input: {} },
          deltas: ["", ...inPieces(argumentsText(block))].map((json) => ({
            type: "input_json_delta",
            partial_json: json
          })),
          whole: { ...call, input: inputOf(block) }
        }
      ]
    }
    default:
      return []
  }
}

const opening = (frame: Frame) => [
  namedEvent({ type: "message_start", message: messageOf(frame, [], null, 1) }),
  namedEvent({ type: "ping" })
]

const begin = ({ deltas, start }: Unfolded, index: number) =>
  [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta }))
  ].map(namedEvent)

const whole = (written: Written): unknown =>
  messageOf(
    written,
    written.message.content.flatMap((block) => unfold(block, written)).map((block) => block.whole),
    stopOf(written.end),
    written.usage.output
  )

const streamed = (written: Written): ReadonlyArray<string> => [
  ...opening(written),
  ...written.message.content
    .flatMap((block) => unfold(block, written))
    .flatMap((block, index) => [...begin(block, index), namedEvent({ type: "content_block_stop", index })]),
  namedEvent({
    type: "message_delta",
    delta: { stop_reason: stopOf(written.end), stop_sequence: null },
    usage: { ...inputUsage(written.usage), output_tokens: written.usage.output }
  }),
  namedEvent({ type: "message_stop" })
]

/**
 * @since 0.1.0
 * @category constants
 */
export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  path: "/messages",
  requestIdHeader: "request-id",
  read,
  whole,
  streamed,
  begun: (frame, text, refusal) => [
    ...opening(frame),
    ...(text === "" ? [] : begin(textBlock(text), 0)),
    ...(refusal === undefined ? [] : [namedEvent(error(refusal))])
  ],
  refusal: (refusal, requestId) => ({ ...error(refusal), request_id: requestId })
}
