/**
 * Reads the stream of OpenAI's chat completions: events in, parts of an answer or its error out. Pure but for its own
 * state; one decoder reads one answer.
 *
 * @since 0.1.0
 */
import type * as Errors from "../../errors/ModelError.ts"
import type { Part } from "../../services/ModelAdapter.ts"
import type { FinishReason } from "../../session/SessionEvent.ts"
import type { Usage } from "../../session/Usage.ts"
import type { AnswerContext, AnswerDecoder, Decoded } from "./answerDecoder.ts"
import * as AnswerErrors from "./answerErrors.ts"
import * as EncryptedReasoning from "./encryptedReasoning.ts"
import { type Fields, fieldsOf, parse, textOf } from "./looseJson.ts"
import { decodeUsage } from "./openAiChatUsage.ts"
import type { ServerSentEvent } from "./serverSentEvents.ts"
import * as ToolCalls from "./toolCallFragments.ts"

const finishReasons = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["eos", "stop"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"]
])

const listOf = (value: unknown): ReadonlyArray<Fields> =>
  Array.isArray(value) ? value.map(fieldsOf).filter((part) => part !== undefined) : []

const joined = (parts: ReadonlyArray<string>): string => parts.join("")

/** A text, or a list of parts. */
const contentOf = (content: unknown): string =>
  typeof content === "string" ? content : joined(listOf(content).map(({ text }) => textOf(text)))

/** Reasoning under the names that it has: a field of its own, one more for its details, or a part of the content. */
const thoughtOf = ({ content, reasoning, reasoning_content: named, reasoning_details: details }: Fields): string =>
  textOf(named) ||
  textOf(reasoning) ||
  joined(listOf(details).map(({ summary, text }) => textOf(text) || textOf(summary))) ||
  joined(listOf(content).map(({ thinking }) => contentOf(thinking)))

const nothing: Decoded = { parts: [], done: false }

/**
 * `encrypted`: whether reasoning that came encrypted is to go back, and so is kept.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (context: AnswerContext, encrypted: "send" | "omit" = "omit"): AnswerDecoder => {
  const calls = ToolCalls.make(context.callId)
  const errors = AnswerErrors.make(context)
  let usage: Usage | undefined
  /** Which of several answers this is: the settings may ask for more than one. */
  let number: unknown
  let finish: string | undefined
  let hasText = false
  let reasoning: "none" | "open" | "closed" = "none"
  /** The last chunk that came in place of an answer, for the error that says that none came. */
  let stranger = ""
  let over = false

  const fail = (failure: Errors.ModelError, parts: ReadonlyArray<Part> = []): Decoded => {
    over = true
    return { parts, failure, done: true }
  }

  const closeReasoning = (parts: Array<Part>) => {
    if (reasoning === "open") parts.push({ type: "reasoning-end" })
    if (reasoning !== "none") reasoning = "closed"
  }

  const choice = (value: Fields, parts: Array<Part>) => {
    // an answer that is not streamed has a message where the pieces of a stream have a delta
    const delta = fieldsOf(value["delta"]) ?? fieldsOf(value["message"])
    if (delta !== undefined) {
      const thought = thoughtOf(delta)
      if (thought !== "") {
        reasoning = "open"
        parts.push({ type: "reasoning-delta", delta: thought })
      }
      for (const redacted of encrypted === "send" ? EncryptedReasoning.decode(delta[EncryptedReasoning.field]) : []) {
        closeReasoning(parts)
        reasoning = "closed"
        parts.push({ type: "reasoning-end", redacted, provider: context.route.provider })
      }
      for (const text of [contentOf(delta["content"]), textOf(delta["refusal"])]) {
        if (text === "") continue
        closeReasoning(parts)
        hasText = true
        parts.push({ type: "text-delta", delta: text })
      }
      // the form of one call, from before there were several
      if (fieldsOf(delta["function_call"]) !== undefined) calls.push({ index: 0, function: delta["function_call"] })
      if (Array.isArray(delta["tool_calls"])) for (const fragment of delta["tool_calls"]) calls.push(fragment)
    }
    if (typeof value["finish_reason"] === "string" && value["finish_reason"] !== "") finish = value["finish_reason"]
  }

  const complete = (reason: string): Decoded => {
    const known = finishReasons.get(reason)
    const error = known === undefined ? errors.finishError(reason) : undefined
    if (error !== undefined) return fail(error)
    const parts: Array<Part> = []
    closeReasoning(parts)
    const made = calls.finish({ cutOff: known === "length" || known === "content-filter" })
    parts.push(...made)
    if (!hasText && made.length === 0) {
      const failure = errors.emptiness({ reason: known, usage, hasReasoning: reasoning !== "none" })
      if (failure !== undefined) return fail(failure)
    }
    over = true
    const finished = known === "stop" && made.length > 0 ? "tool-calls" : (known ?? "unknown")
    parts.push({ type: "finish", reason: finished, ...(usage === undefined ? {} : { usage }) })
    return { parts, done: true }
  }

  const delivery = () => (hasText || reasoning !== "none" ? "sse-error" : "exit-200-body")

  /** A chunk without a choice: usage, or what a gateway has to say, which may be an error in a form of its own. */
  const beside = (fields: Fields): Decoded => {
    if (finish !== undefined || fieldsOf(fields["usage"]) !== undefined) return nothing
    const error = errors.recognised(fields, delivery())
    if (error !== undefined) return fail(error)
    if (!hasText) stranger = `: ${JSON.stringify(fields)}`
    return nothing
  }

  const event = ({ data, event: name }: ServerSentEvent): Decoded => {
    if (over) return { parts: [], done: true }
    const trimmed = data.trim()
    if (trimmed === "") return nothing
    if (trimmed === "[DONE]") return end()
    const value = parse(trimmed)?.value
    // Google's list of one error
    const chunk: unknown = Array.isArray(value) ? value[0] : value
    const fields = fieldsOf(chunk)
    if (name === "error") return fail(errors.classified(chunk ?? data, "sse-error"))
    if (fields === undefined) {
      // a torn piece behind a complete answer takes nothing away from it
      return finish === undefined ? fail(errors.unreadable(data, delivery(), "not a chunk")) : nothing
    }
    const choices = fields["choices"]
    const isError =
      (fields["error"] !== undefined && fields["error"] !== null) ||
      (!Array.isArray(choices) && (typeof fields["message"] === "string" || typeof fields["detail"] === "string"))
    if (isError) return fail(errors.classified(chunk, delivery()))
    usage = decodeUsage(fields["usage"]) ?? decodeUsage(fieldsOf(fields["x_groq"])?.["usage"]) ?? usage
    const list = listOf(choices)
    const first = list.find(({ index = number }) => number === undefined || index === number)
    if (first === undefined) return list.length === 0 ? beside(fields) : nothing
    number ??= first["index"]
    usage = decodeUsage(first["usage"]) ?? usage
    stranger = ""
    if (fieldsOf(first["error"]) !== undefined) return fail(errors.classified(first, "sse-error"))
    const parts: Array<Part> = []
    choice(first, parts)
    return { parts, done: false }
  }

  const end = (): Decoded =>
    over
      ? { parts: [], done: true }
      : finish === undefined
        ? fail(errors.malformed(`the stream ended without a finish reason${stranger}`))
        : complete(finish)

  return { event, end }
}
