/**
 * OpenAI's responses, as they are written.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import { argumentsText, inPieces, namedEvent } from "./pieces.ts"
import type { End, Frame, Protocol, Refusal, ReportedUsage, Written } from "./protocol.ts"
import { read } from "./responsesRequest.ts"

interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

/** All events of a response are counted. */
const numbered = (events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  events.map((event, sequence) => namedEvent({ ...event, sequence_number: sequence }))

const usageOf = ({ cached, input, output, reasoning }: ReportedUsage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output
})

const responseOf = ({ index, request }: Frame, status: string, more: object = {}) => ({
  id: `resp_${index}`,
  object: "response",
  created_at: 0,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: request.maxTokens ?? null,
  metadata: {},
  model: request.model,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: request.truncates === true ? "auto" : "disabled",
  usage: null,
  ...more
})

/** An item of the output as it begins, the events it comes in, and as it is whole. */
interface Unfolded {
  readonly start: object
  readonly events: ReadonlyArray<Event>
  readonly whole: object
}

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] })

const messageItem = (id: string, text: string): Unfolded => {
  const item = { id, type: "message", role: "assistant" }
  const place = { item_id: id, content_index: 0 }
  return {
    start: { ...item, status: "in_progress", content: [] },
    events: [
      { type: "response.content_part.added", ...place, part: textPart("") },
      ...inPieces(text).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part: textPart(text) }
    ],
    whole: { ...item, status: "completed", content: [textPart(text)] }
  }
}

const callItem = (id: string, call: Message.ToolCallBlock): Unfolded => {
  const item = { id, type: "function_call", call_id: call.id, name: call.name }
  const text = argumentsText(call)
  return {
    start: { ...item, status: "in_progress", arguments: "" },
    events: [
      ...inPieces(text).map((delta) => ({ type: "response.function_call_arguments.delta", item_id: id, delta })),
      { type: "response.function_call_arguments.done", item_id: id, arguments: text }
    ],
    whole: { ...item, status: "completed", arguments: text }
  }
}

const reasoningItem = (id: string, text: string, sealed: string | undefined): Unfolded => {
  const item = { id, type: "reasoning", ...(sealed === undefined ? {} : { encrypted_content: sealed }) }
  const place = { item_id: id, summary_index: 0 }
  const part = { type: "summary_text", text }
  return {
    start: { ...item, summary: [] },
    events:
      text === ""
        ? []
        : [
            { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
            ...inPieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
            { type: "response.reasoning_summary_text.done", ...place, text },
            { type: "response.reasoning_summary_part.done", ...place, part }
          ],
    whole: { ...item, summary: text === "" ? [] : [part] }
  }
}

const unfold = (block: Message.Block, place: number, { index, request, seals }: Frame): ReadonlyArray<Unfolded> => {
  const id = `${index}_${place}`
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [messageItem(`msg_${id}`, block.text)]
    case "reasoning":
      return [
        reasoningItem(`rs_${id}`, block.text, request.sealsWanted === true ? seals.seal(block, request) : undefined)
      ]
    case "tool-call":
      return [callItem(`fc_${id}`, block)]
    default:
      return []
  }
}

const itemsOf = (written: Written): ReadonlyArray<Unfolded> =>
  written.message.content.flatMap((block, place) => unfold(block, place, written))

/** Cut off, and by what; undefined: it is complete. */
const incompleteness = (end: End): string | undefined => {
  if ("word" in end) return end.word === "stop" || end.word === "completed" ? undefined : end.word
  return end.reason === "length" || end.reason === "window" ? "max_output_tokens" : undefined
}

const finished = (written: Written) => {
  const reason = incompleteness(written.end)
  return responseOf(written, reason === undefined ? "completed" : "incomplete", {
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(written).map((item) => item.whole),
    usage: usageOf(written.usage)
  })
}

const opening = (frame: Frame): ReadonlyArray<Event> => [
  { type: "response.created", response: responseOf(frame, "in_progress") },
  { type: "response.in_progress", response: responseOf(frame, "in_progress") }
]

const itemEvents = (item: Unfolded, index: number): ReadonlyArray<Event> => [
  { type: "response.output_item.added", output_index: index, item: item.start },
  ...item.events.map((event) => ({ ...event, output_index: index })),
  { type: "response.output_item.done", output_index: index, item: item.whole }
]

const streamed = (written: Written): ReadonlyArray<string> => {
  const response = finished(written)
  return numbered([
    ...opening(written),
    ...itemsOf(written).flatMap(itemEvents),
    { type: `response.${response.status}`, response }
  ])
}

/** What has to do with the request makes the response fail; anything else is an event of its own. */
const failure = (frame: Frame, { code, message, param, status, type }: Refusal): Event =>
  status === 400
    ? { type: "response.failed", response: responseOf(frame, "failed", { error: { code: code ?? type, message } }) }
    : { type: "error", code: code ?? type, message, param }

/** An item whose text has begun, and has not come to its end. */
const textEvents = (frame: Frame, text: string): ReadonlyArray<Event> =>
  itemEvents(messageItem(`msg_${frame.index}_0`, text), 0).filter(({ type }) => !type.endsWith("done"))

/**
 * @since 0.1.0
 * @category constants
 */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  path: "/responses",
  requestIdHeader: "x-request-id",
  read,
  whole: finished,
  streamed,
  begun: (frame, text, error) =>
    numbered([
      ...opening(frame),
      ...(text === "" ? [] : textEvents(frame, text)),
      ...(error === undefined ? [] : [failure(frame, error)])
    ]),
  refusal: ({ code, message, param, type }) => ({ error: { message, type, param, code } })
}
