/**
 * What differs between the providers that are imitated, in whatever protocol they are asked: how they count, judge a
 * request's size and cache it, and what they say.
 *
 * @since 0.1.0
 */
import { invalid, type ChatHabits, type ProtocolName, type Refusal, type ReportedUsage } from "./protocol.ts"
import type { Framing, PromptSize } from "./tokens.ts"

/**
 * A request that is too long: `window` is the limit it is over, `stated` the one that the refusal names; undefined: it
 * names no figure.
 *
 * @since 0.1.0
 * @category models
 */
export interface TooLong {
  readonly size: PromptSize
  readonly output: number
  readonly window: number
  readonly stated: number | undefined
  readonly protocol: ProtocolName
}

/**
 * `prefix`: what any earlier request began with is cached, in whole blocks. `breakpoints`: only what stands before a mark
 * of the client, and only if a request with the same beginning had a mark within `lookback` blocks. Tokens.
 *
 * @since 0.1.0
 * @category models
 */
export type CacheHabits =
  | { readonly kind: "prefix"; readonly block: number; readonly minimum: number }
  | { readonly kind: "breakpoints"; readonly lookback: number; readonly minimum: number }

/**
 * @since 0.1.0
 * @category models
 */
export interface Imitation {
  /** Tokens for one of the vocabulary, o200k. */
  readonly countingFactor: number
  readonly framing: Framing
  readonly cache: CacheHabits
  /** What the window limits: the prompt alone, or with the output that the request allows. */
  readonly limitCounts: "input" | "input-and-output"
  readonly tooLong: (asked: TooLong) => Refusal
  readonly tooMuchOutput: (asked: number, most: number, model: string) => Refusal
  readonly rateLimited: (model: string) => Refusal
  readonly overloaded: Refusal
  /** Undefined: a gateway of another make refuses for bytes. */
  readonly tooManyBytes: Refusal | undefined
  readonly idLength: number | undefined
  readonly models: ReadonlyArray<string>
  readonly chat: ChatHabits
}

const withoutFigures = "Your input exceeds the context window of this model. Please adjust your input and try again."

const sum = (window: number, input: number, output: number) =>
  `This model's maximum context length is ${window} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`

const totals = ({ input, output }: ReportedUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output
})

const chatFraming: Framing = { message: 4, reply: 3, image: 765, tools: 0 }

const deepseek: Imitation = {
  countingFactor: 1,
  framing: chatFraming,
  cache: { kind: "prefix", block: 64, minimum: 64 },
  limitCounts: "input-and-output",
  tooLong: ({ output, size: { input }, stated }) =>
    invalid(stated === undefined ? withoutFigures : sum(stated, input, output), null, "invalid_request_error"),
  tooMuchOutput: (_, most) =>
    invalid(`Invalid max_tokens value, the valid range of max_tokens is [1, ${most}]`, null, "invalid_request_error"),
  rateLimited: () => ({
    status: 429,
    message: "Rate limit reached, please slow down",
    type: "rate_limit_reached_error",
    param: null,
    code: null
  }),
  overloaded: {
    status: 503,
    message: "Service is too busy, please try again later",
    type: "service_unavailable_error",
    param: null,
    code: "service_unavailable_error"
  },
  tooManyBytes: undefined,
  idLength: undefined,
  models: ["deepseek-chat", "deepseek-reasoner"],
  chat: {
    usage: (usage) => ({
      ...totals(usage),
      prompt_tokens_details: { cached_tokens: usage.cached },
      ...(usage.reasoning === 0 ? {} : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
      prompt_cache_hit_tokens: usage.cached,
      prompt_cache_miss_tokens: usage.input - usage.cached
    }),
    usageChunk: "with-finish",
    keepAlive: true
  }
}

const openai: Imitation = {
  countingFactor: 1,
  framing: chatFraming,
  cache: { kind: "prefix", block: 128, minimum: 1024 },
  limitCounts: "input-and-output",
  tooLong: ({ output, protocol, size: { input, messages, tools }, stated, window }) => {
    const param = protocol === "openai-responses" ? "input" : "messages"
    const refused = (message: string) => invalid(message, param, "context_length_exceeded")
    if (stated === undefined || protocol === "openai-responses") return refused(withoutFigures)
    if (input <= window) return refused(sum(stated, input, output))
    const shares = tools === 0 ? "" : ` (${messages} in the messages, ${tools} in the functions)`
    return refused(
      `This model's maximum context length is ${stated} tokens. However, your messages resulted in ${input} tokens${shares}. Please reduce the length of the messages${tools === 0 ? "" : " or functions"}.`
    )
  },
  tooMuchOutput: (asked, most) =>
    invalid(
      `max_tokens is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
      "max_tokens",
      "invalid_value"
    ),
  rateLimited: (model) => ({
    status: 429,
    message: `Rate limit reached for ${model} on requests per min (RPM): Limit 3, Used 3, Requested 1.`,
    type: "requests",
    param: null,
    code: "rate_limit_exceeded"
  }),
  overloaded: {
    status: 503,
    message: "The engine is currently overloaded, please try again later",
    type: "server_error",
    param: null,
    code: "server_error"
  },
  tooManyBytes: undefined,
  idLength: 40,
  models: ["gpt-4.1"],
  chat: {
    usage: (usage) => ({
      ...totals(usage),
      prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 }
    }),
    usageChunk: "own",
    keepAlive: false
  }
}

const anthropic: Imitation = {
  // its vocabulary makes more of the same text
  countingFactor: 1.2,
  // tools bring a system prompt of their own with them
  framing: { message: 5, reply: 3, image: 1_300, tools: 290 },
  cache: { kind: "breakpoints", lookback: 20, minimum: 1024 },
  limitCounts: "input",
  tooLong: ({ output, size: { input }, stated, window }) =>
    invalid(
      stated === undefined
        ? "Prompt is too long"
        : input > window
          ? `prompt is too long: ${input} tokens > ${stated} maximum`
          : `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${stated}, decrease input length or \`max_tokens\` and try again`
    ),
  tooMuchOutput: (asked, most, model) =>
    invalid(`max_tokens: ${asked} > ${most}, which is the maximum allowed number of output tokens for ${model}`),
  rateLimited: () => ({
    status: 429,
    message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    type: "rate_limit_error",
    param: null,
    code: null
  }),
  overloaded: { status: 529, message: "Overloaded", type: "overloaded_error", param: null, code: null },
  tooManyBytes: {
    status: 413,
    message: "Request exceeds the maximum size",
    type: "request_too_large",
    param: null,
    code: null
  },
  idLength: undefined,
  models: ["claude-sonnet-4-5"],
  chat: {
    usage: (usage) => ({ ...totals(usage), prompt_tokens_details: { cached_tokens: usage.cached } }),
    usageChunk: "own",
    keepAlive: false
  }
}

/**
 * @since 0.1.0
 * @category constants
 */
export const imitations = { deepseek, openai, anthropic }

/**
 * The part of a common prefix that the cache gives.
 *
 * @since 0.1.0
 * @category getters
 */
export const fromCache = (cache: CacheHabits, common: number): number =>
  cache.kind === "breakpoints" ? common : common < cache.minimum ? 0 : Math.floor(common / cache.block) * cache.block
