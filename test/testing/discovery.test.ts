import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"

const figures = { window: 16_000, trainedWindow: 131_072, maxOutputTokens: 4_096, models: ["small"] } as const

const asking = Effect.fnUntraced(function* (options: Partial<SimulatedProvider.Options>) {
  const provider = yield* SimulatedProvider.make({ window: 8_000, as: "deepseek", ...options })
  const ask = (path: string, body?: unknown) =>
    Effect.promise(() =>
      fetch(
        `${provider.baseUrl}${path}`,
        body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      ).then(async (response) => ({ status: response.status, body: await response.json() }))
    )
  return { ask, provider }
})

describe("what the simulated provider tells of its models", () => {
  it.scopedLive("has the window under each server's own name", () =>
    Effect.gen(function* () {
      const found: Array<unknown> = []
      const get = Effect.fnUntraced(function* (kind: SimulatedProvider.DiscoveryKind, path: string, body?: unknown) {
        const { ask } = yield* asking({ discovery: { kind, ...figures } })
        return (yield* ask(path, body)).body
      })
      found.push((yield* get("vllm", "/v1/models")).data[0].max_model_len)
      found.push((yield* get("openrouter", "/api/v1/models")).data[0].context_length)
      found.push((yield* get("openrouter", "/api/v1/models")).data[0].top_provider.max_completion_tokens)
      found.push((yield* get("groq", "/openai/v1/models")).data[0].context_window)
      found.push((yield* get("mistral", "/v1/models")).data[0].max_context_length)
      found.push((yield* get("anthropic", "/v1/models")).data[0].max_input_tokens)
      found.push((yield* get("anthropic", "/v1/models/small")).max_tokens)
      found.push((yield* get("llamacpp", "/props")).default_generation_settings.n_ctx)
      found.push((yield* get("llamacpp", "/v1/models")).data[0].meta.n_ctx_train)
      found.push((yield* get("ollama", "/api/show", { model: "small" })).model_info["llama.context_length"])
      found.push((yield* get("ollama", "/api/show", { model: "small" })).parameters.split(/\s+/u)[1])
      found.push((yield* get("ollama", "/api/ps")).models[0].context_length)
      found.push((yield* get("lmstudio", "/api/v0/models")).data[0].loaded_context_length)
      found.push((yield* get("lmstudio", "/api/v0/models/small")).max_context_length)
      assert.deepStrictEqual(found, [
        16_000,
        16_000,
        4_096,
        16_000,
        16_000,
        16_000,
        4_096,
        16_000,
        131_072,
        131_072,
        "16000",
        16_000,
        16_000,
        131_072
      ])
    })
  )

  it.scopedLive("states what it enforces unless it is told otherwise, or nothing", () =>
    Effect.gen(function* () {
      const window = Effect.fnUntraced(function* (options: Partial<SimulatedProvider.Options>) {
        const { ask } = yield* asking(options)
        return (yield* ask("/v1/models")).body.data[0].max_model_len
      })
      assert.strictEqual(yield* window({ discovery: "vllm" }), 8_000)
      assert.strictEqual(yield* window({ discovery: "vllm", statedWindow: 9_000 }), 9_000)
      assert.strictEqual(yield* window({ discovery: { kind: "vllm", window: 12_000 } }), 12_000)
      assert.isUndefined(yield* window({ discovery: { kind: "vllm", window: null } }))
    })
  )

  it.scopedLive("lists its models as the provider that it imitates, and has nothing where it is told so", () =>
    Effect.gen(function* () {
      const plain = yield* asking({})
      assert.deepStrictEqual((yield* plain.ask("/models")).body.data[0], {
        id: "deepseek-chat",
        object: "model",
        created: 0,
        owned_by: "deepseek"
      })
      assert.strictEqual((yield* plain.ask("/v1/models/nope")).status, 404)
      assert.strictEqual((yield* plain.ask("/props")).status, 404)
      const none = yield* asking({ discovery: "none" })
      assert.strictEqual((yield* none.ask("/v1/models")).status, 404)
      // lookups are no requests
      assert.lengthOf(yield* none.provider.requests, 0)
      assert.deepStrictEqual(yield* none.provider.lookups, [{ method: "GET", path: "/v1/models", body: "" }])
    })
  )
})
