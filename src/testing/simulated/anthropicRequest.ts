/**
 * A request for Anthropic messages, as it is read.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import {
  badSettings,
  badText,
  blocksOf,
  idOf,
  isThought,
  textOf,
  turnsOf,
  unpaired,
  withoutThought,
  type Block,
  type Turn
} from "./anthropicChecks.ts"
import type { ChatMessage, ChatRequest, ChatToolCall } from "./chatRequest.ts"
import { invalid, type ReadContext, type Refusal } from "./protocol.ts"
import { isObject, parseFields } from "./requestJson.ts"

/** A single text is text, with its mark beside it. */
const contentOf = (blocks: ReadonlyArray<Block>): Pick<ChatMessage, "content" | "cache_control"> => {
  const [only, ...more] = blocks
  return only?.type === "text" && more.length === 0
    ? { content: textOf(only), ...(only["cache_control"] == null ? {} : { cache_control: only["cache_control"] }) }
    : { content: blocks }
}

const resultOf = (block: Block): ChatMessage => ({
  role: "tool",
  tool_call_id: idOf(block, "tool_use_id"),
  ...contentOf(blocksOf(block["content"] ?? []) ?? []),
  ...(block["cache_control"] == null ? {} : { cache_control: block["cache_control"] })
})

const userMessages = ({ content }: Turn): ReadonlyArray<ChatMessage> => {
  const results = content.filter(({ type }) => type === "tool_result")
  const rest = content.filter(({ type }) => type !== "tool_result")
  return [...results.map(resultOf), ...(rest.length === 0 ? [] : [{ role: "user", ...contentOf(rest) }])]
}

const callOf = (block: Block): ChatToolCall => ({
  id: idOf(block, "id"),
  function: { name: String(block["name"]), arguments: JSON.stringify(block["input"]) },
  ...(block["cache_control"] == null ? {} : { cache_control: block["cache_control"] })
})

const assistantMessage = ({ content }: Turn): ChatMessage => {
  const texts = content.filter(({ type }) => type === "text")
  const thoughts = content.filter(isThought)
  const calls = content.filter(({ type }) => type === "tool_use")
  return {
    role: "assistant",
    ...(texts.length === 0 ? {} : contentOf(texts)),
    ...(thoughts.length === 0
      ? {}
      : { reasoning_content: thoughts.map((block) => String(block["thinking"] ?? block["data"] ?? "")).join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) })
  }
}

const messagesOf = (turn: Turn): ReadonlyArray<ChatMessage> =>
  turn.role === "user" ? userMessages(turn) : [assistantMessage(turn)]

const controls = "thinking-binding-controls-2026-08-01"

/** Of a thought that no longer stands behind what it was made behind: it is refused, or dropped with all that follow. */
const bound = (
  turns: ReadonlyArray<Turn>,
  given: {
    readonly opening: ReadonlyArray<ChatMessage>
    readonly tools: ReadonlyArray<unknown>
    readonly thinking: unknown
    readonly context: ReadContext
  }
): Either.Either<ReadonlyArray<Turn>, Refusal> => {
  const { context, opening, thinking, tools } = given
  const binding = isObject(thinking) ? thinking["block_binding"] : undefined
  if (binding !== undefined && !String(context.headers["anthropic-beta"]).includes(controls)) {
    return Either.left(invalid(`thinking.block_binding: needs the value ${controls} in the header anthropic-beta`))
  }
  for (const [at, turn] of turns.entries()) {
    const prefix = { tools, messages: [...opening, ...turns.slice(0, at).flatMap(messagesOf)] }
    const place = turn.content.findIndex(
      (block) => isThought(block) && !context.seals.isBound(String(block["signature"] ?? block["data"]), prefix)
    )
    if (place === -1) continue
    if (!isObject(binding) || binding["prefix_mismatch_behavior"] !== "drop_block") {
      return Either.left(
        invalid(
          `messages.${turn.at}.content.${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`
        )
      )
    }
    return Either.right(
      turns
        .map((one, i) => (i < at ? one : { ...one, content: one.content.filter((block) => !isThought(block)) }))
        .filter(({ content }) => content.length > 0)
    )
  }
  return Either.right(turns)
}

/**
 * Right: the request, its system prompt a message. Left: what the API refuses it with.
 *
 * @since 0.1.0
 * @category conversions
 */
export const read = (text: string, context: ReadContext): Either.Either<ChatRequest, Refusal> => {
  if (context.headers["anthropic-version"] === undefined) {
    return Either.left(invalid("anthropic-version: header is required"))
  }
  const body = parseFields(text)
  if (body === undefined) return Either.left(invalid("The request body is not valid JSON"))
  const settings = badSettings(body)
  if (settings !== undefined) return Either.left(settings)
  const system = body["system"] == null ? [] : (blocksOf(body["system"]) ?? [])
  const badSystem = body["system"] === "" ? undefined : badText(system, "system")
  if (badSystem !== undefined) return Either.left(badSystem)
  const opening = system.length === 0 ? [] : [{ role: "system", ...contentOf(system) }]
  const tools: ReadonlyArray<unknown> = Array.isArray(body["tools"]) ? body["tools"] : []
  return turnsOf(body["messages"], context).pipe(
    Either.flatMap((turns) => {
      const refusal = unpaired(turns) ?? withoutThought(turns, body["thinking"])
      return refusal === undefined ? Either.right(turns) : Either.left(refusal)
    }),
    Either.flatMap((turns) => bound(turns, { opening, tools, thinking: body["thinking"], context })),
    Either.map((turns) => ({
      model: String(body["model"]),
      messages: [...opening, ...turns.flatMap(messagesOf)],
      tools,
      stream: body["stream"] === true,
      includeUsage: true,
      maxTokens: Number(body["max_tokens"])
    }))
  )
}
