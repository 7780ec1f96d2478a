/**
 * What the simulated provider may be told to do with a request.
 *
 * @since 0.1.0
 */
import * as Message from "../../session/Message.ts"
import type { ReportedUsage } from "./protocol.ts"

/**
 * An assistant message. `whole`: it is given as it is, even if the request allows less output.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly type: "answer"
  /** Milliseconds before its first byte. */
  readonly delay?: number
  readonly message: Message.Message
  readonly whole: boolean
  /** The provider's own word for how it ended; told from the message if absent. */
  readonly finish?: string
  /** Reported in place of the true figures. */
  readonly usage?: Partial<ReportedUsage>
}

/**
 * What a provider refuses with, in its own words.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  readonly type: "problem"
  readonly problem: "too-long" | "rate-limited" | "overloaded"
  readonly retryAfter?: string | undefined
  /** The answer has begun with this text already. */
  readonly inStream?: string
}

/**
 * Something that goes wrong. `on` says with which request: the next one of any kind unless it names a kind. `at`: with
 * the request of this index, whatever else the script has.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = {
  readonly on?: "conversation" | "summary"
  readonly at?: number
  readonly delay?: number
} & (
  | {
      readonly type: "status"
      readonly status: number
      readonly body: unknown
      readonly headers: Readonly<Record<string, string>>
    }
  | Problem
  | { readonly type: "misreport"; readonly usage: Partial<ReportedUsage> }
  | { readonly type: "cut"; readonly text: string }
  | { readonly type: "end"; readonly text: string }
  | { readonly type: "stall"; readonly text: string }
  | { readonly type: "drop" }
  | { readonly type: "raw"; readonly pieces: ReadonlyArray<string | Uint8Array> }
)

/**
 * @since 0.1.0
 * @category models
 */
export type Reply = Answer | Fault

/**
 * @since 0.1.0
 * @category constructors
 */
export const message = (message: Message.Message, more: Partial<Omit<Answer, "type" | "message">> = {}): Answer => ({
  type: "answer",
  message,
  whole: true,
  ...more
})

/**
 * An answer in text, cut off where the request's output limit is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const say = (text: string, more: Partial<Omit<Answer, "type" | "message">> = {}): Answer =>
  message(Message.assistant(text), { whole: false, ...more })

/**
 * An answer that calls tools.
 *
 * @since 0.1.0
 * @category constructors
 */
export const call = (...calls: ReadonlyArray<Message.ToolCallBlock>): Answer => message(Message.assistant(calls))

/**
 * A finished answer without content.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty: Answer = message(Message.assistant([]))

/**
 * An HTTP status and body of your choice; a string is sent as it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const status = (status: number, body: unknown = "", headers: Readonly<Record<string, string>> = {}): Fault => ({
  type: "status",
  status,
  body,
  headers
})

/**
 * A 429; `retryAfter` is the header's value, seconds or a date.
 *
 * @since 0.1.0
 * @category constructors
 */
export const rateLimited = (retryAfter?: string): Fault & Problem => ({
  type: "problem",
  problem: "rate-limited",
  retryAfter
})

/**
 * The provider has too much to do: a 529 of Anthropic's, a 503 of others.
 *
 * @since 0.1.0
 * @category constructors
 */
export const overloaded: Fault & Problem = { type: "problem", problem: "overloaded" }

/**
 * The provider's overflow, whatever the size.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuse: Fault & Problem = { type: "problem", problem: "too-long" }

/**
 * The same problem as an error event, after the answer had begun with `text`. A request that is not streamed is refused.
 *
 * @since 0.1.0
 * @category combinators
 */
export const inStream = (problem: Fault & Problem, text = ""): Fault => ({ ...problem, inStream: text })

/**
 * The provider's overflow as an error event, after the answer had begun with `text`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuseInStream = (text = ""): Fault => inStream(refuse, text)

/**
 * The answer that comes anyway, with these figures in place of the true ones.
 *
 * @since 0.1.0
 * @category constructors
 */
export const misreport = (usage: Partial<ReportedUsage>): Fault => ({ type: "misreport", usage })

/**
 * The connection breaks after `text`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const cut = (text = ""): Fault => ({ type: "cut", text })

/**
 * The stream ends after `text`, in good order but without a finish reason.
 *
 * @since 0.1.0
 * @category constructors
 */
export const end = (text = ""): Fault => ({ type: "end", text })

/**
 * Nothing more comes after `text`, until the client goes away.
 *
 * @since 0.1.0
 * @category constructors
 */
export const stall = (text = ""): Fault => ({ type: "stall", text })

/**
 * The connection breaks before anything was answered.
 *
 * @since 0.1.0
 * @category constructors
 */
export const drop: Fault = { type: "drop" }

/**
 * These bytes, as the body of an event stream.
 *
 * @since 0.1.0
 * @category constructors
 */
export const raw = (...pieces: ReadonlyArray<string | Uint8Array>): Fault => ({ type: "raw", pieces })

/**
 * The fault, for the next summary request or the next request of the conversation only.
 *
 * @since 0.1.0
 * @category combinators
 */
export const on = (kind: "conversation" | "summary", fault: Fault): Fault => ({ ...fault, on: kind })

/**
 * The fault, for the request of this index: 0 is the first that arrives.
 *
 * @since 0.1.0
 * @category combinators
 */
export const at = (index: number, fault: Fault): Fault => ({ ...fault, at: index })

/**
 * The same, `milliseconds` later.
 *
 * @since 0.1.0
 * @category combinators
 */
export const slow = <R extends Reply>(milliseconds: number, reply: R): R => ({ ...reply, delay: milliseconds })
