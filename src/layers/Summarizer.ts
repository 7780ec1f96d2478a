/**
 * Turns a span of messages into a summary.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { SummaryFailed } from "../errors/CompactionError.ts"
import type { ModelError } from "../errors/ModelError.ts"
import { ModelAdapter, type ModelRequest } from "../services/ModelAdapter.ts"
import { Summarizer, type Summary, type SummaryRequest } from "../services/Summarizer.ts"
import * as Message from "../session/Message.ts"

export { Summarizer, type Summary, type SummaryRequest } from "../services/Summarizer.ts"

/** What the request had too much of is told apart, because one with less may pass; nothing else is. */
const failed = (error: ModelError): SummaryFailed => {
  switch (error._tag) {
    case "ContextWindowExceeded":
      return new SummaryFailed({
        reason: "overflow",
        detail: error.message,
        ...(error.limit === undefined ? {} : { limit: error.limit })
      })
    case "PayloadTooLarge":
      return new SummaryFailed({ reason: "payload-too-large", detail: error.message })
    default:
      return new SummaryFailed({ reason: "model", detail: error.message })
  }
}

const summarize = (adapter: typeof ModelAdapter.Service) =>
  Effect.fnUntraced(function* (request: SummaryRequest) {
    const modelRequest: ModelRequest = {
      id: "summary",
      generation: 0,
      envelope: request.envelope,
      messages: [...request.span, Message.user(request.instruction)],
      toolUse: "none"
    }
    const empty: Summary = { text: "", route: request.envelope.route }
    return yield* Stream.runFold(adapter.stream(modelRequest), empty, (summary, part): Summary => {
      switch (part.type) {
        case "text-delta":
          return { ...summary, text: summary.text + part.delta }
        case "tool-call":
          return { ...summary, toolCalls: true }
        case "reasoning-delta":
        case "reasoning-end":
          return { ...summary, reasoning: true }
        case "unknown":
        case "repeated":
          return summary
        case "finish":
          return {
            ...summary,
            finish: part.reason,
            ...(part.usage === undefined ? {} : { usage: part.usage })
          }
      }
    }).pipe(Effect.mapError(failed))
  })

/**
 * Summarises with a model, through the same adapter as the conversation.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Summarizer, never, ModelAdapter> = Layer.effect(
  Summarizer,
  Effect.map(ModelAdapter, (adapter) => ({ bounded: true, headings: true, summarize: summarize(adapter) }))
)

/**
 * No summaries: for ladders of free rungs only. One that is asked for all the same fails.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerNone: Layer.Layer<Summarizer> = Layer.succeed(Summarizer, {
  bounded: false,
  summarize: () => Effect.fail(new SummaryFailed({ reason: "no-route", detail: "there is no summariser" }))
})

/**
 * Summarises as the application likes; a plain string is a finished summary. It passes the same checks as a model's.
 * `bounded: true` where a model of the application's own makes it: it is then asked for no more than fits the window of
 * the summary's route. `headings: true` where that model follows the request's instruction: a summary without the headings
 * that it names is then asked for once more, and refused after that.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = <R = never>(
  summarize: (request: SummaryRequest) => Effect.Effect<string | Summary, SummaryFailed, R>,
  { bounded = false, headings = false }: { readonly bounded?: boolean; readonly headings?: boolean } = {}
): Layer.Layer<Summarizer, never, R> =>
  Layer.effect(
    Summarizer,
    Effect.map(Effect.context<R>(), (context) => ({
      bounded,
      headings,
      summarize: (request) =>
        summarize(request).pipe(
          Effect.map((summary) => (typeof summary === "string" ? { text: summary } : summary)),
          Effect.provide(context)
        )
    }))
  )
