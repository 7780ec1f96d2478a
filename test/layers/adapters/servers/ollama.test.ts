import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { conversation, events, makeServer, type Said, tools } from "./server.ts"

const model = "qwen3:32b"
const frame = { id: "chatcmpl-77", object: "chat.completion.chunk", created: 1, model, system_fingerprint: "fp_ollama" }
const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { role: "assistant", content: "", ...delta }, finish_reason }]
})
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
})
/** What `/api/show` says of a model with this Modelfile. */
const shown = (parameters: string) => ({
  modelfile: `FROM ${model}`,
  parameters,
  template: "{{ .Prompt }}",
  details: { parent_model: "", format: "gguf", family: "qwen3", parameter_size: "32.8B", quantization_level: "Q4_K_M" },
  model_info: {
    "general.architecture": "qwen3",
    "general.parameter_count": 32_762_123_264,
    "qwen3.context_length": 40_960
  },
  capabilities: ["completion", "tools", "thinking"]
})
const stops = 'stop                           "<|im_start|>"\nstop                           "<|im_end|>"'

const make = (
  options: { readonly says?: ReadonlyArray<Said>; readonly running?: number; readonly parameters?: string } = {}
) =>
  makeServer("ollama", {
    model,
    says: options.says ?? [],
    tells: (asked, body) => {
      if (asked === "GET /api/ps") {
        return {
          models:
            options.running === undefined ? [] : [{ name: model, model, size: 1, context_length: options.running }]
        }
      }
      return asked === "POST /api/show" && JSON.parse(body).model === model
        ? shown(options.parameters ?? stops)
        : undefined
    }
  })

describe("Ollama", () => {
  it.scopedLive("streams reasoning, and calls whole, of which each chunk says that it is the first", () =>
    Effect.gen(function* () {
      const { parts } = yield* make({
        says: [
          events(
            frame,
            choice({ reasoning: "Two " }),
            choice({ reasoning: "files." }),
            choice({
              tool_calls: [
                { id: "call_q1", index: 0, type: "function", function: { name: "read", arguments: '{"path":"a"}' } }
              ]
            }),
            choice({
              tool_calls: [
                { id: "call_q2", index: 0, type: "function", function: { name: "read", arguments: '{"path":"b"}' } }
              ]
            }),
            choice({}, "stop"),
            usage(388, 41)
          )
        ]
      })
      assert.deepStrictEqual(yield* parts(), [
        { type: "reasoning-delta", delta: "Two " },
        { type: "reasoning-delta", delta: "files." },
        { type: "reasoning-end" },
        { type: "tool-call", id: "call_q1", name: "read", arguments: { path: "a" } },
        { type: "tool-call", id: "call_q2", name: "read", arguments: { path: "b" } },
        { type: "finish", reason: "tool-calls", usage: { inputTokens: 388, outputTokens: 41 } }
      ])
    })
  )

  it.scopedLive("tells what a loaded model runs with", () =>
    Effect.gen(function* () {
      const { asked, info } = yield* make({ running: 4_096 })
      assert.deepStrictEqual(yield* info, { window: 4_096, source: "discovered" })
      assert.deepStrictEqual(yield* asked, ["/api/ps"])
    })
  )

  it.scopedLive("tells the num_ctx of its definition, and only without one what the model was made for", () =>
    Effect.gen(function* () {
      const set = yield* make({ parameters: `${stops}\nnum_ctx                        16384` })
      assert.deepStrictEqual(yield* set.info, { window: 16_384, source: "discovered" })
      assert.deepStrictEqual(yield* set.asked, ["/api/ps", "/api/show"])
      assert.deepStrictEqual(yield* (yield* make()).info, { window: 40_960, source: "discovered" })
    })
  )

  it.scopedLive("is not told of tool_choice, which it does not take; everything else goes as it is", () =>
    Effect.gen(function* () {
      const { body, error, request } = yield* make()
      yield* error(request({ tools, maxOutputTokens: 800 }, { messages: conversation, toolUse: "none" }))
      const sent = yield* body
      assert.deepStrictEqual(Object.keys(sent), [
        "model",
        "tools",
        "messages",
        "max_tokens",
        "stream",
        "stream_options"
      ])
      assert.include(JSON.stringify(sent), '"image_url"')
      assert.notInclude(JSON.stringify(sent), "Two files.")
    })
  )

  it.scopedLive("refuses in its own words, if it refuses at all", () =>
    Effect.gen(function* () {
      const failed = (message: string, type = "invalid_request_error") => ({
        error: { message, type, param: null, code: null }
      })
      const { error } = yield* make({
        says: [
          {
            status: 400,
            body: failed(
              "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length"
            )
          },
          { status: 400, body: failed("prompt too long; exceeded max context length by 8123 tokens") },
          { status: 500, body: { error: "the request exceeds the available context size" } },
          { status: 404, body: failed('model "qwen9" not found, try pulling it first', "api_error") },
          { status: 500, body: failed("llama runner process has terminated: signal: killed", "api_error") }
        ]
      })
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* error())._tag, "ContextWindowExceeded")
      assert.strictEqual((yield* error())._tag, "InvalidRequest")
      assert.strictEqual((yield* error())._tag, "ProviderUnavailable")
    })
  )
})
