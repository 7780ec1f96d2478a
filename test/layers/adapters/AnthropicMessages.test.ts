import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import * as Answer from "../../../src/compaction/answer.ts"
import * as AnthropicMessages from "../../../src/layers/adapters/AnthropicMessages.ts"
import type { ModelRequest } from "../../../src/services/ModelAdapter.ts"
import * as Message from "../../../src/session/Message.ts"
import * as SimulatedProvider from "../../../src/testing/SimulatedProvider.ts"
import { rawServer } from "./rawServer.ts"

const route = { provider: "anthropic", model: "claude-opus-4-6" }
const request = (more: Partial<ModelRequest["envelope"]> = {}, messages = [Message.user("Hello")]): ModelRequest => ({
  id: "s/7",
  generation: 0,
  envelope: { route, ...more },
  messages
})
const adapter = (baseUrl: string, more: Partial<AnthropicMessages.Options> = {}) =>
  AnthropicMessages.make({ baseUrl, apiKey: Redacted.make("sk-1"), retry: false, discovery: false, ...more })

const collect = (model: AnthropicMessages.ModelAdapter["Type"], given = request()) =>
  Effect.map(Stream.runCollect(model.stream(given)), Chunk.toReadonlyArray)

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** As the API streams: each event with its name. */
const stream = (response: ServerResponse, ...events: ReadonlyArray<{ readonly type: string }>) =>
  response
    .writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
    .write(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))

const started = { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } }
const text = (said: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: said } },
  { type: "content_block_stop", index: 0 }
]
const ended = (reason = "end_turn") => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
  { type: "message_stop" }
]

