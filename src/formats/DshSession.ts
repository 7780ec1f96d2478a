/**
 * Event logs of the DeepSeek Harness. Only events with a `surfaceOp` change what the model sees.
 *
 * @since 0.1.0
 */
import type { ToolSchema } from "../session/Envelope.ts"
import * as Message from "../session/Message.ts"
import { type DecodeOptions, type Format, isRecord, type Reader } from "./Format.ts"
import { toolSchema } from "./internal/chatDecode.ts"
import { recordReader } from "./internal/jsonLines.ts"
import { lineFormat } from "./internal/lineFormat.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, inlineImage, list, nonEmpty, parsed, reasoning, text, usage } from "./internal/values.ts"

const resultBlock = (value: unknown): Message.ResultBlock => {
  const part = fields(value)
  if (part["type"] === "text") return Message.textBlock(text(part["text"]))
  return part["type"] === "image" && typeof part["data"] === "string"
    ? inlineImage(part["data"], part["mimeType"] ?? part["mediaType"])
    : { type: "unknown", value }
}

const resultOf = (id: unknown, part: Fields): Message.ToolResultBlock => ({
  type: "tool-result",
  id: text(id),
  name: "",
  content: list(part["content"]).map(resultBlock),
  ...(part["isError"] === true ? { isError: true } : {})
})

const block = (value: unknown): Message.Block => {
  const part = fields(value)
  switch (part["type"]) {
    case "reasoning":
      return reasoning(text(part["text"]))
    case "tool-call":
      return Message.toolCall(text(part["id"]), text(part["name"]), parsed(part["arguments"]) ?? {})
    case "tool-result":
      return resultOf(part["toolCallId"], part)
    default:
      return resultBlock(value)
  }
}

const messageOf = (type: unknown, data: Fields): Message.Message => {
  const said = isRecord(data["message"]) ? data["message"] : data
  const content = list(said["content"])
  if (type === "tool/result") {
    // older files hold the result's own content, newer ones a message with a result block in it
    const blocks = "callId" in data ? [resultOf(data["callId"], data)] : content.map(block)
    return { role: "tool", content: blocks }
  }
  if (type === "assistant/message") return Message.assistant(content.map(block))
  const message = Message.user(content.map(block))
  const source = fields(said["source"] ?? data["source"])
  return type === "context/message" || source["kind"] === "plugin"
    ? { ...message, metadata: { source: "context" } }
    : message
}

/** What stands in a log in place of a text that was taken out. */
const placeholder = /^\{\{\w+\}\}$/u

const patched = (system: string, patch: Fields): string => {
  const before = system.split("\n")
  const start = typeof patch["keepStart"] === "number" ? patch["keepStart"] : 0
  const end = typeof patch["keepEnd"] === "number" ? patch["keepEnd"] : 0
  return [...before.slice(0, start), ...list(patch["insert"]).map(text), ...(end === 0 ? [] : before.slice(-end))].join(
    "\n"
  )
}

/** One message on the model's surface: from the file's event `seq`. */
interface Seen extends Recording.Seen {
  readonly seq: number
}

interface Log {
  readonly recording: Recording.Recording
  surface: Array<Seen>
  provider: string | undefined
  model: string | undefined
  hidden: boolean
}

const takeHeader = (log: Log, header: Fields): void => {
  const { recording } = log
  const config = fields(header["config"])
  log.provider = nonEmpty(config["provider"]) ?? log.provider
  log.model = nonEmpty(config["model"]) ?? log.model
  const system = text(header["system"])
  if (placeholder.test(system) || !Array.isArray(header["tools"])) log.hidden = true
  if (!placeholder.test(system)) recording.system = system
  const tools = list(header["tools"]).map(toolSchema)
  recording.tools = tools.filter((tool): tool is ToolSchema => tool !== undefined)
}

/** The model sees one message in place of several: what stands before them, that one, and what stands behind. */
const takeReplacement = (log: Log, message: Message.Message, seq: number, span: Fields, place: string): void => {
  const { recording, surface } = log
  const first = surface.findIndex((seen) => seen.seq === span["start"])
  const last = surface.findIndex((seen) => seen.seq === span["end"])
  if (first === -1 || last < first) {
    Recording.remark(recording, place, "it replaces messages that are not there, and was added instead")
    return takeAppended(log, message, seq, place)
  }
  const after = surface.slice(last + 1)
  const replacement = { seq, message: Recording.kept(recording, message, place), index: undefined }
  log.surface = [...surface.slice(0, first), replacement, ...after]
  Recording.seenNow(recording, log.surface)
}

const takeAppended = (log: Log, message: Message.Message, seq: number, place: string): void => {
  const index = Recording.say(log.recording, message, place)
  log.surface.push({ seq, message: log.recording.messages[index]?.message ?? message, index })
}

const takeMessage = (log: Log, event: Fields, seq: number, place: string): void => {
  const { recording } = log
  const data = fields(event["data"])
  const message = messageOf(event["type"], data)
  const counted = fields(data["usage"])
  Recording.request(
    recording,
    usage({
      uncached: counted["inputTokens"],
      output: counted["outputTokens"],
      cached: counted["cacheReadTokens"],
      reasoning: counted["reasoningTokens"]
    }),
    { at: recording.messages.length, place, provider: log.provider, model: log.model }
  )
  const operation = event["surfaceOp"]
  if (isRecord(operation) && operation["op"] === "replace") takeReplacement(log, message, seq, operation, place)
  else takeAppended(log, message, seq, place)
}

const reader = (options?: DecodeOptions): Reader => {
  const recording = Recording.make(options)
  const log: Log = { recording, surface: [], provider: undefined, model: undefined, hidden: false }
  let id = "session"
  let position = 0
  const take = (event: Fields, place: string): void => {
    if (event["type"] === "session") {
      id = nonEmpty(event["id"]) ?? id
      return
    }
    const seq = typeof event["seq"] === "number" ? event["seq"] : position
    position = seq + 1
    const data = fields(event["data"])
    if ("surfaceOp" in event) takeMessage(log, event, seq, place)
    else if (event["type"] === "request/header") takeHeader(log, fields(data["header"]))
    else if (event["type"] === "request/header-delta" && recording.system !== undefined) {
      recording.system = patched(recording.system, fields(data["system"]))
    }
  }
  return recordReader({
    take,
    odd: (place, sentence) => Recording.remark(recording, place, sentence),
    end: () => transcript(format.name, [{ recording, id, visible: log.hidden ? "messages" : "full" }], options)
  })
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = lineFormat({
  name: "dsh-session",
  description: 'an event log of the DeepSeek Harness, first line {"type": "session", "createdAt": …}',
  recognises: (input) => {
    const first = input.firstLine()
    return isRecord(first) && first["type"] === "session" && "createdAt" in first
  },
  reader
})
