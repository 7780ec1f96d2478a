/**
 * Tasks of Roo Code: the messages as they were sent last, and the log of its window, which has the usage and what was
 * said before the conversation was condensed. Tools are XML in the text.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../session/Message.ts"
import type { Usage } from "../session/Usage.ts"
import { type Format, type Input, isRecord } from "./Format.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, list, parsed, text, textBlocks, usage } from "./internal/values.ts"

interface Said {
  readonly message: Message.Message
  readonly time: number
  readonly summary: boolean
}

interface Asked {
  readonly index: number
  readonly time: number
  readonly request: string
  readonly usage: Usage | undefined
  /** what the window showed of the answer */
  answer: string
}

const timeOf = (value: Fields): number => (typeof value["ts"] === "number" ? value["ts"] : 0)

const block = (value: unknown): Message.Block => {
  const part = fields(value)
  if (part["type"] === "text") return Message.textBlock(text(part["text"]))
  const source = fields(part["source"])
  return part["type"] === "image" && source["type"] === "base64"
    ? {
        type: "image",
        source: { type: "base64", base64: text(source["data"]) },
        mediaType: text(source["media_type"])
      }
    : { type: "unknown", value }
}

const sent = (value: unknown): Said => {
  const said = fields(value)
  const content = typeof said["content"] === "string" ? textBlocks(said["content"]) : list(said["content"]).map(block)
  return {
    message: said["role"] === "assistant" ? Message.assistant(content) : Message.user(content),
    time: timeOf(said),
    summary: said["isSummary"] === true
  }
}

const asked = (event: Fields, index: number): Asked => {
  const detail = fields(parsed(event["text"]))
  const cached = detail["cacheReads"]
  const figures = { output: detail["tokensOut"], cached, cacheWrite: detail["cacheWrites"] }
  return {
    index,
    time: timeOf(event),
    request: text(detail["request"]),
    usage: usage(
      detail["apiProtocol"] === "anthropic"
        ? { ...figures, uncached: detail["tokensIn"] }
        : { ...figures, input: detail["tokensIn"] }
    ),
    answer: ""
  }
}

const shown = new Set(["text", "completion_result", "tool", "use_mcp_server", "command"])

interface Window {
  readonly requests: ReadonlyArray<Asked>
  readonly condensed: ReadonlyArray<number>
}

const readWindow = (events: ReadonlyArray<unknown>): Window => {
  const requests: Array<Asked> = []
  const condensed: Array<number> = []
  for (const [index, value] of events.entries()) {
    const event = fields(value)
    const kind = text(event["say"] ?? event["ask"])
    const newest = requests.at(-1)
    if (kind === "api_req_started") requests.push(asked(event, index))
    else if (kind === "condense_context") condensed.push(timeOf(event))
    else if (newest !== undefined && shown.has(kind)) {
      newest.answer += newest.answer === "" ? text(event["text"]) : `\n\n${text(event["text"])}`
    }
  }
  return { requests, condensed }
}

const place = (request: Asked) => `message ${request.index}`

/** What the window showed, in place of messages that the condensing removed. */
const fromWindow = (recording: Recording.Recording, requests: ReadonlyArray<Asked>): void => {
  for (const request of requests) {
    Recording.say(recording, Message.user(request.request), place(request))
    const at = recording.messages.length
    Recording.request(recording, request.usage, { at, place: place(request) })
    Recording.say(recording, Message.assistant(request.answer), place(request))
  }
}

const both = (recording: Recording.Recording, history: ReadonlyArray<Said>, window: Window): void => {
  const summary = history.findLastIndex((said) => said.summary)
  const kept = history.slice(summary + 1)
  const since = kept[0]?.time ?? Infinity
  const earlier = summary === -1 ? [] : window.requests.filter((request) => request.time + 1_000 < since)
  if (earlier.length > 0) {
    recording.notes.push("what the condensing removed was read from the log of the window, without its XML")
  }
  fromWindow(recording, earlier)
  const keptFrom = recording.messages.length
  const condensed = window.condensed.at(-1) ?? since
  let head = summary === -1 ? undefined : history.slice(0, summary + 1).map((said) => said.message)
  const waiting = window.requests.slice(earlier.length)
  for (const said of kept) {
    if (head !== undefined && said.time > condensed) {
      Recording.compacted(recording, head, keptFrom)
      head = undefined
    }
    // a request is logged just before the message that it was sent with
    while (said.message.role === "assistant" && waiting[0] !== undefined && waiting[0].time <= said.time) {
      const request = waiting.shift()!
      Recording.request(recording, request.usage, { at: recording.messages.length, place: place(request) })
    }
    Recording.say(recording, said.message, "the history")
  }
  if (head !== undefined) Recording.compacted(recording, head, keptFrom)
  for (const request of waiting) {
    Recording.request(recording, request.usage, { at: recording.messages.length, place: place(request) })
  }
}

const isWindow = (json: unknown): json is ReadonlyArray<unknown> => {
  const first = list(json)[0]
  return isRecord(first) && "ts" in first && (first["type"] === "say" || first["type"] === "ask")
}

const isHistory = (json: unknown): json is ReadonlyArray<unknown> => {
  const first = list(json)[0]
  return isRecord(first) && "ts" in first && "role" in first && "content" in first
}

/** What Roo Code keeps in a task's folder. */
const ownName = /(?:^|[./])(?:api_conversation_history|ui_messages|task_metadata|history_item)\.json$/u

const jsonOf = (input: Input): ReadonlyArray<unknown> =>
  (input.folder.length === 0 ? [input] : input.folder).map((file) => Either.getOrUndefined(file.json()))

const decode: Format["decode"] = (input, options) => {
  const files = jsonOf(input)
  const history = files.find(isHistory)?.map(sent)
  const window = files.find(isWindow)
  const recording = Recording.make(options)
  if (history !== undefined && window !== undefined) both(recording, history, readWindow(window))
  else if (window !== undefined) fromWindow(recording, readWindow(window).requests)
  for (const said of window === undefined ? (history ?? []) : []) {
    Recording.say(recording, said.message, "the history")
    if (said.summary) recording.notes.push("the conversation was condensed; what was before the summary is not there")
  }
  return transcript(format.name, [{ recording, id: "session", visible: "messages" }], options)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name: "roo-task",
  description: "a task of Roo Code: api_conversation_history.json, ui_messages.json, or a folder with both",
  folder: true,
  recognises: (input) =>
    // a folder that holds a task of Roo beside sessions of others is no task
    input.folder.every(({ name }) => name === undefined || ownName.test(name)) &&
    jsonOf(input).some((json) => isHistory(json) || isWindow(json)),
  decode
}
