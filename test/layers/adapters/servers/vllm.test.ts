import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { conversation, events, makeServer, type Said, tools } from "./server.ts"

const model = "Qwen/Qwen3-32B"
const frame = { id: "chatcmpl-4f", object: "chat.completion.chunk", created: 1, model }
const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [
    { index: 0, delta, logprobs: null, finish_reason, ...(finish_reason === null ? {} : { stop_reason: null }) }
  ]
})
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  choices: [],
  usage: {
    prompt_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    completion_tokens,
    prompt_tokens_details: null
  }
})
const served = (max_model_len: number) => ({
  object: "list",
  data: [
    {
      id: model,
      object: "model",
      created: 1,
      owned_by: "vllm",
      root: model,
      parent: null,
      max_model_len,
      permission: [{ id: "modelperm-1", object: "model_permission", allow_sampling: true }]
    }
  ]
})
const make = (...says: ReadonlyArray<Said>) =>
  makeServer("vllm", { model, says, tells: (asked) => (asked === "GET /v1/models" ? served(40_960) : undefined) })

describe("vLLM", () => {
  for (const name of ["reasoning", "reasoning_content"]) {
    it.scopedLive(`streams ${name}, and counts without details`, () =>
      Effect.gen(function* () {
        const { parts } = yield* make(
          events(
            frame,
            choice({ role: "assistant", content: "", [name]: null }),
            choice({ [name]: "Hm." }),
            choice({ content: "Yes." }),
            choice({
              tool_calls: [{ id: "chatcmpl-tool-8a", type: "function", index: 0, function: { name: "read" } }]
            }),
            choice({ tool_calls: [{ index: 0, function: { arguments: '{"path": "a"}' } }] }),
            choice({ content: "" }, "tool_calls"),
            usage(712, 31)
          )
        )
        assert.deepStrictEqual(yield* parts(), [
          { type: "reasoning-delta", delta: "Hm." },
          { type: "reasoning-end" },
          { type: "text-delta", delta: "Yes." },
          { type: "tool-call", id: "chatcmpl-tool-8a", name: "read", arguments: { path: "a" } },
          { type: "finish", reason: "tool-calls", usage: { inputTokens: 712, outputTokens: 31 } }
        ])
      })
    )
  }

  it.scopedLive("tells the window that it was started with, and a length stop at its edge is an overflow", () =>
    Effect.gen(function* () {
      const { asked, error, info, parts } = yield* make(
        events(frame, choice({ role: "assistant", content: "" }), choice({}, "length"), usage(40_955, 0)),
        events(
          frame,
          choice({ role: "assistant", content: "" }),
          choice({ content: "cut" }, "length"),
          usage(40_955, 5)
        )
      )
      assert.deepStrictEqual(yield* info, { window: 40_960, source: "discovered" })
      assert.deepInclude(yield* error(), { _tag: "ContextWindowExceeded", limit: 40_960, requested: 40_955 })
      assert.deepInclude((yield* parts()).at(-1), { type: "finish", reason: "length" })
      assert.deepStrictEqual(yield* asked, ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"])
    })
  )

  it.scopedLive("gets back the reasoning of messages with calls, under the name that its templates look for", () =>
    Effect.gen(function* () {
      const { body, error, request } = yield* make()
      yield* error(request({ tools, maxOutputTokens: 800 }, { messages: conversation, toolUse: "none" }))
      const sent = yield* body
      assert.strictEqual(sent["max_tokens"], 800)
      assert.strictEqual(sent["tool_choice"], "none")
      assert.deepStrictEqual(
        sent.messages.map(({ reasoning }) => reasoning),
        [undefined, "Two files.", undefined, undefined, undefined, undefined]
      )
      assert.deepStrictEqual(sent["stream_options"], { include_usage: true })
    })
  )

  it.scopedLive("refuses in its own words, in both forms that its errors have", () =>
    Effect.gen(function* () {
      const flat = (message: string) => ({ object: "error", message, type: "BadRequestError", param: null, code: 400 })
      const { error } = yield* make(
        {
          status: 400,
          body: flat(
            "This model's maximum context length is 40960 tokens. However, you requested 45102 tokens (37102 in the messages, 8000 in the completion). Please reduce the length of the messages or completion. None"
          )
        },
        {
          status: 400,
          body: {
            error: flat(
              "This model's maximum context length is 40960 tokens. However, your request has 51877 input tokens. Please reduce the length of the input messages. None"
            )
          }
        },
        {
          status: 400,
          body: flat(
            "The decoder prompt (length 50321) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens."
          )
        },
        { status: 404, body: flat("The model `x` does not exist.") },
        events(frame, choice({ role: "assistant", content: "" }), {
          error: {
            object: "error",
            message: "EngineCore encountered an issue.",
            type: "InternalServerError",
            param: null,
            code: 500
          }
        })
      )
      assert.deepInclude(yield* error(), {
        _tag: "ContextWindowExceeded",
        limit: 40_960,
        limitCounts: "input-and-output",
        requested: 37_102
      })
      assert.deepInclude(yield* error(), { _tag: "ContextWindowExceeded", limit: 40_960, requested: 51_877 })
      assert.deepInclude(yield* error(), { _tag: "ContextWindowExceeded", limit: 40_960, requested: 50_321 })
      assert.strictEqual((yield* error())._tag, "InvalidRequest")
      assert.strictEqual((yield* error())._tag, "ProviderUnavailable")
    })
  )
})
