/**
 * Turns a span of messages into a summary.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SummaryFailed } from "../errors/CompactionError.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"
import type { Route } from "../session/Route.ts"
import type { FinishReason } from "../session/SessionEvent.ts"
import type { Usage } from "../session/Usage.ts"

/**
 * `envelope` is what the request should carry beside the messages: its route serves the summary and its
 * `maxOutputTokens` caps it. `span` are the messages to summarise, `instruction` the one closing user message that says
 * how.
 *
 * @since 0.1.0
 * @category models
 */
export interface SummaryRequest {
  readonly envelope: Envelope
  readonly span: ReadonlyArray<Message>
  readonly instruction: string
}

/**
 * `finish` is how the answer ended; anything but `stop` is not a summary. `route` is the one that served.
 *
 * @since 0.1.0
 * @category models
 */
export interface Summary {
  readonly text: string
  readonly finish?: FinishReason
  readonly usage?: Usage
  readonly route?: Route
  /** The answer held tool calls. */
  readonly toolCalls?: boolean
  /** The answer held reasoning. */
  readonly reasoning?: boolean
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Summarizer extends Context.Tag("effect-compaction/services/Summarizer")<
  Summarizer,
  {
    /** Whether a request must fit the window of its route; not where no model makes the summary. */
    readonly bounded: boolean
    /** Whether a summary must have the headings that the instruction asks for; one without them is asked for once more. Absent: no. */
    readonly headings?: boolean
    readonly summarize: (request: SummaryRequest) => Effect.Effect<Summary, SummaryFailed>
  }
>() {}
