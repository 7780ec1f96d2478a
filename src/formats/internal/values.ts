// Fields of records that somebody else's program wrote: each may be missing, or be something else.
import * as Either from "effect/Either"
import type * as Message from "../../session/Message.ts"
import type { Usage } from "../../session/Usage.ts"
import { isRecord, parseJson } from "../Format.ts"

export type Fields = Readonly<Record<string, unknown>>

const none: Fields = {}

/** The record, or one without fields. */
export const fields = (value: unknown): Fields => (isRecord(value) ? value : none)

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A list of messages, or the body of a request that holds one. */
export const messageList = (json: unknown): ReadonlyArray<unknown> | undefined => {
  const found: unknown = Array.isArray(json) ? json : fields(json)["messages"]
  return Array.isArray(found) ? (found as ReadonlyArray<unknown>) : undefined
}

/** The text, or "". */
export const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** More than any request has: behind it sums are not exact, and a number is a fault of who wrote it. */
const mostTokens = 1e12

/** A number of tokens; anything else (null, a text put there by a redaction) is none. */
const tokens = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= mostTokens ? value : undefined

/** JSON text parsed, or the text as it came where it does not parse. */
export const parsed = (value: unknown): unknown =>
  typeof value === "string" ? Either.getOrElse(parseJson(value), () => value) : value

export const json = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const reasoning = (shown: string, more: { readonly signature?: string; readonly redacted?: string } = {}) =>
  ({ type: "reasoning", text: shown, ...more }) satisfies Message.ReasoningBlock

export const textBlocks = (value: unknown): ReadonlyArray<Message.TextBlock> =>
  typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : []

export const inlineImage = (base64: unknown, mediaType: unknown): Message.ImageBlock => ({
  type: "image",
  source: { type: "base64", base64: text(base64) },
  ...(typeof mediaType === "string" ? { mediaType } : {})
})

interface Counted {
  /** the whole prompt */
  readonly input?: unknown
  /** or what of it was neither read from the cache nor written to it */
  readonly uncached?: unknown
  readonly output: unknown
  readonly cached?: unknown
  readonly cacheWrite?: unknown
  readonly reasoning?: unknown
}

/** Usage in this library's convention; undefined where nothing was counted. Zeros are nothing. */
export const usage = (counted: Counted): Usage | undefined => {
  const cachedTokens = tokens(counted.cached)
  const cacheWriteTokens = tokens(counted.cacheWrite)
  const reasoningTokens = tokens(counted.reasoning)
  const uncached = tokens(counted.uncached)
  const inputTokens =
    tokens(counted.input) ??
    (uncached === undefined ? undefined : uncached + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0))
  if (inputTokens === undefined || inputTokens === 0) return undefined
  return {
    inputTokens,
    outputTokens: tokens(counted.output) ?? 0,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
}

/** Usage in the form of chat-completions servers. */
export const chatUsage = (value: unknown): Usage | undefined => {
  const counted = fields(value)
  return usage({
    input: counted["prompt_tokens"],
    output: counted["completion_tokens"],
    cached: fields(counted["prompt_tokens_details"])["cached_tokens"],
    reasoning: fields(counted["completion_tokens_details"])["reasoning_tokens"]
  })
}
