/**
 * What a provider counted, in one convention: Effect AI hands on each provider's own.
 *
 * @since 0.1.0
 */
import type * as Response from "@effect/ai/Response"
import * as AnthropicUsage from "../layers/adapters/anthropicUsage.ts"
import * as Usage from "../session/Usage.ts"
import { anthropicUsage } from "./aiFailure.ts"

const numberIn = (fields: unknown, name: string): number | undefined => {
  const value =
    typeof fields === "object" && fields !== null ? (fields as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof value === "number" ? value : undefined
}

const sum = (...counts: ReadonlyArray<number | undefined>): number =>
  counts.reduce<number>((total, count) => total + (count ?? 0), 0)

/** The provider's own count is of the stream's start, and the part has the answer's end: the larger is the later. */
const ofAnthropic = ({ usage }: Pick<Response.FinishPart, "usage">, own: Readonly<Record<string, unknown>>) =>
  AnthropicUsage.decodeUsage(
    AnthropicUsage.merge(
      AnthropicUsage.merge({}, { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens }),
      own
    )
  )

/**
 * Effect AI's count has Anthropic's and Bedrock's input without what the cache held, and Google's output without its
 * thoughts; here all are whole. Undefined: nothing was counted.
 *
 * @since 0.1.0
 * @category conversions
 */
export const usageOf = (part: Pick<Response.FinishPart, "usage" | "metadata">): Usage.Usage | undefined => {
  const { cachedInputTokens, inputTokens, outputTokens, reasoningTokens } = part.usage
  const own = anthropicUsage(part)
  const metadata = part.metadata as Readonly<Record<string, unknown>>
  const counted = (() => {
    if (own !== undefined) return ofAnthropic(part, own) ?? {}
    const cached = { cachedTokens: cachedInputTokens, reasoningTokens }
    if (metadata["bedrock"] !== undefined && inputTokens !== undefined) {
      const usage = (metadata["bedrock"] as { readonly usage?: unknown }).usage
      const cacheWriteTokens = numberIn(usage, "cacheWriteInputTokens")
      return {
        ...cached,
        inputTokens: sum(inputTokens, cachedInputTokens, cacheWriteTokens),
        outputTokens,
        cacheWriteTokens
      }
    }
    if (metadata["google"] !== undefined && outputTokens !== undefined) {
      return { ...cached, inputTokens, outputTokens: sum(outputTokens, reasoningTokens) }
    }
    return { ...cached, inputTokens, outputTokens }
  })()
  const usage = Usage.sound(
    Object.fromEntries(Object.entries(counted).filter(([, count]) => count !== undefined)) as Partial<Usage.Usage>
  )
  return Usage.isReported(usage) ? usage : undefined
}