describe("AnthropicMessages over HTTP", () => {
  it.scopedLive("streams text, with the key, the version and the body where they belong", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => stream(response, started, ...text("né😀"), ...ended()))
      const model = yield* adapter(`${server.baseUrl}/`, { headers: { "x-team": "blue" } })
      assert.deepStrictEqual(yield* collect(model), [
        { type: "text-delta", delta: "né😀" },
        { type: "finish", reason: "stop", usage: { inputTokens: 5, outputTokens: 2 } }
      ])
      // the server kept the connection, and the answer ended all the same
      yield* server.closed
      const [sent] = server.requests
      assert.strictEqual(sent?.url, "/v1/messages")
      assert.deepInclude(sent?.headers, {
        "x-api-key": "sk-1",
        "anthropic-version": "2023-06-01",
        "x-team": "blue",
        "content-type": "application/json"
      })
      assert.notProperty(sent?.headers, "authorization")
      assert.notProperty(sent?.headers, "anthropic-beta")
      assert.deepStrictEqual(JSON.parse(sent?.body ?? ""), {
        model: "claude-opus-4-6",
        messages: [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }] }],
        max_tokens: 128_000,
        stream: true
      })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scopedLive("takes another version, betas, and a server that speaks it", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => stream(response, started, ...text("a"), ...ended()))
      const model = yield* adapter(`${server.baseUrl}/anthropic/v1`, {
        provider: "local",
        headers: { "Anthropic-Version": "2024-01-01", "Anthropic-Beta": "one" },
        dropsStaleThinking: true,
        cache: false
      })
      yield* collect(
        model,
        request({ route: { provider: "local", model: "other" } }, [Message.user("half of a character: \ud83d")])
      )
      assert.include(server.requests[0]?.body, "half of a character: \ufffd")
      assert.strictEqual(server.requests[0]?.url, "/anthropic/v1/messages")
      assert.deepInclude(server.requests[0]?.headers, {
        "anthropic-version": "2024-01-01",
        "anthropic-beta": "one,thinking-binding-controls-2026-08-01"
      })
      assert.notInclude(server.requests[0]?.body, "cache_control")
      assert.deepInclude(yield* Effect.flip(collect(model)), {
        _tag: "InvalidRequest",
        detail: "this adapter serves local"
      })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scopedLive("classifies refusals, with the provider's id of the request, and errors inside the stream", () =>
    Effect.gen(function* () {
      const error = (type: string, message: string) => ({ type: "error", error: { type, message } })
      const answers = [
        (response: ServerResponse) =>
          json(response, 400, error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), {
            "request-id": "req_1"
          }),
        (response: ServerResponse) =>
          json(
            response,
            400,
            error(
              "invalid_request_error",
              "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"
            )
          ),
        (response: ServerResponse) =>
          json(response, 413, error("request_too_large", "Request exceeds the maximum size")),
        (response: ServerResponse) => json(response, 529, error("overloaded_error", "Overloaded")),
        (response: ServerResponse) => stream(response, started, ...text("a"), error("overloaded_error", "Overloaded")),
        (response: ServerResponse) => stream(response, started, ...ended("model_context_window_exceeded")),
        (response: ServerResponse) => (stream(response, started, ...text("a")), response.end()),
        (response: ServerResponse) => (stream(response, started, ...text("a")), response.destroy())
      ]
      const server = yield* rawServer((response, number) => answers[number]?.(response))
      const model = yield* adapter(server.baseUrl)
      const errors = yield* Effect.replicateEffect(Effect.flip(collect(model)), answers.length)
      assert.deepInclude(errors[0], {
        _tag: "ContextWindowExceeded",
        limit: 200_000,
        requested: 210_000,
        requestId: "req_1"
      })
      assert.deepInclude(errors[1], {
        _tag: "ContextWindowExceeded",
        limit: 200_000,
        limitCounts: "input-and-output",
        requested: 190_000
      })
      assert.deepStrictEqual(
        errors.slice(2, 6).map((one) => one._tag),
        ["PayloadTooLarge", "ProviderUnavailable", "ProviderUnavailable", "ContextWindowExceeded"]
      )
      assert.strictEqual(errors[6]?._tag, "MalformedResponse")
      assert.strictEqual(errors[7]?._tag, "ProviderUnavailable")
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scopedLive("sends back what came: reasoning with its seal, calls and blocks of other kinds in their order", () =>
    Effect.gen(function* () {
      const content = [
        { type: "thinking", thinking: "hm", signature: "s1" },
        { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
        { type: "redacted_thinking", data: "AAAA" },
        { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "q" } },
        { type: "web_search_tool_result", tool_use_id: "srv", content: [] },
        { type: "text", text: "so" }
      ]
      const server = yield* rawServer((response) =>
        json(response, 200, { type: "message", content, stop_reason: "tool_use", usage: { input_tokens: 5 } })
      )
      const model = yield* adapter(server.baseUrl, { cache: false })
      const parts = Answer.make()
      for (const part of yield* collect(model)) parts.add(part)
      const { message } = parts.answer()
      const result = Message.toolResult({ id: "a", name: "read", content: "seen" })
      yield* collect(model, request({}, [Message.user("Hello"), message, result]))
      const { messages } = JSON.parse(server.requests[1]?.body ?? "") as { messages: ReadonlyArray<unknown> }
      assert.deepStrictEqual(messages[1], { role: "assistant", content })
      // another provider gets none of it that only this one can read
      const elsewhere = yield* adapter(server.baseUrl, { provider: "elsewhere", cache: false })
      yield* collect(
        elsewhere,
        request({ route: { ...route, provider: "elsewhere" } }, [Message.user("Hello"), message, result])
      )
      assert.deepStrictEqual(
        (JSON.parse(server.requests[2]?.body ?? "") as { messages: ReadonlyArray<unknown> }).messages[1],
        { role: "assistant", content: [content[1], content[5]] }
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("knows windows: explicit, then those of Anthropic's own models, of its own provider only", () =>
    Effect.gen(function* () {
      const model = yield* AnthropicMessages.make({
        discovery: false,
        windows: { "claude-opus-4-6": { window: 64_000 } }
      })
      const info = (provider: string, name: string) =>
        Effect.map(model.modelInfo({ provider, model: name }), Option.getOrNull)
      assert.deepStrictEqual(yield* info("anthropic", "claude-opus-4-6"), { window: 64_000, source: "explicit" })
      assert.deepStrictEqual(yield* info("anthropic", "claude-haiku-4-5-20251001"), {
        window: 200_000,
        outputLimit: 64_000,
        source: "preset"
      })
      assert.deepInclude(yield* info("anthropic", "claude-sonnet-5-5"), { window: 1_000_000 })
      assert.isNull(yield* info("anthropic", "constructor"))
      assert.isNull(yield* info("openai", "claude-opus-4-6"))
      assert.isUndefined(model.sends?.({ provider: "openai", model: "gpt-5" }))
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scopedLive("asks the server for the window and the output limit of a model, once", () =>
    Effect.gen(function* () {
      const server = yield* SimulatedProvider.make({ window: 9_000, outputLimit: 700, as: "anthropic" })
      const model = yield* adapter(server.baseUrl, { discovery: true, windows: { told: { window: 5 } } })
      const info = (name: string) =>
        Effect.map(model.modelInfo({ provider: "anthropic", model: name }), Option.getOrUndefined)
      const found = { window: 9_000, outputLimit: 700, source: "discovered" } as const
      assert.deepStrictEqual(yield* info("claude-sonnet-4-5"), found)
      yield* server.next(SimulatedProvider.say("ok"))
      yield* collect(model, request({ route: { provider: "anthropic", model: "claude-sonnet-4-5" } }))
      const [asked] = yield* server.requests
      assert.deepInclude(JSON.parse(asked?.text ?? ""), { max_tokens: 700 })
      assert.deepInclude(yield* info("told"), { source: "explicit" })
      // one that the server does not have is known by its row
      assert.deepInclude(yield* info("claude-opus-4-6"), { source: "preset" })
      assert.deepStrictEqual(
        (yield* server.lookups).map(({ path }) => path),
        ["/v1/models/claude-sonnet-4-5", "/v1/models/claude-opus-4-6"]
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("layerConfig takes the key from the configuration, and says which is missing", () =>
    Effect.gen(function* () {
      const layer = AnthropicMessages.layerConfig({ apiKey: Config.redacted("SOME_KEY") }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
      const built = (entries: ReadonlyArray<readonly [string, string]>) =>
        AnthropicMessages.ModelAdapter.pipe(
          Effect.provide(layer),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries)))
        )
      yield* built([["SOME_KEY", "k"]])
      assert.include(String(yield* Effect.flip(built([]))), "SOME_KEY")
    })
  )
})
