/**
 * How a provider counts: with its vocabulary, or as one that comes to more or fewer tokens for the same text.
 *
 * @since 0.1.0
 */
import type { ChatRequest } from "./chatRequest.ts"
import { makeMeter, type PromptSize, type Vocabulary } from "./tokens.ts"

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
 * `factor` is what the provider counts for one token of the vocabulary.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (vocabulary: Vocabulary, factor: number): Counting => {
  const meter = makeMeter(vocabulary)
  const scaled = (tokens: number) => Math.ceil(tokens * factor)
  return {
    text: (text) => scaled(vocabulary.encode(text).length),
    head: (text, tokens) => vocabulary.head(text, Math.floor(tokens / factor)),
    request: (request) => {
      const size = meter.measure(request)
      const messages = scaled(size.messages)
      const tools = scaled(size.tools)
      return { messages, tools, input: messages + tools, cached: Math.floor(size.cached * factor) }
    },
    remember: meter.remember
  }
}
