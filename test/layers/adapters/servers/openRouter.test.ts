import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Answer from "../../../../src/compaction/answer.ts"
import * as Message from "../../../../src/session/Message.ts"
import { events, makeServer, type Said } from "./server.ts"

const model = "google/gemini-3-pro"
const frame = { id: "gen-4f", object: "chat.completion.chunk", created: 1, model, provider: "Google" }
const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { role: "assistant", content: "", ...delta }, finish_reason }]
})
const call = { index: 0, id: "tool_0_read", type: "function", function: { name: "read", arguments: "{}" } }
const text = { type: "reasoning.text", text: "Hm.", format: "google-gemini-v1", index: 0 }
const sealed = {
  type: "reasoning.encrypted",
  data: "AAAA+/==",
  id: "tool_0_read",
  format: "google-gemini-v1",
  index: 1
}
const signed = { type: "reasoning.encrypted", data: "BBBB", format: "anthropic-claude-v1", index: 2 }
const answer: Said = events(
  frame,
  ": OPENROUTER PROCESSING\n\n",
  choice({ reasoning: "Hm.", reasoning_details: [text] }),
  choice({ tool_calls: [call] }),
  choice({ reasoning_details: [sealed, signed] }),
  choice({}, "tool_calls"),
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } }
)

const said = Effect.fnUntraced(function* (given: Said) {
  const server = yield* makeServer("openrouter", { model, says: [given, answer] })
  const message = Answer.make()
  for (const part of yield* server.parts()) message.add(part)
  return { ...server, message: message.answer().message }
})

const afterwards = (message: Message.Message, id: string) => [
  Message.user("Hello"),
  message,
  Message.toolResult({ id, name: "read", content: "A" })
]

describe("OpenRouter", () => {
  it.scopedLive("gets back what Gemini encrypted, without which it refuses the next request", () =>
    Effect.gen(function* () {
      const { body, message, parts, request } = yield* said(answer)
      assert.deepStrictEqual(
        message.content.map(({ type }) => type),
        ["reasoning", "reasoning", "tool-call"]
      )
      yield* parts(request({}, { messages: afterwards(message, "tool_0_read") }))
      const sent = (yield* body).messages[1]
      assert.deepInclude(sent ?? {}, { role: "assistant", reasoning: "Hm.", reasoning_details: [sealed] })
      assert.strictEqual(sent?.tool_calls?.[0]?.id, "tool_0_read")
    })
  )

  it.scopedLive("names the call of it as it names the call", () =>
    Effect.gen(function* () {
      const id = `tool_read_${"x".repeat(60)}`
      const { body, message, parts, request } = yield* said(
        events(
          frame,
          choice({ tool_calls: [{ ...call, id }], reasoning_details: [{ ...sealed, id }] }),
          choice({}, "tool_calls")
        )
      )
      yield* parts(request({}, { messages: afterwards(message, id) }))
      const sent = (yield* body).messages[1]
      const short = (yield* body).messages[2]?.tool_call_id
      assert.isAtMost(short?.length ?? 99, 40)
      assert.strictEqual(sent?.reasoning_details?.[0]?.id, short)
    })
  )

  it.scopedLive("gets nothing that another provider sealed, and nobody else what it sealed", () =>
    Effect.gen(function* () {
      const { message } = yield* said(answer)
      const elsewhere = yield* makeServer("vllm", { model, says: [answer] })
      yield* elsewhere.parts(elsewhere.request({}, { messages: afterwards(message, "tool_0_read") }))
      assert.deepInclude((yield* elsewhere.body).messages[1] ?? {}, { reasoning: "Hm." })
      assert.notInclude(JSON.stringify(yield* elsewhere.body), "AAAA")

      const { body, parts, request } = yield* makeServer("openrouter", { model, says: [answer] })
      const claude = Message.assistant([
        { type: "reasoning", text: "", redacted: "CCCC", provider: "anthropic" },
        Message.toolCall("a", "read", {})
      ])
      yield* parts(request({}, { messages: afterwards(claude, "a") }))
      assert.notInclude(JSON.stringify(yield* body), "CCCC")
    })
  )
})
