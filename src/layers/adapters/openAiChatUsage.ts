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
 * `prompt_tokens` holds the cached ones and `completion_tokens` the reasoning. All zeros is no usage.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeUsage = (value: unknown): Usage.Usage | undefined => {
  const inputTokens = count(value, "prompt_tokens")
  if (inputTokens === undefined) return undefined
  const fields = value as Record<string, unknown>
  const cachedTokens =
    count(fields["prompt_tokens_details"], "cached_tokens") ?? count(value, "prompt_cache_hit_tokens")
  const reasoningTokens = count(fields["completion_tokens_details"], "reasoning_tokens")
  const usage = {
    inputTokens,
    outputTokens: count(value, "completion_tokens") ?? 0,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
  return Usage.isReported(usage) ? usage : undefined
}
