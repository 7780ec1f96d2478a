import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { conversation, events, makeServer, type Said, tools } from "./server.ts"

const frame = {
  id: "chatcmpl-9",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-5-2025-08-07",
  service_tier: "default",
  system_fingerprint: null,
  usage: null
}
const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
  obfuscation: "xK3"
})
const usage = {
  choices: [],
  usage: {
    prompt_tokens: 2_061,
    completion_tokens: 310,
    total_tokens: 2_371,
    prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 256,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0
    }
  }
}
const make = (...says: ReadonlyArray<Said>) => makeServer("openai", { model: "gpt-5", says })
const call = (index: number, fields: object) => ({ tool_calls: [{ index, ...fields }] })

describe("OpenAI", () => {
  it.scopedLive("streams parallel calls in fragments, and its usage in a chunk of its own", () =>
    Effect.gen(function* () {
      const { parts } = yield* make(
        events(
          frame,
          choice({
            role: "assistant",
            content: null,
            refusal: null,
            ...call(0, { id: "call_a", type: "function", function: { name: "read", arguments: "" } })
          }),
          choice(call(0, { function: { arguments: '{"path"' } })),
          choice(call(0, { function: { arguments: ':"a"}' } })),
          choice(call(1, { id: "call_b", type: "function", function: { name: "read", arguments: "" } })),
          choice(call(1, { function: { arguments: "{}" } })),
          choice({}, "tool_calls"),
          usage
        )
      )
      assert.deepStrictEqual(yield* parts(), [
        { type: "tool-call", id: "call_a", name: "read", arguments: { path: "a" } },
        { type: "tool-call", id: "call_b", name: "read", arguments: {} },
        {
          type: "finish",
          reason: "tool-calls",
          usage: { inputTokens: 2_061, outputTokens: 310, cachedTokens: 1_920, reasoningTokens: 256 }
        }
      ])
    })
  )

  it.scopedLive("a refusal of the model's is what it says; a filter is an error only without content", () =>
    Effect.gen(function* () {
      const { error, parts } = yield* make(
        events(
          frame,
          choice({ role: "assistant", content: "", refusal: null }),
          choice({ refusal: "I can't." }),
          choice({}, "stop"),
          usage
        ),
        events(frame, choice({ role: "assistant", content: "", refusal: null }), choice({}, "content_filter"), usage)
      )
      const [said, finish] = yield* parts()
      assert.deepStrictEqual(said, { type: "text-delta", delta: "I can't." })
      assert.deepInclude(finish, { type: "finish", reason: "stop" })
      assert.strictEqual((yield* error())._tag, "ContentFiltered")
    })
  )

  it.scopedLive(
    "gets images as parts, no reasoning, its own name for the output's limit, and that no tool may be called",
    () =>
      Effect.gen(function* () {
        const { body, error, request } = yield* make()
        yield* error(request({ tools, maxOutputTokens: 800 }, { messages: conversation, toolUse: "none" }))
        const sent = yield* body
        assert.deepStrictEqual(Object.keys(sent), [
          "model",
          "tools",
          "messages",
          "tool_choice",
          "max_completion_tokens",
          "stream",
          "stream_options"
        ])
        assert.strictEqual(sent["tool_choice"], "none")
        assert.deepStrictEqual(sent.messages[0]?.content, [
          { type: "text", text: "What is in these?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }
        ])
        assert.notInclude(JSON.stringify(sent), "Two files.")
      })
  )

  it.scopedLive("has the input's limit of its row, and is not asked for it", () =>
    Effect.gen(function* () {
      const { asked, info } = yield* make()
      assert.deepInclude(yield* info, { window: 272_000, outputLimit: 128_000, source: "preset" })
      assert.deepStrictEqual(yield* asked, [])
    })
  )

  it.scopedLive("refuses in its own words", () =>
    Effect.gen(function* () {
      const refused = (message: string, fields: object = {}) => ({
        error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded", ...fields }
      })
      const { error } = yield* make(
        {
          status: 400,
          body: refused(
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280417 tokens. Please reduce the length of the messages."
          )
        },
        events(
          frame,
          choice({ role: "assistant", content: "" }),
          refused("Your input exceeds the context window of this model. Please adjust your input and try again.")
        ),
        {
          status: 429,
          headers: { "retry-after-ms": "1840" },
          body: refused(
            "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 500000, Used 499000, Requested 9000. Please try again in 1.84s.",
            { type: "tokens", param: null, code: "rate_limit_exceeded" }
          )
        },
        {
          status: 429,
          body: refused(
            "Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 48120. The input or output tokens must be reduced in order to run successfully.",
            { type: "tokens", param: null, code: "rate_limit_exceeded" }
          )
        },
        {
          status: 429,
          body: refused("You exceeded your current quota, please check your plan and billing details.", {
            type: "insufficient_quota",
            param: null,
            code: "insufficient_quota"
          })
        }
      )
      assert.deepInclude(yield* error(), { _tag: "ContextWindowExceeded", limit: 272_000, requested: 280_417 })
      assert.strictEqual((yield* error())._tag, "ContextWindowExceeded")
      assert.deepInclude(yield* error(), { _tag: "RateLimited", retryAfter: 1_840 })
      assert.deepInclude(yield* error(), { _tag: "RateLimited", limit: 30_000, requested: 48_120, neverFits: true })
      assert.strictEqual((yield* error())._tag, "QuotaExceeded")
    })
  )
})
