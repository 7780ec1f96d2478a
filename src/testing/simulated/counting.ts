/**
 * How a provider counts: with its vocabulary, or as one that comes to more or fewer tokens for the same text.
 *
 * @since 0.1.0
 */
import type { ChatRequest } from "./chatRequest.ts"
import { fromCache, type CacheHabits } from "./imitation.ts"
import { makeMeter, type Framing, type PromptSize, type Vocabulary } from "./tokens.ts"

/**
 * All figures are the provider's own. `head` is the text of the first `tokens` tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counting {
  readonly text: (text: string) => number
  readonly head: (text: string, tokens: number) => string
  readonly request: (request: ChatRequest) => PromptSize
  readonly remember: (request: ChatRequest) => void
}

/**
 * `factor` is what the provider counts for one token of the vocabulary; `cache` undefined: it has none.
 *
 * @since 0.1.0
 * @category models
 */
export interface CountingOptions {
  readonly factor: number
  readonly framing: Framing
  readonly cache: CacheHabits | undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (vocabulary: Vocabulary, { cache, factor, framing }: CountingOptions): Counting => {
  const meter = makeMeter(
    vocabulary,
    framing,
    cache?.kind === "breakpoints" ? { lookback: cache.lookback, minimum: cache.minimum / factor } : undefined
  )
  const scaled = (tokens: number) => Math.ceil(tokens * factor)
  return {
    text: (text) => scaled(vocabulary.encode(text).length),
    head: (text, tokens) => vocabulary.head(text, Math.floor(tokens / factor)),
    request: (request) => {
      const size = meter.measure(request)
      const messages = scaled(size.messages)
      const tools = scaled(size.tools)
      return {
        messages,
        tools,
        input: messages + tools,
        cached: cache === undefined ? 0 : fromCache(cache, Math.floor(size.cached * factor)),
        written: cache === undefined ? 0 : Math.floor(size.written * factor)
      }
    },
    remember: meter.remember
  }
}
