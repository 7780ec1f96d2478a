/**
 * Summarisers that answer with what is no summary, or do not answer.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { SummaryFailed } from "../errors/CompactionError.ts"
import * as SummarizerLayer from "../layers/Summarizer.ts"
import type { Summarizer, Summary } from "../services/Summarizer.ts"

/**
 * `huge` is longer than anything that it could stand for; `overflows` fails as if the request for the summary were too
 * long itself.
 *
 * @since 0.1.0
 * @category constants
 */
export const summaryLies = [
  "empty",
  "huge",
  "truncated",
  "tool-protocol",
  "error-text",
  "fails",
  "overflows",
  "dies",
  "interrupts-itself",
  "hangs",
  "hangs-uninterruptibly"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type SummaryLie = (typeof summaryLies)[number]

/**
 * What the summariser does with any request.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lyingSummary = (lie: SummaryLie): Effect.Effect<string | Summary, SummaryFailed> => {
  switch (lie) {
    case "empty":
      return Effect.succeed({ text: " \n", finish: "stop" })
    case "huge":
      return Effect.succeed({ text: "and so on and so forth ".repeat(1_000), finish: "stop" })
    case "truncated":
      return Effect.succeed({ text: "The first half of", finish: "length" })
    case "tool-protocol":
      return Effect.succeed('<tool_call>\n{"name": "read", "arguments": {"path": "a.ts"}}\n</tool_call>')
    case "error-text":
      return Effect.succeed('{"error": {"message": "The server had an error", "type": "server_error"}}')
    case "fails":
      return Effect.fail(new SummaryFailed({ reason: "model", detail: "it fails on purpose" }))
    case "overflows":
      return Effect.fail(new SummaryFailed({ reason: "overflow", detail: "it is too long, whatever comes" }))
    case "dies":
      return Effect.dieMessage("it dies on purpose")
    case "interrupts-itself":
      return Effect.interrupt
    case "hangs":
      return Effect.never
    case "hangs-uninterruptibly":
      return Effect.uninterruptible(Effect.never)
  }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layerLyingSummarizer = (lie: SummaryLie): Layer.Layer<Summarizer> =>
  SummarizerLayer.layerWith(() => lyingSummary(lie))
