/**
 * Reads the stream of OpenAI's chat completions: events in, parts of an answer or its error out. Pure but for its own
 * state; one decoder reads one answer.
 *
 * @since 0.1.0
 */
import { classify, excerpt, judge, type Delivery, type Row } from "../../errors/classify.ts"
import * as Errors from "../../errors/ModelError.ts"
import { stoppedAtEdge } from "../../compaction/silentOverflow.ts"
import type { Part } from "../../services/ModelAdapter.ts"
import type { Route } from "../../session/Route.ts"
import type { FinishReason } from "../../session/SessionEvent.ts"
import type { Usage } from "../../session/Usage.ts"
import { decodeUsage } from "./openAiChatUsage.ts"
import type { ServerSentEvent } from "./serverSentEvents.ts"
import * as ToolCalls from "./toolCallFragments.ts"

/**
 * What the decoder knows of the request whose answer it reads. `callId` makes an id for a call that came without one.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnswerContext {
  readonly route: Route
  readonly status: number
  readonly requestId?: string
  readonly window?: number
  readonly maxOutputTokens?: number
  readonly secrets?: ReadonlyArray<string>
  /** Rows of the application's own for the classifier. */
  readonly rows?: ReadonlyArray<Row>
  readonly callId: (index: number) => string
}

/**
 * `done`: nothing that comes after this belongs to the answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoded {
  readonly parts: ReadonlyArray<Part>
  readonly failure?: Errors.ModelError
  readonly done: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface AnswerDecoder {
  readonly event: (event: ServerSentEvent) => Decoded
  readonly end: () => Decoded
}

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const finishReasons = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["eos", "stop"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"]
])

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const nothing: Decoded = { parts: [], done: false }

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (context: AnswerContext): AnswerDecoder => {
  const calls = ToolCalls.make(context.callId)
  let usage: Usage | undefined
  let finish: string | undefined
  let hasText = false
  let reasoning: "none" | "open" | "closed" = "none"
  let over = false

  const common = (detail: string) => ({
    route: context.route,
    status: context.status,
    ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
    detail: excerpt(detail, context.secrets)
  })

  const classified = (body: unknown, delivery: Delivery) =>
    classify({
      route: context.route,
      status: context.status,
      body,
      delivery,
      ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
      ...(context.maxOutputTokens === undefined ? {} : { maxOutputTokens: context.maxOutputTokens }),
      ...(context.secrets === undefined ? {} : { secrets: context.secrets }),
      ...(context.rows === undefined ? {} : { rows: context.rows })
    })

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
      const thought = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"])
      if (thought !== "") {
        reasoning = "open"
        parts.push({ type: "reasoning-delta", delta: thought })
      }
      for (const text of [textOf(delta["content"]), textOf(delta["refusal"])]) {
        if (text === "") continue
        closeReasoning(parts)
        hasText = true
        parts.push({ type: "text-delta", delta: text })
      }
      if (Array.isArray(delta["tool_calls"])) for (const fragment of delta["tool_calls"]) calls.push(fragment)
    }
    if (typeof value["finish_reason"] === "string" && value["finish_reason"] !== "") finish = value["finish_reason"]
  }

  const complete = (reason: string): Decoded => {
    const known = finishReasons.get(reason)
    const error = known === undefined ? judge(finishEvidence(reason)) : undefined
    if (error !== undefined && error.row !== null) return fail(classify(finishEvidence(reason)))
    const parts: Array<Part> = []
    closeReasoning(parts)
    const made = calls.finish({ cutOff: known === "length" || known === "content-filter" })
    parts.push(...made)
    if (!hasText && made.length === 0) {
      const failure = emptiness(known)
      if (failure !== undefined) return fail(failure)
    }
    over = true
    const finished = known === "stop" && made.length > 0 ? "tool-calls" : (known ?? "unknown")
    parts.push({ type: "finish", reason: finished, ...(usage === undefined ? {} : { usage }) })
    return { parts, done: true }
  }

  const finishEvidence = (reason: string) => ({
    route: context.route,
    body: { finish_reason: reason },
    delivery: "finish-reason" as const,
    ...(context.rows === undefined ? {} : { rows: context.rows }),
    ...(context.requestId === undefined ? {} : { requestId: context.requestId })
  })

  /** What it means that an answer came to its end and holds neither text nor a call. */
  const emptiness = (reason: FinishReason | undefined): Errors.ModelError | undefined => {
    if (reason === "content-filter") return new Errors.ContentFiltered(common("the answer was filtered"))
    if (reason !== "length") {
      return new Errors.EmptyResponse(common(reasoning === "none" ? "no content" : "reasoning, and no content"))
    }
    const { maxOutputTokens, window } = context
    const isEmpty = reasoning === "none"
    const stopped = stoppedAtEdge({ finish: reason, isEmpty, usage }, { window, maxOutputTokens })
    return stopped === undefined
      ? undefined
      : new Errors.ContextWindowExceeded({
          ...common("the answer stopped for its length at the window's edge, before any output"),
          ...stopped
        })
  }

  const event = ({ data, event: name }: ServerSentEvent): Decoded => {
    if (over) return { parts: [], done: true }
    const trimmed = data.trim()
    if (trimmed === "") return nothing
    if (trimmed === "[DONE]") return end()
    const chunk = parse(trimmed)
    const fields = fieldsOf(chunk)
    if (name === "error") return fail(classified(chunk ?? data, "sse-error"))
    if (fields === undefined) {
      // a torn piece behind a complete answer takes nothing away from it
      return finish === undefined ? fail(new Errors.MalformedResponse(common(`not a chunk: ${data}`))) : nothing
    }
    const choices = fields["choices"]
    const isError =
      (fields["error"] !== undefined && fields["error"] !== null) ||
      (!Array.isArray(choices) && (typeof fields["message"] === "string" || typeof fields["detail"] === "string"))
    if (isError) return fail(classified(chunk, hasText || reasoning !== "none" ? "sse-error" : "exit-200-body"))
    usage = decodeUsage(fields["usage"]) ?? decodeUsage(fieldsOf(fields["x_groq"])?.["usage"]) ?? usage
    const first = Array.isArray(choices) ? fieldsOf(choices[0]) : undefined
    if (first === undefined) return nothing
    if (fieldsOf(first["error"]) !== undefined) return fail(classified(first, "sse-error"))
    const parts: Array<Part> = []
    choice(first, parts)
    return { parts, done: false }
  }

  const end = (): Decoded =>
    over
      ? { parts: [], done: true }
      : finish === undefined
        ? fail(new Errors.MalformedResponse(common("the stream ended without a finish reason")))
        : complete(finish)

  return { event, end }
}
