/**
 * What the API of Anthropic messages refuses in a request.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { invalid, type ReadContext, type Refusal } from "./protocol.ts"
import { type Fields, isObject } from "./requestJson.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Block extends Fields {
  readonly type: string
}

/**
 * Messages of one role in a row are one turn; `at` is where the first of them stands in the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Block>
  readonly at: number
}

const isBlock = (value: unknown): value is Block => isObject(value) && typeof value["type"] === "string"

/**
 * The blocks of a content, which may be a text; undefined: it is neither.
 *
 * @since 0.1.0
 * @category getters
 */
export const blocksOf = (content: unknown): ReadonlyArray<Block> | undefined =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content) && content.every(isBlock)
      ? content
      : undefined

/**
 * @since 0.1.0
 * @category getters
 */
export const textOf = ({ text }: Block): string => (typeof text === "string" ? text : "")

/**
 * @since 0.1.0
 * @category getters
 */
export const idOf = (block: Block, field: "id" | "tool_use_id"): string => String(block[field] ?? "")

const fieldNames = new Set(
  (
    "model messages system tools tool_choice max_tokens stream temperature top_k top_p stop_sequences metadata " +
    "thinking service_tier container context_management mcp_servers output_config output_format inference_geo " +
    "cache_control speed"
  ).split(" ")
)

const idPattern = /^[a-zA-Z0-9_-]+$/
const mostMarks = 4

/** Everything in the request that is marked to be cached. */
const marksIn = (value: unknown): number =>
  Array.isArray(value)
    ? value.reduce((sum: number, inner) => sum + marksIn(inner), 0)
    : isObject(value)
      ? (value["cache_control"] == null ? 0 : 1) + marksIn(value["content"])
      : 0

/**
 * @since 0.1.0
 * @category predicates
 */
export const isThought = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking"

/**
 * What is wrong with everything but the messages.
 *
 * @since 0.1.0
 * @category getters
 */
export const badSettings = (body: Fields): Refusal | undefined => {
  const unknown = Object.keys(body).find((name) => !fieldNames.has(name))
  if (unknown !== undefined) return invalid(`${unknown}: Extra inputs are not permitted`)
  for (const name of ["model", "messages", "max_tokens"]) {
    if (body[name] === undefined) return invalid(`${name}: Field required`)
  }
  const maxTokens = body["max_tokens"]
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens)) {
    return invalid("max_tokens: Input should be a valid integer")
  }
  if (maxTokens < 1) return invalid("max_tokens: Input should be greater than or equal to 1")
  const { budget_tokens: budget, type } = isObject(body["thinking"]) ? body["thinking"] : {}
  if (type === "enabled" && typeof budget === "number") {
    if (budget < 1024) {
      return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    }
    if (budget >= maxTokens) return invalid("`max_tokens` must be greater than `thinking.budget_tokens`")
  }
  const marks = marksIn(body["tools"]) + marksIn(body["system"]) + marksIn(body["messages"])
  return marks > mostMarks
    ? invalid(`A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${marks}.`)
    : undefined
}

/**
 * @since 0.1.0
 * @category getters
 */
export const badText = (blocks: ReadonlyArray<Block>, where: string): Refusal | undefined => {
  for (const [at, block] of blocks.entries()) {
    if (block.type !== "text") continue
    if (textOf(block) === "") {
      return block["cache_control"] == null
        ? invalid(`${where}: text content blocks must be non-empty`)
        : invalid(`${where}.${at}: cache_control cannot be set for empty text blocks`)
    }
    if (textOf(block).trim() === "") {
      return invalid(`${where}: text content blocks must contain non-whitespace text`)
    }
  }
  return undefined
}

/** Ids, and the signatures of thoughts. */
const badBlock = (block: Block, where: string, { seals }: ReadContext): Refusal | undefined => {
  if (block.type === "tool_use" && !idPattern.test(idOf(block, "id"))) {
    return invalid(`${where}.tool_use.id: String should match pattern '${idPattern.source}'`)
  }
  if (block.type === "tool_use" && !isObject(block["input"])) {
    return invalid(`${where}.tool_use.input: Input should be a valid dictionary`)
  }
  if (block.type === "tool_result" && !idPattern.test(idOf(block, "tool_use_id"))) {
    return invalid(`${where}.tool_result.tool_use_id: String should match pattern '${idPattern.source}'`)
  }
  if (block.type === "thinking" && !seals.isGiven(String(block["signature"] ?? ""), String(block["thinking"] ?? ""))) {
    return invalid(`${where}: Invalid \`signature\` in \`thinking\` block`)
  }
  if (block.type === "redacted_thinking" && !seals.isGiven(String(block["data"] ?? ""), "")) {
    return invalid(`${where}: Invalid \`data\` in \`redacted_thinking\` block`)
  }
  return undefined
}

