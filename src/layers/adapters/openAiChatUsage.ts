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
 * `prompt_tokens` holds the cached ones, and `completion_tokens` the reasoning, but for servers that count them beside: they
 * are more than all, or the total shows it. All zeros is no usage.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeUsage = (value: unknown): Usage.Usage | undefined => {
  const prompt = count(value, "prompt_tokens")
  if (prompt === undefined) return undefined
  const { completion_tokens_details: ofOutput, prompt_tokens_details: ofInput } = value as Record<string, unknown>
  const cachedTokens =
    count(ofInput, "cached_tokens") ??
    count(value, "prompt_cache_hit_tokens") ??
    count(value, "cached_tokens") ??
    count(value, "cache_read_input_tokens")
  const cacheWriteTokens = count(ofInput, "cache_write_tokens") ?? count(value, "cache_creation_input_tokens")
  const reasoningTokens = count(ofOutput, "reasoning_tokens")
  const completion = count(value, "completion_tokens") ?? 0
  const cached = (cachedTokens ?? 0) + (cacheWriteTokens ?? 0)
  const reasoning = reasoningTokens ?? 0
  const beside = (count(value, "total_tokens") ?? 0) - prompt - completion
  const isCachedBeside =
    Math.max(cachedTokens ?? 0, cacheWriteTokens ?? 0) > prompt || (beside === cached && beside !== reasoning)
  const usage = {
    inputTokens: isCachedBeside ? prompt + cached : prompt,
    outputTokens: beside === reasoning ? completion + reasoning : completion,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
  return Usage.isReported(usage) ? usage : undefined
}
