/**
 * A request for OpenAI's responses: what is refused, and how the rest is read.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { ChatMessage, ChatRequest, ChatToolCall } from "./chatRequest.ts"
import { invalid, type ReadContext, type Refusal } from "./protocol.ts"
import { type Fields, isObject, parseFields } from "./requestJson.ts"
import type { Seals } from "./seals.ts"

const leastOutput = 16

const badSettings = (body: Fields): Refusal | undefined => {
  if (typeof body["model"] !== "string")
    return invalid("Missing required parameter: 'model'.", "model", "missing_required_parameter")
  const { max_output_tokens: maxTokens, previous_response_id: previous } = body
  if (typeof maxTokens === "number" && maxTokens < leastOutput) {
    return invalid(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${leastOutput}, but got ${maxTokens} instead.`,
      "max_output_tokens",
      "integer_below_min_value"
    )
  }
  // nothing is stored here
  return typeof previous === "string"
    ? invalid(
        `Previous response with id '${previous}' not found.`,
        "previous_response_id",
        "previous_response_not_found"
      )
    : undefined
}

/** Every call has its output in the input, and every output its call before it. */
const unpaired = (items: ReadonlyArray<Fields>): Refusal | undefined => {
  const open = new Set<unknown>()
  for (const { call_id: id, type } of items) {
    if (type === "function_call") open.add(id)
    if (type === "function_call_output" && !open.delete(id)) {
      return invalid(`No tool call found for function call output with call_id ${String(id)}.`, "input")
    }
  }
  const [id] = open
  return id === undefined ? undefined : invalid(`No tool output found for function call ${String(id)}.`, "input")
}

const roles: Readonly<Record<string, string>> = {
  developer: "system",
  system: "system",
  user: "user",
  assistant: "assistant"
}

/** A single text is text. */
const contentOf = (content: unknown): unknown => {
  if (!Array.isArray(content) || content.length !== 1) return content
  const [only] = content
  return isObject(only) && typeof only["text"] === "string" ? only["text"] : content
}

/** A sealed thought weighs what was thought, whatever the summary shows of it. */
const thoughtOf = ({ encrypted_content: sealed, summary }: Fields, seals: Seals) =>
  typeof sealed === "string"
    ? (seals.opened(sealed) ?? sealed)
    : Array.isArray(summary)
      ? summary.map((part) => (isObject(part) ? String(part["text"] ?? "") : "")).join("")
      : ""

const callOf = (item: Fields): ChatToolCall => ({
  id: String(item["call_id"]),
  function: { name: String(item["name"]), arguments: String(item["arguments"]) }
})

/** Thoughts, text and calls in a row are one message of the assistant. */
const messagesOf = (items: ReadonlyArray<Fields>, seals: Seals): Either.Either<ReadonlyArray<ChatMessage>, Refusal> => {
  const messages: Array<ChatMessage> = []
  const speak = (part: Omit<ChatMessage, "role">, joins: (before: ChatMessage) => boolean) => {
    const before = messages.at(-1)
    if (before?.role === "assistant" && joins(before)) messages.splice(-1, 1, { ...before, ...part })
    else messages.push({ role: "assistant", ...part })
  }
  for (const [at, item] of items.entries()) {
    const role = roles[String(item["role"])]
    switch (item["type"] ?? "message") {
      case "message":
        if (role === undefined)
          return Either.left(invalid(`Invalid value for 'input[${at}].role'.`, `input[${at}].role`, "invalid_value"))
        if (role === "assistant")
          speak(
            { content: contentOf(item["content"]) },
            (before) => before.content === undefined && before.tool_calls === undefined
          )
        else messages.push({ role, content: contentOf(item["content"]) })
        break
      case "reasoning":
        speak({ reasoning_content: thoughtOf(item, seals) }, () => false)
        break
      case "function_call":
        speak({ tool_calls: [...(messages.at(-1)?.tool_calls ?? []), callOf(item)] }, () => true)
        break
      case "function_call_output":
        messages.push({ role: "tool", tool_call_id: String(item["call_id"]), content: contentOf(item["output"]) })
        break
      case "item_reference":
        // nothing is stored here
        return Either.left(invalid(`Item with id '${String(item["id"])}' not found.`, "input"))
      default:
        return Either.left(invalid(`Invalid value: '${String(item["type"])}'.`, `input[${at}]`, "invalid_value"))
    }
  }
  return Either.right(messages)
}

/**
 * Right: the request, its instructions a message. Left: what the API refuses it with.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (text: string, { seals }: ReadContext): Either.Either<ChatRequest, Refusal> => {
  const body = parseFields(text)
  if (body === undefined) return Either.left(invalid("We could not parse the JSON body of your request."))
  const settings = badSettings(body)
  if (settings !== undefined) return Either.left(settings)
  const { include, input, instructions } = body
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input
  if (!Array.isArray(items) || !items.every(isObject) || items.length === 0) {
    return Either.left(invalid("Missing required parameter: 'input'.", "input", "missing_required_parameter"))
  }
  const refusal = unpaired(items)
  if (refusal !== undefined) return Either.left(refusal)
  return Either.map(messagesOf(items, seals), (messages) => ({
    model: String(body["model"]),
    messages: [
      ...(typeof instructions === "string" && instructions !== "" ? [{ role: "system", content: instructions }] : []),
      ...messages
    ],
    tools: Array.isArray(body["tools"]) ? body["tools"] : [],
    stream: body["stream"] === true,
    includeUsage: true,
    maxTokens: typeof body["max_output_tokens"] === "number" ? body["max_output_tokens"] : undefined,
    truncates: body["truncation"] === "auto",
    sealsWanted: Array.isArray(include) && include.includes("reasoning.encrypted_content")
  }))
}
