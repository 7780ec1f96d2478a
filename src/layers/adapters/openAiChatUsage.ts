/**
 * Reads the usage of OpenAI's chat completions, and of the servers that speak it, in our one convention.
 *
 * @since 0.1.0
 */
import * as Usage from "../../session/Usage.ts"

const count = (value: unknown, name: string): number | undefined => {
  const field = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? Math.floor(field) : undefined
}

/**
 * `prompt_tokens` holds the cached ones. `completion_tokens` holds the reasoning, but for servers whose total shows that it
 * stands beside it. All zeros is no usage.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeUsage = (value: unknown): Usage.Usage | undefined => {
  const inputTokens = count(value, "prompt_tokens")
  if (inputTokens === undefined) return undefined
  const { completion_tokens_details: ofOutput, prompt_tokens_details: ofInput } = value as Record<string, unknown>
  const cachedTokens =
    count(ofInput, "cached_tokens") ?? count(value, "prompt_cache_hit_tokens") ?? count(value, "cached_tokens")
  const cacheWriteTokens = count(ofInput, "cache_write_tokens")
  const reasoningTokens = count(ofOutput, "reasoning_tokens")
  const outputTokens = count(value, "completion_tokens") ?? 0
  const isBeside = count(value, "total_tokens") === inputTokens + outputTokens + (reasoningTokens ?? 0)
  const usage = {
    inputTokens,
    outputTokens: isBeside ? outputTokens + (reasoningTokens ?? 0) : outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
  return Usage.isReported(usage) ? usage : undefined
}
