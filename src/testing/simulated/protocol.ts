/**
 * A wire protocol: how it reads a request into the form that the engine works with, and writes what comes of it.
 *
 * @since 0.1.0
 */
import type * as Either from "effect/Either"
import type * as Message from "../../session/Message.ts"
import type { ChatRequest } from "./chatRequest.ts"
import type { Seals } from "./seals.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type ProtocolName = "chat-completions" | "anthropic-messages" | "openai-responses"

/**
 * Tokens, as the provider reports them. `input` counts all of it, what was read from the cache (`cached`) and what was
 * written to it (`written`) included; each protocol reports them in its own convention.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReportedUsage {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly written: number
  readonly reasoning: number
}

/**
 * Why a request is not answered. `type` and `code` are in OpenAI's terms; a protocol that has its own tells them from
 * the status.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const invalid = (message: string, param: string | null = null, code: string | null = null): Refusal => ({
  status: 400,
  message,
  type: "invalid_request_error",
  code,
  param
})

/**
 * `idLength` is the longest id of a tool call that the provider takes, in characters.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReadContext {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly seals: Seals
  readonly idLength: number | undefined
}

/**
 * How an answer ended. `window`: the output ran into the end of the context window. `word`: in the provider's own word.
 *
 * @since 0.1.0
 * @category models
 */
export type End = { readonly word: string } | { readonly reason: "stop" | "tool-calls" | "length" | "window" }

/**
 * What every answer to a request has. `chat` is how the provider writes chat completions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Frame {
  readonly index: number
  readonly request: ChatRequest
  readonly usage: ReportedUsage
  readonly seals: Seals
  readonly chat: ChatHabits
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Written extends Frame {
  readonly message: Message.Message
  readonly end: End
}

/**
 * What providers that speak chat completions do each in its own way.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChatHabits {
  readonly usage: (usage: ReportedUsage) => Readonly<Record<string, unknown>>
  /** Whether the usage comes in a chunk of its own, without choices, or with the last one. */
  readonly usageChunk: "own" | "with-finish"
  readonly keepAlive: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Protocol {
  readonly name: ProtocolName
  /** How the path of its requests ends. */
  readonly path: string
  readonly requestIdHeader: string
  readonly read: (text: string, context: ReadContext) => Either.Either<ChatRequest, Refusal>
  readonly whole: (written: Written) => unknown
  readonly streamed: (written: Written) => ReadonlyArray<string>
  /** A stream whose answer has got as far as `text`, and goes on with an error if there is one. */
  readonly begun: (frame: Frame, text: string, error?: Refusal) => ReadonlyArray<string>
  readonly refusal: (refusal: Refusal, requestId: string) => unknown
}
