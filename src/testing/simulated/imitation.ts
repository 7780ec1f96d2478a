/**
 * What differs between the providers that are imitated: how they judge a request's size, and what they say.
 *
 * @since 0.1.0
 */
import type { ChatRequest } from "./chatRequest.ts"
import type { PromptSize } from "./tokens.ts"

/**
 * Tokens, as the provider reports them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReportedUsage {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly reasoning: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly status: number
  readonly body: unknown
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Imitation {
  /** Undefined: the request is taken. `stated` is the window that a refusal names; undefined: it names no figure. */
  readonly refuse: (size: PromptSize, output: number, window: number, stated: number | undefined) => Refusal | undefined
  readonly usage: (usage: ReportedUsage) => Readonly<Record<string, unknown>>
  readonly rateLimited: (request: ChatRequest) => unknown
  /** The cache holds whole blocks only. */
  readonly cacheBlock: number
  readonly cacheMinimum: number
  /** Whether the usage comes in a chunk of its own, without choices, or with the last one. */
  readonly usageChunk: "own" | "with-finish"
  readonly keepAlive: boolean
}

const invalid = (message: string, code: string, param: string | null = null): Refusal => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param, code } }
})

const withoutFigures = "Your input exceeds the context window of this model. Please adjust your input and try again."

const sum = (window: number, input: number, output: number) =>
  `This model's maximum context length is ${window} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`

const totals = ({ input, output }: ReportedUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output
})

const deepseek: Imitation = {
  refuse: ({ input }, output, window, stated) =>
    input + output <= window
      ? undefined
      : invalid(stated === undefined ? withoutFigures : sum(stated, input, output), "invalid_request_error"),
  usage: (usage) => ({
    ...totals(usage),
    prompt_tokens_details: { cached_tokens: usage.cached },
    ...(usage.reasoning === 0 ? {} : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
    prompt_cache_hit_tokens: usage.cached,
    prompt_cache_miss_tokens: usage.input - usage.cached
  }),
  rateLimited: () => ({
    error: {
      message: "Rate limit reached, please slow down",
      type: "rate_limit_reached_error",
      param: null,
      code: null
    }
  }),
  cacheBlock: 64,
  cacheMinimum: 64,
  usageChunk: "with-finish",
  keepAlive: true
}

const openai: Imitation = {
  refuse: ({ input, messages, tools }, output, window, stated) => {
    if (input + output <= window) return undefined
    if (stated === undefined) return invalid(withoutFigures, "context_length_exceeded", "messages")
    if (input > window) {
      const shares = tools === 0 ? "" : ` (${messages} in the messages, ${tools} in the functions)`
      return invalid(
        `This model's maximum context length is ${stated} tokens. However, your messages resulted in ${input} tokens${shares}. Please reduce the length of the messages${tools === 0 ? "" : " or functions"}.`,
        "context_length_exceeded",
        "messages"
      )
    }
    return invalid(sum(stated, input, output), "context_length_exceeded", "messages")
  },
  usage: (usage) => ({
    ...totals(usage),
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 }
  }),
  rateLimited: ({ model }) => ({
    error: {
      message: `Rate limit reached for ${model} on requests per min (RPM): Limit 3, Used 3, Requested 1.`,
      type: "requests",
      param: null,
      code: "rate_limit_exceeded"
    }
  }),
  cacheBlock: 128,
  cacheMinimum: 1024,
  usageChunk: "own",
  keepAlive: false
}

/**
 * @since 0.1.0
 * @category constants
 */
export const imitations = { deepseek, openai }

/**
 * The part of a common prefix that the cache gives.
 *
 * @since 0.1.0
 * @category getters
 */
export const fromCache = ({ cacheBlock, cacheMinimum }: Imitation, common: number): number =>
  common < cacheMinimum ? 0 : Math.floor(common / cacheBlock) * cacheBlock
