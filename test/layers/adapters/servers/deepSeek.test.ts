import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { conversation, events, makeServer, tools } from "./server.ts"

const frame = {
  id: "1c2d",
  object: "chat.completion.chunk",
  created: 1,
  model: "deepseek-flash",
  system_fingerprint: "fp_1"
}
const choice = (delta: object, finish_reason: string | null = null, more = {}) => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  ...more
})
const usage = {
  prompt_tokens: 1_313,
  completion_tokens: 44,
  total_tokens: 1_357,
  prompt_tokens_details: { cached_tokens: 1_280 },
  completion_tokens_details: { reasoning_tokens: 21 },
  prompt_cache_hit_tokens: 1_280,
  prompt_cache_miss_tokens: 33
}
const make = (...says: Parameters<typeof makeServer>[1]["says"] & ReadonlyArray<unknown>) =>
  makeServer("deepseek", { path: "", model: "deepseek-flash", says: says as never })
const refusal = (message: string, code = "invalid_request_error") => ({
  error: { message, type: "invalid_request_error", param: null, code }
})

describe("DeepSeek", () => {
  it.scopedLive(
    "streams reasoning, then text and a call, and its usage with the end; it is kept alive by comments",
    () =>
      Effect.gen(function* () {
        const { parts } = yield* make(
          events(
            frame,
            ": keep-alive\n\n",
            choice({ role: "assistant", content: null, reasoning_content: "" }),
            choice({ content: null, reasoning_content: "Need the " }),
            ": keep-alive\n\n",
            choice({ content: null, reasoning_content: "file." }),
            choice({ content: "Let me look.", reasoning_content: null }),
            choice({
              tool_calls: [{ index: 0, id: "call_00_x", type: "function", function: { name: "read", arguments: "" } }]
            }),
            choice({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
            choice({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
            choice({ content: "" }, "tool_calls", { usage })
          )
        )
        assert.deepStrictEqual(yield* parts(), [
          { type: "reasoning-delta", delta: "Need the " },
          { type: "reasoning-delta", delta: "file." },
          { type: "reasoning-end" },
          { type: "text-delta", delta: "Let me look." },
          { type: "tool-call", id: "call_00_x", name: "read", arguments: { path: "a" } },
          {
            type: "finish",
            reason: "tool-calls",
            usage: { inputTokens: 1_313, outputTokens: 44, cachedTokens: 1_280, reasoningTokens: 21 }
          }
        ])
      })
  )

  it.scopedLive(
    "gets back the reasoning of messages with calls, and of no others; images by name, and no tool_choice",
    () =>
      Effect.gen(function* () {
        const { body, error, request } = yield* make()
        yield* error(
          request({ system: "Terse.", tools, maxOutputTokens: 800 }, { messages: conversation, toolUse: "none" })
        )
        const sent = yield* body
        assert.deepStrictEqual(Object.keys(sent), [
          "model",
          "tools",
          "messages",
          "max_tokens",
          "stream",
          "stream_options"
        ])
        assert.strictEqual(sent["max_tokens"], 800)
        const [system, user, called, first, second, answered] = sent.messages
        assert.deepStrictEqual(system, { role: "system", content: "Terse." })
        assert.isString(user?.content)
        assert.include(String(user?.content), "image/png")
        assert.strictEqual(called?.reasoning_content, "Two files.")
        assert.deepStrictEqual(
          called?.tool_calls?.map(({ id }) => id),
          ["call_1", "call_2"]
        )
        assert.deepStrictEqual([first?.tool_call_id, second?.tool_call_id], ["call_1", "call_2"])
        assert.deepStrictEqual(answered, { role: "assistant", content: "A and B." })
      })
  )

  it.scopedLive("has the window of its row, and is not asked for it: its list has none", () =>
    Effect.gen(function* () {
      const { asked, info } = yield* make()
      assert.deepInclude(yield* info, { window: 1_000_000, outputLimit: 384_000, source: "preset" })
      assert.deepStrictEqual(yield* asked, [])
    })
  )

  it.scopedLive("refuses in its own words", () =>
    Effect.gen(function* () {
      const { error } = yield* make(
        {
          status: 400,
          body: refusal(
            "This model's maximum context length is 65536 tokens. However, you requested 70311 tokens (66215 in the messages, 4096 in the completion). Please reduce the length of the messages or completion."
          )
        },
        { status: 400, body: refusal("Invalid max_tokens value, the valid range of max_tokens is [1, 65536]") },
        {
          status: 402,
          body: {
            error: {
              message: "Insufficient Balance",
              type: "unknown_error",
              param: null,
              code: "invalid_request_error"
            }
          }
        },
        {
          status: 401,
          body: {
            error: {
              message: "Authentication Fails (no such user)",
              type: "authentication_error",
              param: null,
              code: "invalid_request_error"
            }
          }
        },
        {
          status: 503,
          body: {
            error: {
              message:
                "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
              type: "service_unavailable_error",
              param: null,
              code: "service_unavailable_error"
            }
          }
        },
        events(frame, choice({ content: "Half" }), choice({ content: "" }, "insufficient_system_resource", { usage }))
      )
      assert.deepInclude(yield* error(), {
        _tag: "ContextWindowExceeded",
        limit: 65_536,
        limitCounts: "input-and-output",
        requested: 66_215
      })
      assert.strictEqual((yield* error())._tag, "OutputLimitExceeded")
      assert.strictEqual((yield* error())._tag, "QuotaExceeded")
      assert.strictEqual((yield* error())._tag, "AuthenticationFailed")
      assert.strictEqual((yield* error())._tag, "ProviderUnavailable")
      assert.strictEqual((yield* error())._tag, "ProviderUnavailable")
    })
  )
})
