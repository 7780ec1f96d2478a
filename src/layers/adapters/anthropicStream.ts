/**
 * Reads the stream of Anthropic's messages: events in, parts of an answer or its error out. Pure but for its own state;
 * one decoder reads one answer.
 *
 * @since 0.1.0
 */
import type * as Errors from "../../errors/ModelError.ts"
import type { Part } from "../../services/ModelAdapter.ts"
import type { FinishReason } from "../../session/SessionEvent.ts"
import * as Blocks from "./anthropicBlocks.ts"
import * as AnthropicUsage from "./anthropicUsage.ts"
import type { AnswerContext, AnswerDecoder, Decoded } from "./answerDecoder.ts"
import * as AnswerErrors from "./answerErrors.ts"
import { type Fields, fieldsOf, parse, textOf } from "./looseJson.ts"
import type { ServerSentEvent } from "./serverSentEvents.ts"

/** An answer that its server's own tools have paused has not ended: nobody knows yet how it will. */
const stopReasons = new Map<string, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content-filter"],
  ["pause_turn", "unknown"]
])

const overflowed = "model_context_window_exceeded"

const nothing: Decoded = { parts: [], done: false }

const partsOf = (parts: ReadonlyArray<Part>): Decoded => (parts.length === 0 ? nothing : { parts, done: false })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (context: AnswerContext): AnswerDecoder => {
  const errors = AnswerErrors.make(context)
  const open = new Map<unknown, Blocks.OpenBlock>()
  /** The last block, where it may be torn: if another one follows, or the answer was not cut off, it is whole. */
  let held: ReadonlyArray<Part> = []
  let usage: AnthropicUsage.Counts = {}
  let stop: Fields | undefined
  let ids = 0
  const seen = new Set<Part["type"]>()
  let begun = false
  /** The last object that came in place of an answer, for the error that says that none came. */
  let strange = ""
  let over = false

  const fail = (failure: Errors.ModelError): Decoded => {
    over = true
    return { parts: [], failure, done: true }
  }

  const emitted = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
    for (const { type } of parts) seen.add(type)
    return parts
  }

  const started = (index: unknown, block: Fields): ReadonlyArray<Part> => {
    const before = held
    held = []
    const opened = Blocks.open(block, context.route.provider, () => context.callId(ids++))
    open.set(index, opened)
    // its first piece may come with the block itself
    const isShown = block["type"] === "text" || block["type"] === "thinking"
    return emitted([...before, ...(isShown ? opened.delta(block) : [])])
  }

  const stopped = (index: unknown): ReadonlyArray<Part> => {
    const block = open.get(index)
    open.delete(index)
    if (block === undefined) return []
    const { parts, whole } = block.stop()
    if (whole) return emitted(parts)
    held = parts
    return []
  }

  const ended = ({ reason, words }: { readonly reason: string; readonly words: string }): Decoded => {
    const known = stopReasons.get(reason)
    const parts = [...open.keys()].flatMap(stopped)
    if (known !== "length" && known !== "content-filter") parts.push(...emitted(held))
    const counted = AnthropicUsage.decodeUsage(usage)
    const hasContent = seen.has("text-delta") || seen.has("tool-call")
    const error = known === undefined || (reason === overflowed && !hasContent) ? errors.finishError(reason) : undefined
    if (error !== undefined) return fail(error)
    const hasReasoning = seen.has("reasoning-delta") || seen.has("reasoning-end")
    const empty =
      hasContent || seen.has("unknown")
        ? undefined
        : errors.emptiness({ reason: known, usage: counted, hasReasoning, words })
    if (empty !== undefined) return fail(empty)
    over = true
    const finish = known === "stop" && seen.has("tool-call") ? "tool-calls" : (known ?? "unknown")
    parts.push({ type: "finish", reason: finish, ...(counted === undefined ? {} : { usage: counted }) })
    return { parts, done: true }
  }

  const complete = (message: Fields): Decoded =>
    ended({
      reason: textOf(message["stop_reason"]),
      words: textOf(fieldsOf(message["stop_details"])?.["explanation"])
    })

  /** An answer that is not streamed. */
  const whole = (message: Fields): Decoded => {
    const content: ReadonlyArray<unknown> = Array.isArray(message["content"]) ? message["content"] : []
    const parts = content.flatMap((block, index) => [...started(index, fieldsOf(block) ?? {}), ...stopped(index)])
    usage = AnthropicUsage.merge(usage, message["usage"])
    const last = complete(message)
    return { ...last, parts: [...parts, ...last.parts] }
  }

  const streamed = (type: string, fields: Fields): Decoded => {
    const { content_block: block, delta, index } = fields
    switch (type) {
      case "message_start":
        begun = true
        usage = AnthropicUsage.merge(usage, fieldsOf(fields["message"])?.["usage"])
        return nothing
      case "content_block_start":
        return partsOf(started(index, fieldsOf(block) ?? {}))
      case "content_block_delta":
        return partsOf(emitted(open.get(index)?.delta(fieldsOf(delta) ?? {}) ?? []))
      case "content_block_stop":
        return partsOf(stopped(index))
      case "message_delta":
        usage = AnthropicUsage.merge(usage, fields["usage"])
        if (textOf(fieldsOf(delta)?.["stop_reason"]) !== "") stop = fieldsOf(delta)
        return nothing
      case "message_stop":
        return end()
      default:
        return nothing
    }
  }

  const delivery = () => (begun ? "sse-error" : "exit-200-body")

  /** An object that is no event: an error in a form of its own, or nothing that we know. */
  const stranger = (fields: Fields): Decoded => {
    const error = stop === undefined ? errors.recognised(fields, delivery()) : undefined
    if (error !== undefined) return fail(error)
    if (!begun) strange = `: ${JSON.stringify(fields)}`
    return nothing
  }

  const event = ({ data, event: name }: ServerSentEvent): Decoded => {
    if (over) return { parts: [], done: true }
    if (data.trim() === "") return nothing
    const value = parse(data)?.value
    const fields = fieldsOf(value)
    const type = textOf(fields?.["type"])
    if (name === "error") return fail(errors.classified(value ?? data, "sse-error"))
    // a torn piece behind a complete answer takes nothing away from it
    if (fields === undefined) {
      return stop === undefined ? fail(errors.unreadable(data, delivery(), "not an event")) : nothing
    }
    const isError =
      type === "error" || (type === "" && (fields["error"] ?? fields["message"] ?? fields["detail"]) !== undefined)
    if (isError) return fail(errors.classified(fields, delivery()))
    if (type === "" && name === "message") return stranger(fields)
    return type === "message" ? whole(fields) : streamed(type === "" ? name : type, fields)
  }

  const end = (): Decoded => {
    if (over) return { parts: [], done: true }
    return stop === undefined
      ? fail(errors.malformed(`the stream ended without a reason to stop${strange}`))
      : complete(stop)
  }

  return { event, end }
}
