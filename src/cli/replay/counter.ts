/**
 * Counts messages as the simulated provider does: with a real vocabulary, in the form in which they are sent.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { defaultQuirks, encodeBody } from "../../layers/adapters/openAiChatRequest.ts"
import type { Envelope } from "../../session/Envelope.ts"
import type { Message } from "../../session/Message.ts"
import type * as ChatRequest from "../../testing/simulated/chatRequest.ts"

/**
 * Tokens. A request weighs its envelope and its messages, and nothing besides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counter {
  readonly envelope: (envelope: Envelope) => number
  readonly message: (message: Message) => number
}

const bare: Envelope = { route: { provider: "count", model: "count" } }

/**
 * Loads the vocabulary, which takes a moment.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Counter> = Effect.gen(function* () {
  const { makeMeter, vocabulary } = yield* Effect.promise(() => import("../../testing/simulated/tokens.ts"))
  const meter = makeMeter(yield* vocabulary)
  const measure = (envelope: Envelope, messages: ReadonlyArray<Message>) => {
    const body = encodeBody({ id: "count", generation: 0, envelope, messages }, defaultQuirks)
    const messageList = body["messages"] as ReadonlyArray<ChatRequest.ChatMessage>
    const tools = (body["tools"] ?? []) as ReadonlyArray<unknown>
    return meter.measure({
      model: "count",
      messages: messageList,
      tools,
      stream: true,
      includeUsage: true,
      maxTokens: undefined
    }).input
  }
  const empty = measure(bare, [])
  const known = new WeakMap<Message, number>()
  return {
    envelope: (envelope) => measure(envelope, []),
    message: (message) => {
      const counted = known.get(message) ?? measure(bare, [message]) - empty
      known.set(message, counted)
      return counted
    }
  }
})
