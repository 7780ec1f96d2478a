/**
 * What a provider counted, from Effect AI's finish part.
 *
 * @since 0.1.0
 */
import type * as Response from "@effect/ai/Response"
import * as Usage from "../session/Usage.ts"
import { anthropicUsage } from "./aiFailure.ts"

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/**
 * Each package hands on its provider's own convention: that of OpenAI counts cached tokens as input, that of Anthropic does
 * not, and has the rest of the truth in the part's metadata. Undefined: nothing was counted.
 *
 * @since 0.1.0
 * @category conversions
 */
export const usageOf = (finish: Pick<Response.FinishPart, "usage" | "metadata">): Usage.Usage | undefined => {
  const { cachedInputTokens, inputTokens, outputTokens, reasoningTokens } = finish.usage
  const theirs = anthropicUsage(finish)
  const read = numberOf(theirs?.["cache_read_input_tokens"])
  const written = numberOf(theirs?.["cache_creation_input_tokens"])
  const cached = theirs === undefined ? cachedInputTokens : read
  return Usage.sound({
    ...(inputTokens === undefined ? {} : { inputTokens: inputTokens + (read ?? 0) + (written ?? 0) }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  })
}
