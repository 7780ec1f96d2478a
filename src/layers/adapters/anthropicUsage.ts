/**
 * Reads the usage of Anthropic's messages in our one convention.
 *
 * @since 0.1.0
 */
import * as Usage from "../../session/Usage.ts"
import { type Fields, fieldsOf } from "./looseJson.ts"

const names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"] as const

/**
 * The figures of an answer, as the provider names them.
 *
 * @since 0.1.0
 * @category models
 */
export type Counts = { readonly [Name in (typeof names)[number]]?: number }

const count = (fields: Fields, name: string): number | undefined => {
  const value = fields[name]
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined
}

/**
 * The counts so far, and those of a later event. They are counts of the whole answer, so that the larger is the later; some
 * servers send zeros first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const merge = (before: Counts, later: unknown): Counts => {
  const fields = fieldsOf(later)
  if (fields === undefined) return before
  return Object.fromEntries(
    names.flatMap((name) => {
      const [old, next] = [before[name], count(fields, name)]
      return old === undefined && next === undefined ? [] : [[name, Math.max(old ?? 0, next ?? 0)] as const]
    })
  )
}

/**
 * `input_tokens` are only those that stand behind the last cached one: reads and writes of the cache are counted beside
 * it. All zeros is no usage.
 *
 * @since 0.1.0
 * @category conversions
 */
export const decodeUsage = (counts: Counts): Usage.Usage | undefined => {
  const read = counts.cache_read_input_tokens
  const written = counts.cache_creation_input_tokens
  const usage = {
    inputTokens: (counts.input_tokens ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: counts.output_tokens ?? 0,
    ...(read === undefined ? {} : { cachedTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written })
  }
  return Usage.isReported(usage) ? usage : undefined
}
