/**
 * Counts a request with a real vocabulary, o200k, and knows how much of it the provider's prefix cache would hold.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { contentText, imageCount, type ChatMessage, type ChatRequest } from "./chatRequest.ts"
import * as PromptCache from "./promptCache.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Vocabulary {
  readonly encode: (text: string) => ReadonlyArray<number>
  /** The text of the first `tokens` tokens. */
  readonly head: (text: string, tokens: number) => string
}

/** Runs without a break are cut: a merge over one takes time that grows with its square. */
const longRun = /\S{257,}|\s{257,}/g
const runLength = 256

/** A slice that would end between the halves of a surrogate pair ends before it. */
const sliceEnd = (text: string, end: number) =>
  end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end

const segments = (text: string): ReadonlyArray<string> => {
  const cuts: Array<number> = [0]
  for (const run of text.matchAll(longRun)) {
    const end = run.index + run[0].length
    for (let at = run.index; at < end; at = sliceEnd(text, Math.min(at + runLength, end))) cuts.push(at)
    cuts.push(end)
  }
  cuts.push(text.length)
  return cuts.slice(1).map((end, i) => text.slice(cuts[i], end))
}

/**
 * Loads the vocabulary when it is first used: a test without this provider does not pay for it. `<|endoftext|>` in a
 * text is text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const vocabulary: Effect.Effect<Vocabulary> = Effect.map(
  Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
  ({ decode, encode }) => {
    const options = { disallowedSpecial: new Set<string>() }
    const all = (text: string) => {
      const tokens: Array<number> = []
      for (const segment of segments(text)) for (const token of encode(segment, options)) tokens.push(token)
      return tokens
    }
    return {
      encode: all,
      // a character whose bytes were cut apart is not in the head
      head: (text, tokens) => decode(all(text).slice(0, tokens)).replace(/\ufffd+$/, "")
    }
  }
)

/**
 * Tokens. `messages` and `tools` together are the input; `cached` is how much of it an earlier request had as its
 * beginning.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptSize {
  readonly messages: number
  readonly tools: number
  readonly input: number
  readonly cached: number
}

/**
 * `remember` makes a request part of what is cached. Each message is counted once, however often it is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptMeter {
  readonly measure: (request: ChatRequest) => PromptSize
  readonly remember: (request: ChatRequest) => void
}

const messageFraming = 4
const replyFraming = 3
const imageTokens = 765

const messageText = (message: ChatMessage) =>
  [
    contentText(message),
    typeof message.reasoning_content === "string" ? message.reasoning_content : "",
    ...(message.tool_calls ?? []).map((call) => `${call.function?.name ?? ""}${call.function?.arguments ?? ""}`)
  ].join("")

/**
 * @since 0.1.0
 * @category constructors
 */
export const makeMeter = ({ encode }: Vocabulary): PromptMeter => {
  const counted = new Map<string, PromptCache.CountedPart>()
  const cache = PromptCache.make()

  const countOf = (message: ChatMessage): PromptCache.CountedPart => {
    const text = JSON.stringify(message)
    const known = counted.get(text)
    if (known !== undefined) return known
    const tokens = encode(messageText(message))
    const size = tokens.length + messageFraming + imageCount(message) * imageTokens
    const made = { key: createHash("sha1").update(text).digest("base64"), tokens, size }
    counted.set(text, made)
    return made
  }

  /** The tools stand before the messages, as providers have them. */
  const promptOf = ({ messages, tools }: ChatRequest) => ({
    tools: tools.length === 0 ? [] : [countOf({ role: "tools", content: JSON.stringify(tools) })],
    messages: messages.map(countOf)
  })

  const sizeOf = (parts: ReadonlyArray<PromptCache.CountedPart>) => parts.reduce((sum, { size }) => sum + size, 0)

  return {
    measure: (request) => {
      const prompt = promptOf(request)
      const messages = sizeOf(prompt.messages) + replyFraming
      const tools = sizeOf(prompt.tools)
      const cached = cache.common(request.model, [...prompt.tools, ...prompt.messages])
      return { messages, tools, input: messages + tools, cached }
    },
    remember: (request) => {
      const prompt = promptOf(request)
      cache.remember(request.model, [...prompt.tools, ...prompt.messages])
    }
  }
}
