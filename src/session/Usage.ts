/**
 * What a provider counted for one request, in one convention for all of them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "./exactOptional.ts"

/**
 * All figures are tokens. `inputTokens` is the whole prompt, cached reads and writes included, each once.
 * `outputTokens` is the whole answer, reasoning included, once.
 *
 * @since 0.1.0
 * @category models
 */
export const Usage = Schema.Struct({
  inputTokens: Schema.NonNegativeInt,
  outputTokens: Schema.NonNegativeInt,
  cachedTokens: exactOptional(Schema.NonNegativeInt),
  cacheWriteTokens: exactOptional(Schema.NonNegativeInt),
  reasoningTokens: exactOptional(Schema.NonNegativeInt)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Usage = typeof Usage.Type

/**
 * Servers that count nothing report zeros: that is no usage.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isReported = (usage: Usage | undefined): usage is Usage => usage !== undefined && usage.inputTokens > 0

/** No model takes a thousandth of this; a figure beyond it would be believed over every later one. */
const most = 1e9

const count = (value: number | undefined): number | undefined => {
  const whole = Math.floor(value ?? NaN)
  return whole >= 0 && whole <= most ? whole : undefined
}

/**
 * What somebody reported, without the figures that are no counts. Without a count of the input it is no usage: a wrong
 * report must not cost the answer that it came with.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sound = (usage: Partial<Usage> | undefined): Usage | undefined => {
  const inputTokens = count(usage?.inputTokens)
  if (usage === undefined || inputTokens === undefined) return undefined
  const cachedTokens = count(usage.cachedTokens)
  const cacheWriteTokens = count(usage.cacheWriteTokens)
  const reasoningTokens = count(usage.reasoningTokens)
  return {
    inputTokens,
    outputTokens: count(usage.outputTokens) ?? 0,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const zero: Usage = { inputTokens: 0, outputTokens: 0 }

/**
 * The sum of two, field by field; a field that neither has stays absent.
 *
 * @since 0.1.0
 * @category combinators
 */
export const add = (a: Usage, b: Usage): Usage => {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0)
  const cachedTokens = sum(a.cachedTokens, b.cachedTokens)
  const cacheWriteTokens = sum(a.cacheWriteTokens, b.cacheWriteTokens)
  const reasoningTokens = sum(a.reasoningTokens, b.reasoningTokens)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens })
  }
}

/**
 * What came to a sum since it was `before`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const since = (before: Usage, after: Usage): Usage =>
  Object.fromEntries(
    Object.entries(after).map(([field, value]) => [field, value - (before[field as keyof Usage] ?? 0)])
  ) as Usage
