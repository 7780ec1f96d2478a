import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import type { ServerResponse } from "node:http"
import * as OpenAiChat from "../../../src/layers/adapters/OpenAiChat.ts"
import type { PresetName } from "../../../src/layers/adapters/openAiChatPresets.ts"
import { lookups } from "../../../src/layers/adapters/windowLookups.ts"
import * as SimulatedProvider from "../../../src/testing/SimulatedProvider.ts"
import { rawServer } from "./rawServer.ts"

const key = "sk-planted-9b3e"
const adapter = (provider: PresetName, baseUrl: string, more: Partial<OpenAiChat.Options> = {}) =>
  OpenAiChat.make({ provider, baseUrl, apiKey: Redacted.make(key), ...more } as OpenAiChat.Options).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
const info = (model: OpenAiChat.ModelAdapter["Type"], provider: string, name: string) =>
  Effect.map(model.modelInfo({ provider, model: name }), Option.getOrUndefined)
const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
const vllm = (window: number) => ({ object: "list", data: [{ id: "m", max_model_len: window }] })

describe("the window of a model, asked of its server", () => {
  const served = { window: 16_000, trainedWindow: 131_072, maxOutputTokens: 4_096, models: ["m", "other"] }
  const kinds = [
    ["vllm", "vllm", "/v1", 16_000, undefined],
    ["openrouter", "openrouter", "/api/v1", 16_000, 4_096],
    ["groq", "groq", "/openai/v1", 16_000, 4_096],
    ["mistral", "mistral", "/v1", 16_000, undefined],
    ["llama.cpp", "llamacpp", "/v1", 16_000, undefined],
    ["ollama", "ollama", "/v1", 16_000, undefined],
    ["lm-studio", "lmstudio", "/v1", 16_000, undefined]
  ] as const
  for (const [provider, kind, path, window, outputLimit] of kinds) {
    it.scopedLive(`is read from ${provider} under its own name [WINDOW-3]`, () =>
      Effect.gen(function* () {
        const server = yield* SimulatedProvider.make({ window: 8_000, as: "deepseek", discovery: { kind, ...served } })
        const model = yield* adapter(provider, `${server.baseUrl}${path}`)
        assert.deepStrictEqual(yield* info(model, provider, "m"), {
          window,
          ...(outputLimit === undefined ? {} : { outputLimit }),
          source: "discovered"
        })
      })
    )
  }

  it("is in the list under an alias, a variant, or not at all", () => {
    const read = ([lookup]: (typeof lookups)["openrouter" | "mistral"], answer: object, model: string) =>
      lookup.read(answer as never, model)
    const list = { data: [null, 7, { id: "a/b", context_length: 9 }, { id: "a/b:free", context_length: 5 }] }
    assert.strictEqual(read(lookups.openrouter, list, "a/b:nitro")?.window, 9)
    assert.strictEqual(read(lookups.openrouter, list, "a/b:free")?.window, 5)
    assert.isUndefined(read(lookups.openrouter, list, "a/c"))
    for (const odd of [
      {},
      { data: {} },
      { data: [{ id: "m", max_context_length: 0 }] },
      { data: [{ id: "m", max_context_length: "9" }] }
    ]) {
      assert.isUndefined(read(lookups.mistral, odd, "m"))
    }
  })

  it("of Ollama is what it runs with, then num_ctx, and what the model was made for only until it runs", () => {
    const [running, defined] = lookups.ollama
    const ps = {
      models: [
        { name: "qwen3:latest", context_length: 4_096 },
        { name: "qwen3:32b", context_length: 8_192 }
      ]
    }
    assert.deepStrictEqual(running.read(ps, "qwen3"), { window: 4_096 })
    assert.deepStrictEqual(running.read(ps, "qwen3:32b"), { window: 8_192 })
    assert.isUndefined(running.read({ models: [] }, "qwen3"))
    assert.deepStrictEqual(defined.body?.("qwen3"), { model: "qwen3" })
    const model_info = { "general.architecture": "qwen3", "qwen3.context_length": 40_960 }
    const parameters = 'stop                           "<|im_end|>"\nnum_ctx                        16384'
    assert.deepStrictEqual(defined.read({ model_info, parameters }, "qwen3"), { window: 16_384 })
    assert.deepStrictEqual(defined.read({ model_info }, "qwen3"), { window: 40_960, provisional: true })
    assert.isUndefined(defined.read({}, "qwen3"))
  })

  it("of LM Studio is that of the loaded model, and until it is loaded what it was made for", () => {
    const [lookup] = lookups["lm-studio"]
    const entry = { id: "m", max_context_length: 131_072 }
    assert.deepStrictEqual(lookup.read({ data: [{ ...entry, loaded_context_length: 4_096 }] }, "m"), { window: 4_096 })
    assert.deepStrictEqual(lookup.read({ data: [entry] }, "m"), { window: 131_072, provisional: true })
  })
})

