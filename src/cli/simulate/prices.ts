/**
 * What tokens cost.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { BadInput } from "../exitCode.ts"
import type { Billed, Figures } from "../replay/figures.ts"

/**
 * Money for a million tokens, in a currency that is the reader's to know: of input, of input that the provider read from
 * its prefix cache, and of output.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prices {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/**
 * The prices as they were written: `INPUT,OUTPUT` or `INPUT,CACHED,OUTPUT`. Without a price of its own, cached input costs
 * what input costs.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Effect.Effect<Prices, BadInput> => {
  const values = text.split(",").map((part) => (/^\s*(?:\d+\.?\d*|\.\d+)\s*$/u.test(part) ? Number(part) : NaN))
  const [first = NaN, second = NaN, third] = values
  if (values.length < 2 || values.length > 3 || values.some(Number.isNaN)) {
    return new BadInput({
      message: `--prices takes INPUT,OUTPUT or INPUT,CACHED,OUTPUT, money for a million tokens each, for example 3,0.3,15, and not "${text}"`
    })
  }
  return Effect.succeed(
    third === undefined
      ? { input: first, cached: first, output: second }
      : { input: first, cached: second, output: third }
  )
}

const costOf = ({ cachedTokens, inputTokens, outputTokens }: Billed, { cached, input, output }: Prices): number =>
  ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / 1e6

/**
 * What the requests of the conversation and the summary calls cost together. A refused request costs nothing.
 *
 * @since 0.1.0
 * @category getters
 */
export const cost = ({ billed, spend }: Figures, prices: Prices): number =>
  costOf(billed, prices) + costOf(spend, prices)
