/**
 * Rollouts of OpenAI's Codex: one item a line, in an envelope or, in files of 2025, without one.
 *
 * @since 0.1.0
 */
import * as Message from "../session/Message.ts"
import { type DecodeOptions, type Format, isRecord, type Reader } from "./Format.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, json, list, nonEmpty, parsed, reasoning, text, usage } from "./internal/values.ts"

const imageUrl = (url: string): Message.ImageBlock => {
  const inline = /^data:([^;,]+);base64,/u.exec(url)
  return inline === null
    ? { type: "image", source: { type: "url", url } }
    : { type: "image", source: { type: "base64", base64: url.slice(inline[0].length) }, mediaType: inline[1] ?? "" }
}

const part = (value: unknown): Message.ResultBlock => {
  const { image_url: image, text: words, type } = fields(value)
  if (typeof words === "string") return Message.textBlock(words)
  const url = nonEmpty(image)
  return type === "input_image" && url !== undefined ? imageUrl(url) : { type: "unknown", value }
}

const parts = (value: unknown): ReadonlyArray<Message.ResultBlock> =>
  typeof value === "string" ? [Message.textBlock(value)] : list(value).map(part)

const thought = (item: Fields): Message.Block => {
  const redacted = nonEmpty(item["encrypted_content"])
  const shown = [...list(item["summary"]), ...list(item["content"])].map((each) => text(fields(each)["text"]))
  return reasoning(shown.join("\n\n"), redacted === undefined ? {} : { redacted })
}

/** What belongs to an answer of the model. */
const answerBlocks = (item: Fields): ReadonlyArray<Message.Block> | undefined => {
  switch (item["type"]) {
    case "reasoning":
      return [thought(item)]
    case "function_call":
      return [Message.toolCall(text(item["call_id"]), text(item["name"]), parsed(item["arguments"]) ?? {})]
    case "custom_tool_call":
      // a custom tool's input is text by definition
      return [Message.toolCall(text(item["call_id"]), text(item["name"]), item["input"] ?? "")]
    case "message":
      return item["role"] === "assistant" ? parts(item["content"]) : undefined
    default:
      return undefined
  }
}

const inputMessage = (item: Fields): Message.Message | undefined => {
  switch (item["type"]) {
    case "message": {
      const message = Message.user(parts(item["content"]))
      return item["role"] === "user" ? message : { ...message, metadata: { source: "context", role: item["role"] } }
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output } = item
      const content = Array.isArray(output) ? parts(output) : [Message.textBlock(json(output))]
      return Message.toolResult({ id: text(item["call_id"]), name: "", content })
    }
    default:
      return undefined
  }
}

interface Rollout {
  readonly recording: Recording.Recording
  id: string
  model: string | undefined
  /** where the newest answer begins, until its usage is told */
  answer: number | undefined
  /** whether the next item of an answer goes to it */
  answering: boolean
  total: string | undefined
}

const takeItem = (rollout: Rollout, item: Fields, place: string): void => {
  const { recording } = rollout
  const blocks = answerBlocks(item)
  if (blocks !== undefined) {
    if (rollout.answering) Recording.grow(recording, recording.messages.length - 1, blocks)
    else rollout.answer = Recording.say(recording, Message.assistant(blocks), place)
    rollout.answering = true
    return
  }
  const message = inputMessage(item)
  if (message === undefined) {
    return Recording.count(recording, `items of the unknown type ${JSON.stringify(item["type"])} were left out`)
  }
  rollout.answering = false
  Recording.say(recording, message, place)
}

const takeCount = (rollout: Rollout, info: Fields, place: string): void => {
  const counted = fields(info["last_token_usage"])
  const total = json(info["total_token_usage"])
  if (total === "" || total === rollout.total) return
  rollout.total = total
  const read = usage({
    input: counted["input_tokens"],
    output: counted["output_tokens"],
    cached: counted["cached_input_tokens"],
    reasoning: counted["reasoning_output_tokens"]
  })
  if (read === undefined) Recording.count(rollout.recording, "token counts are not readable")
  const { answer = rollout.recording.messages.length, model, recording } = rollout
  Recording.request(recording, read, { at: answer, place, provider: "openai", model })
  rollout.answer = undefined
  rollout.answering = false
}

const takeCompacted = (rollout: Rollout, payload: Fields): void => {
  const replacement = list(payload["replacement_history"]).map((item) => inputMessage(fields(item)))
  const head = replacement.filter((message) => message !== undefined)
  Recording.compacted(rollout.recording, head.length > 0 ? head : [Message.user(text(payload["message"]))])
  rollout.answering = false
}

const take = (rollout: Rollout, record: Fields, place: string): void => {
  const { recording } = rollout
  const payload = fields(record["payload"])
  if (!("payload" in record)) {
    // the layout of 2025: items at top level, a header without a type, and states in between
    if (record["type"] !== undefined) takeItem(rollout, record, place)
    else rollout.id = nonEmpty(record["id"]) ?? rollout.id
    return
  }
  switch (record["type"]) {
    case "session_meta": {
      rollout.id = nonEmpty(payload["id"]) ?? rollout.id
      const instructions = payload["base_instructions"]
      const system = nonEmpty(instructions) ?? nonEmpty(fields(instructions)["text"])
      if (system !== undefined) recording.system = system
      return
    }
    case "turn_context":
      rollout.model = nonEmpty(payload["model"]) ?? rollout.model
      return
    case "response_item":
      return takeItem(rollout, payload, place)
    case "compacted":
      return takeCompacted(rollout, payload)
    case "event_msg":
      if (payload["type"] === "token_count") takeCount(rollout, fields(payload["info"]), place)
      return
    default:
      Recording.count(recording, `lines of the unknown type ${JSON.stringify(record["type"])} were left out`)
  }
}

const reader = (options?: DecodeOptions): Reader => {
  const recording = Recording.make(options)
  const rollout: Rollout = {
    recording,
    id: "session",
    model: undefined,
    answer: undefined,
    answering: false,
    total: undefined
  }
  return recordReader({
    take: (record, place) => take(rollout, record, place),
    odd: (place, sentence) => Recording.remark(recording, place, sentence),
    end: () => transcript(format.name, [{ recording, id: rollout.id, visible: "messages" }], options)
  })
}

const enveloped = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"])

const isOwn = (value: unknown): boolean =>
  isRecord(value) &&
  ((enveloped.has(text(value["type"])) && "payload" in value) ||
    value["record_type"] === "state" ||
    (value["type"] === undefined && "id" in value && "timestamp" in value && "instructions" in value))

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "codex-rollout",
  description: 'a rollout of Codex, lines {"timestamp": …, "type": "response_item", "payload": …}',
  recognises: (input) => input.firstLines().some(isOwn),
  reader
})