describe("asking", () => {
  it.scopedLive("is done once, with the key, for all who wait, and not for a window that is told [WINDOW-3]", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => json(response, vllm(24_000)))
      const model = yield* adapter("vllm", `${server.baseUrl}/v1/`, { windows: { told: { window: 9_000 } } })
      assert.deepStrictEqual(yield* info(model, "vllm", "told"), { window: 9_000, source: "explicit" })
      assert.lengthOf(server.requests, 0)
      const all = yield* Effect.all(
        Array.from({ length: 5 }, () => info(model, "vllm", "m")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all.map((one) => one?.window)), new Set([24_000]))
      yield* info(model, "vllm", "m")
      assert.deepStrictEqual(
        server.requests.map(({ headers, url }) => [url, headers.authorization]),
        [["/v1/models", `Bearer ${key}`]]
      )
      const silent = yield* adapter("vllm", `${server.baseUrl}/v1`, { discovery: false })
      assert.isUndefined(yield* info(silent, "vllm", "m"))
      const named = yield* adapter("vllm", `${server.baseUrl}/v1`, { provider: "our-box", like: "vllm" })
      assert.strictEqual((yield* info(named, "our-box", "m"))?.window, 24_000)
      assert.lengthOf(server.requests, 2)
    })
  )

  it.scoped("that fails is none, tells no secret, and is tried again after a minute", () => {
    const logged: Array<string> = []
    return Effect.gen(function* () {
      let status = 500
      const server = yield* rawServer((response) => json(response, status === 200 ? vllm(24_000) : key, status))
      const model = yield* adapter("vllm", `${server.baseUrl}/v1`)
      assert.isUndefined(yield* info(model, "vllm", "m"))
      assert.isUndefined(yield* info(model, "vllm", "m"))
      assert.lengthOf(server.requests, 1)
      status = 200
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* info(model, "vllm", "m"))?.window, 24_000)
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* info(model, "vllm", "m"))?.window, 24_000)
      assert.lengthOf(server.requests, 2)
      assert.isTrue(logged.some((line) => line.includes("models: status 500")))
      assert.isFalse(logged.some((line) => line.includes(key)))
    }).pipe(
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void logged.push(String(message)))
        )
      ),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
  })

  for (const [what, answer] of [
    ["no JSON", (response: ServerResponse) => response.end("<html>")],
    ["a list of other models", (response: ServerResponse) => json(response, { data: [{ id: "x", max_model_len: 5 }] })],
    ["a connection that drops", (response: ServerResponse) => response.destroy()],
    [
      "a body that breaks off",
      (response: ServerResponse) => {
        response.write("{")
        setTimeout(() => response.destroy(), 5)
      }
    ]
  ] as const) {
    it.scopedLive(`that gets ${what} is none`, () =>
      Effect.gen(function* () {
        const server = yield* rawServer(answer)
        assert.isUndefined(yield* info(yield* adapter("vllm", `${server.baseUrl}/v1`), "vllm", "m"))
      })
    )
  }

  it.scoped("waits three seconds for a server that says nothing", () =>
    Effect.gen(function* () {
      let arrived = () => {}
      const asked = new Promise<void>((resolve) => (arrived = resolve))
      const server = yield* rawServer(() => arrived())
      const model = yield* adapter("vllm", `${server.baseUrl}/v1`)
      const waiting = yield* Effect.fork(info(model, "vllm", "m"))
      yield* Effect.promise(() => asked)
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(yield* Fiber.join(waiting))
      yield* server.closed
    })
  )

  it.scopedLive("goes on for those who wait, when the one who asked first is interrupted", () =>
    Effect.gen(function* () {
      let answer = () => {}
      let arrived = () => {}
      const asked = new Promise<void>((resolve) => (arrived = resolve))
      const server = yield* rawServer((response) => {
        answer = () => json(response, vllm(24_000))
        arrived()
      })
      const model = yield* adapter("vllm", `${server.baseUrl}/v1`)
      const first = yield* Effect.fork(info(model, "vllm", "m"))
      yield* Effect.promise(() => asked)
      const second = yield* Effect.fork(info(model, "vllm", "m"))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      answer()
      assert.strictEqual((yield* Fiber.join(second))?.window, 24_000)
      assert.lengthOf(server.requests, 1)
    })
  )

  it.scoped("of what is not final is repeated", () =>
    Effect.gen(function* () {
      let loaded = false
      const server = yield* rawServer((response) =>
        json(response, {
          data: [{ id: "m", max_context_length: 131_072, ...(loaded ? { loaded_context_length: 4_096 } : {}) }]
        })
      )
      const model = yield* adapter("lm-studio", `${server.baseUrl}/v1`)
      assert.strictEqual((yield* info(model, "lm-studio", "m"))?.window, 131_072)
      loaded = true
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* info(model, "lm-studio", "m"))?.window, 4_096)
      assert.deepStrictEqual(
        server.requests.map(({ url }) => url),
        ["/api/v0/models", "/api/v0/models"]
      )
    })
  )
})
