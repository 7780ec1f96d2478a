/**
 * Conversations of the OpenHands SDK: a folder with one event a file, and a state with what was counted.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Message from "../session/Message.ts"
import { type Format, type Input, isRecord } from "./Format.ts"
import { toolSchema } from "./internal/chatDecode.ts"
import { decodeContent } from "./internal/chatParts.ts"
import { transcript } from "./internal/outcome.ts"
import * as Recording from "./internal/Recording.ts"
import { fields, type Fields, list, nonEmpty, parsed, reasoning, text, usage } from "./internal/values.ts"

const isEvent = (value: unknown): value is Fields =>
  isRecord(value) && typeof value["kind"] === "string" && "source" in value && "timestamp" in value

const isState = (value: unknown): value is Fields =>
  isRecord(value) && isRecord(value["stats"]) && ("agent" in value || "execution_status" in value)

interface Named {
  readonly name: string
  readonly json: unknown
}

/** Beside a folder's files, a list of events in one file. */
const filesOf = (input: Input): ReadonlyArray<Named> => {
  if (input.folder.length > 0) {
    return input.folder.map((file, index) => ({
      name: file.name ?? `file ${index + 1}`,
      json: Either.getOrUndefined(file.json())
    }))
  }
  const json = Either.getOrUndefined(input.json())
  return Array.isArray(json)
    ? json.map((each: unknown, index) => ({ name: `event ${index + 1}`, json: each }))
    : [{ name: input.name ?? "the file", json }]
}

interface Conversation {
  readonly recording: Recording.Recording
  /** for the id of an answer, what was counted for it */
  readonly counts: Map<string, Fields>
  /** the answer to which the next call may belong */
  answer: { readonly id: string; readonly at: number } | undefined
}

const thoughts = (event: Fields): ReadonlyArray<Message.Block> => {
  const blocks = list(event["thinking_blocks"]).map((value) => {
    const { data, signature, thinking } = fields(value)
    const sealed = nonEmpty(signature)
    return typeof data === "string"
      ? reasoning("", { redacted: data })
      : reasoning(text(thinking), sealed === undefined ? {} : { signature: sealed })
  })
  const plain = nonEmpty(event["reasoning_content"])
  return blocks.length === 0 && plain !== undefined ? [reasoning(plain)] : blocks
}

/** Parallel calls are events of their own, with the id of one answer; its words stand with the first. */
const takeAction = (to: Conversation, event: Fields, place: string): void => {
  const { recording } = to
  const asked = fields(event["tool_call"])
  const id = nonEmpty(event["llm_response_id"])
  const call = Message.toolCall(
    text(event["tool_call_id"] ?? asked["id"]),
    text(event["tool_name"] ?? asked["name"]),
    parsed(asked["arguments"]) ?? event["action"] ?? {}
  )
  const blocks = [...thoughts(event), ...decodeContent(event["thought"]), call]
  if (id !== undefined && to.answer?.id === id) return Recording.grow(recording, to.answer.at, blocks)
  const at = Recording.say(recording, Message.assistant(blocks), place)
  to.answer = id === undefined ? undefined : { id, at }
  takeCount(to, id, at, place)
}

const takeCount = (to: Conversation, id: string | undefined, at: number, place: string): void => {
  const counted = id === undefined ? undefined : to.counts.get(id)
  if (counted === undefined) return
  Recording.request(
    to.recording,
    usage({
      input: counted["prompt_tokens"],
      output: counted["completion_tokens"],
      cached: counted["cache_read_tokens"],
      cacheWrite: counted["cache_write_tokens"],
      reasoning: counted["reasoning_tokens"]
    }),
    { at, place, model: nonEmpty(counted["model"]) }
  )
}

const takeMessage = (to: Conversation, event: Fields, place: string): void => {
  const said = fields(event["llm_message"])
  const content = [...decodeContent(said["content"]), ...decodeContent(event["extended_content"])]
  if (said["role"] !== "assistant") {
    to.answer = undefined
    Recording.say(to.recording, Message.user(content), place)
    return
  }
  const at = Recording.say(to.recording, Message.assistant([...thoughts(said), ...content]), place)
  takeCount(to, nonEmpty(event["llm_response_id"]), at, place)
}

const takeResult = (to: Conversation, event: Fields, place: string): void => {
  const seen = fields(event["observation"])
  const failed = event["kind"] === "AgentErrorEvent" || seen["is_error"] === true
  const words = seen["content"] ?? event["error"] ?? event["rejection_reason"]
  const result = {
    id: text(event["tool_call_id"]),
    name: text(event["tool_name"]),
    content: decodeContent(words),
    isError: failed
  }
  Recording.say(to.recording, Message.toolResult(result), place)
}

const takeSystem = ({ recording }: Conversation, event: Fields): void => {
  const system = nonEmpty(fields(event["system_prompt"])["text"])
  if (system !== undefined) recording.system = system
  if (!Array.isArray(event["tools"])) return
  // the SDK's own form of a tool has its schema under other names
  const tools = list(event["tools"]).map((value) => {
    const tool = fields(value)
    return toolSchema(
      "function" in tool
        ? tool
        : { ...tool, name: tool["name"] ?? tool["title"], parameters: tool["parameters"] ?? tool["input_schema"] }
    )
  })
  recording.tools = tools.filter((tool) => tool !== undefined)
}

/** Kinds of events that are not part of a prompt. */
const bookkeeping = new Set([
  "ConversationStateUpdateEvent",
  "PauseEvent",
  "TokenEvent",
  "CondensationRequest",
  "LLMCompletionLogEvent"
])

const takeEvent = (to: Conversation, event: Fields, place: string): void => {
  const { kind } = event
  switch (kind) {
    case "SystemPromptEvent":
    case "SystemPromptUpdateEvent":
      return takeSystem(to, event)
    case "MessageEvent":
      return takeMessage(to, event, place)
    case "ActionEvent":
      return takeAction(to, event, place)
    case "ObservationEvent":
    case "AgentErrorEvent":
    case "UserRejectObservation":
      return takeResult(to, event, place)
    default:
      if (bookkeeping.has(text(kind))) return
      Recording.count(to.recording, `events of the unknown kind ${JSON.stringify(kind)} were left out`)
  }
}

const countsOf = (state: Fields): ReadonlyMap<string, Fields> =>
  new Map(
    Object.values(fields(fields(state["stats"])["usage_to_metrics"]))
      .flatMap((metrics) => list(fields(metrics)["token_usages"]))
      .map(fields)
      .flatMap((each) => (nonEmpty(each["response_id"]) === undefined ? [] : [[text(each["response_id"]), each]]))
  )

const decode: Format["decode"] = (input, options) => {
  const recording = Recording.make(options)
  const to: Conversation = { recording, counts: new Map(), answer: undefined }
  let id = "session"
  const files = filesOf(input)
  for (const { json } of files) {
    if (!isState(json)) continue
    id = nonEmpty(json["id"]) ?? id
    for (const [response, counted] of countsOf(json)) to.counts.set(response, counted)
  }
  for (const { json, name } of files) {
    if (isEvent(json)) takeEvent(to, json, name)
    else if (!isState(json)) Recording.remark(recording, name, "it is no event and was left out")
  }
  return transcript(format.name, [{ recording, id, visible: "full" }], options)
}

/**
 * @since 0.1.0
 * @category formats
 */
export const format: Format = {
  name: "openhands-events",
  description: "a folder of the OpenHands SDK, base_state.json and events/event-00000-….json, or a JSON list of events",
  folder: true,
  recognises: (input) => filesOf(input).some(({ json }) => isEvent(json)),
  decode
}