/** The results that a turn begins with: behind anything else they answer no call. */
const leadingResults = (turn: Turn | undefined): ReadonlyArray<string> => {
  const content = turn?.content ?? []
  const end = content.findIndex(({ type }) => type !== "tool_result")
  return content.slice(0, end === -1 ? content.length : end).map((block) => idOf(block, "tool_use_id"))
}

const callsOf = (turn: Turn | undefined): ReadonlyArray<string> =>
  (turn?.content ?? []).filter(({ type }) => type === "tool_use").map((block) => idOf(block, "id"))

/**
 * A call is answered in the next message, and a result answers a call of the one before.
 *
 * @since 0.1.0
 * @category getters
 */
export const unpaired = (turns: ReadonlyArray<Turn>): Refusal | undefined => {
  const seen = new Set<string>()
  for (const [at, turn] of turns.entries()) {
    const calls = callsOf(turn)
    const twice = calls.some((id, i) => seen.has(id) || calls.indexOf(id) !== i)
    if (twice) return invalid("messages: `tool_use` ids must be unique")
    for (const id of calls) seen.add(id)
    const results = leadingResults(turns[at + 1])
    const open = calls.filter((id) => !results.includes(id))
    if (open.length > 0) {
      return invalid(
        `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      )
    }
    const before = callsOf(turns[at - 1])
    for (const [place, block] of turn.content.entries()) {
      if (block.type !== "tool_result" || before.includes(idOf(block, "tool_use_id"))) continue
      return invalid(
        `messages.${turn.at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${idOf(block, "tool_use_id")}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      )
    }
  }
  return undefined
}

/**
 * Where thinking is on, the answer that tools are answering begins with its thoughts.
 *
 * @since 0.1.0
 * @category getters
 */
export const withoutThought = (turns: ReadonlyArray<Turn>, thinking: unknown): Refusal | undefined => {
  const last = turns.findLast(({ role }) => role === "assistant")
  const first = last?.content[0]
  if (!isObject(thinking) || thinking["type"] !== "enabled" || last === undefined || first === undefined)
    return undefined
  if (isThought(first) || !last.content.some(({ type }) => type === "tool_use")) return undefined
  return invalid(
    `messages.${last.at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
  )
}

/**
 * The turns of the conversation, or why it is refused.
 *
 * @since 0.1.0
 * @category conversions
 */
export const turnsOf = (messages: unknown, context: ReadContext): Either.Either<ReadonlyArray<Turn>, Refusal> => {
  if (!Array.isArray(messages)) return Either.left(invalid("messages: Input should be a valid list"))
  if (messages.length === 0) return Either.left(invalid("messages: at least one message is required"))
  const turns: Array<Turn> = []
  for (const [at, message] of messages.entries()) {
    const role = isObject(message) ? message["role"] : undefined
    if (role !== "user" && role !== "assistant") {
      return Either.left(invalid(`messages.${at}.role: Input should be 'user' or 'assistant'`))
    }
    const content = blocksOf(message.content)
    if (content === undefined) return Either.left(invalid(`messages.${at}.content: Input should be a valid list`))
    if (content.length === 0 || (message.content === "" && at < messages.length - 1)) {
      return Either.left(
        invalid(
          `messages.${at}: all messages must have non-empty content except for the optional final assistant message`
        )
      )
    }
    const refusal =
      badText(content, "messages") ??
      content
        .map((block, place) => badBlock(block, `messages.${at}.content.${place}`, context))
        .find((found) => found !== undefined)
    if (refusal !== undefined) return Either.left(refusal)
    const before = turns.at(-1)
    if (before?.role === role) turns.splice(-1, 1, { ...before, content: [...before.content, ...content] })
    else turns.push({ role, content, at })
  }
  if (turns[0]?.role !== "user") return Either.left(invalid('messages: first message must use the "user" role'))
  const last = turns.at(-1)?.content.at(-1)
  return turns.at(-1)?.role === "assistant" && last?.type === "text" && /\s$/.test(textOf(last))
    ? Either.left(invalid("messages: final assistant content cannot end with trailing whitespace"))
    : Either.right(turns)
}
