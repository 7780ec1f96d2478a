import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { createServer, type ServerResponse } from "node:http"
import { inspect } from "node:util"
import * as OpenAiChat from "../../../src/layers/adapters/OpenAiChat.ts"
import type { ModelRequest } from "../../../src/services/ModelAdapter.ts"
import * as Message from "../../../src/session/Message.ts"
import { rawServer } from "./rawServer.ts"

const route = { provider: "local", model: "some-model" }
const key = "sk-planted-6f2d1c"
const request = (more: Partial<ModelRequest["envelope"]> = {}): ModelRequest => ({
  id: "s/7",
  generation: 0,
  envelope: { route, ...more },
  messages: [Message.user("Hello")]
})

const adapter = (baseUrl: string, more: Partial<OpenAiChat.Options> = {}) =>
  OpenAiChat.make({
    provider: "local",
    baseUrl,
    apiKey: Redacted.make(key),
    retry: false,
    ...more
  } as OpenAiChat.Options).pipe(Effect.provide(FetchHttpClient.layer))

const collect = (model: OpenAiChat.ModelAdapter["Type"], given = request()) =>
  Effect.map(Stream.runCollect(model.stream(given)), Chunk.toReadonlyArray)

const sse = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })
const chunk = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`
const text = (content: string) => chunk({ choices: [{ index: 0, delta: { content } }] })
const finished = `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}${chunk({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } })}data: [DONE]\n\n`
const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** Everything that a program may do with an error to show it. */
const shown = (error: unknown) =>
  [
    String(error),
    JSON.stringify(error),
    inspect(error, { depth: 20, showHidden: true }),
    Cause.pretty(Cause.fail(error), { renderErrorCause: true }),
    error instanceof Error ? error.stack : ""
  ].join("\n")

describe("OpenAiChat over HTTP", () => {
  it.scopedLive("streams text, with the key and the body where they belong", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) =>
        sse(response).end(`: hi\r\n\r\n${text("Good")}${text(" day")}${finished}`)
      )
      const model = yield* adapter(`${server.baseUrl}/v1/`, { headers: { "x-team": "blue" } })
      assert.deepStrictEqual(yield* collect(model), [
        { type: "text-delta", delta: "Good" },
        { type: "text-delta", delta: " day" },
        { type: "finish", reason: "stop", usage: { inputTokens: 5, outputTokens: 2 } }
      ])
      const [sent] = server.requests
      assert.strictEqual(sent?.url, "/v1/chat/completions")
      assert.deepInclude(sent?.headers, {
        authorization: `Bearer ${key}`,
        "x-team": "blue",
        "content-type": "application/json"
      })
      assert.deepInclude(JSON.parse(sent?.body ?? ""), { model: "some-model", stream: true })
    })
  )

  it.scopedLive("does not see how the bytes were cut, down to the middle of a character", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(`${text("né😀").replaceAll("\n", "\r\n")}${finished}`)
      const server = yield* rawServer((response, number) => {
        sse(response)
        if (number === 0) return response.end(bytes)
        const write = (at: number): void => {
          if (at >= bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1))
        }
        return write(0)
      })
      const model = yield* adapter(server.baseUrl)
      const whole = yield* collect(model)
      assert.deepInclude(whole[0], { delta: "né😀" })
      assert.deepStrictEqual(yield* collect(model), whole)
    })
  )

  it.scopedLive("ends at [DONE], though the server keeps the connection", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => sse(response).write(text("a") + finished))
      assert.lengthOf(yield* collect(yield* adapter(server.baseUrl)), 2)
      yield* server.closed
    })
  )

  it.scopedLive("reads an answer that is not streamed, and an error under status 200", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response, number) =>
        number === 0
          ? json(response, 200, { choices: [{ message: { content: "whole" }, finish_reason: "stop" }] })
          : json(response, 200, { error: { code: 400, message: "prompt is too long: 12 tokens > 10 maximum" } })
      )
      const model = yield* adapter(server.baseUrl)
      assert.deepStrictEqual((yield* collect(model))[0], { type: "text-delta", delta: "whole" })
      assert.deepInclude(yield* Effect.flip(collect(model)), { _tag: "ContextWindowExceeded", limit: 10 })
    })
  )

  it.scopedLive("reads what the server sends, whatever it calls it", () =>
    Effect.gen(function* () {
      const refusal = { error: { message: "prompt is too long: 12 tokens > 10 maximum" } }
      const types = ["application/json", "text/event-stream", "text/plain; charset=utf-8", undefined]
      const bodies = [JSON.stringify(refusal), JSON.stringify(refusal, undefined, 2), text("a") + finished]
      const asked = types.flatMap((type) => bodies.map((body) => ({ type, body })))
      const server = yield* rawServer((response, number) => {
        const { body, type } = asked[number] ?? { type: undefined, body: "" }
        response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body)
      })
      const model = yield* adapter(server.baseUrl)
      for (const { body, type } of asked) {
        const answer = yield* Effect.either(collect(model))
        if (body.startsWith("{")) {
          assert.deepInclude(
            Either.getLeft(answer).pipe(Option.getOrThrow),
            { _tag: "ContextWindowExceeded", limit: 10 },
            type
          )
        } else assert.lengthOf(Either.getOrThrow(answer), 2, type)
      }
    })
  )

  it.scopedLive("classifies a refusal, with the provider's id of the request", () =>
    Effect.gen(function* () {
      const message =
        "This model's maximum context length is 800 tokens. However, you requested 900 tokens (700 in the messages, 200 in the completion)."
      const server = yield* rawServer((response) =>
        json(response, 400, { error: { message } }, { "x-request-id": "req-1" })
      )
      const error = yield* Effect.flip(collect(yield* adapter(server.baseUrl)))
      assert.deepInclude(error, {
        _tag: "ContextWindowExceeded",
        code: "CONTEXT_WINDOW_EXCEEDED",
        limit: 800,
        requested: 700,
        limitCounts: "input-and-output",
        status: 400,
        requestId: "req-1",
        detail: message
      })
    })
  )

  it.scopedLive("uses the configured window to tell an overflow from a short answer", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) =>
        sse(response).end(
          chunk({
            choices: [{ delta: {}, finish_reason: "length" }],
            usage: { prompt_tokens: 999, completion_tokens: 0 }
          })
        )
      )
      const model = yield* adapter(server.baseUrl, { windows: { "some-model": { window: 1000 } } })
      assert.deepInclude(yield* Effect.flip(collect(model)), { _tag: "ContextWindowExceeded", limit: 1000 })
    })
  )

  it.scopedLive("stopping the stream closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => sse(response).write(text("a")))
      const model = yield* adapter(server.baseUrl)
      const parts = yield* Stream.runCollect(Stream.take(model.stream(request()), 1))
      assert.lengthOf(parts, 1)
      yield* server.closed
    })
  )

  it.scopedLive("so does an interrupt, before the first byte", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const server = yield* rawServer(() => Effect.runSync(arrived.open))
      const fiber = yield* Effect.fork(collect(yield* adapter(server.baseUrl)))
      yield* arrived.await
      yield* Fiber.interrupt(fiber)
      yield* server.closed
    })
  )

  it.scopedLive("a connection that breaks is unavailability, a stream that just ends is malformed", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response, number) => {
        sse(response)
        if (number === 0) response.write(text("a"), () => response.destroy())
        else response.end(text("a"))
      })
      const model = yield* adapter(server.baseUrl)
      assert.strictEqual((yield* Effect.flip(collect(model)))._tag, "ProviderUnavailable")
      assert.strictEqual((yield* Effect.flip(collect(model)))._tag, "MalformedResponse")
    })
  )

  it.scoped("silence is a timeout", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const server = yield* rawServer(() => Effect.runSync(arrived.open))
      const fiber = yield* Effect.fork(
        Effect.flip(collect(yield* adapter(server.baseUrl, { idleTimeout: "10 seconds" })))
      )
      yield* arrived.await
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ProviderTimeout")
      yield* server.closed
    })
  )

  it.effect("a refusal whose body never ends is told by its status", () =>
    Effect.gen(function* () {
      const endless = () =>
        new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"error":')) })
      const client = HttpClient.make((sent) =>
        Effect.sync(() => HttpClientResponse.fromWeb(sent, new Response(endless(), { status: 503 })))
      )
      const model = yield* OpenAiChat.make({
        provider: "local",
        baseUrl: "http://nowhere",
        retry: false,
        idleTimeout: "10 seconds"
      }).pipe(Effect.provideService(HttpClient.HttpClient, client))
      const fiber = yield* Effect.fork(Effect.flip(collect(model)))
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "ProviderUnavailable", status: 503 })
    })
  )

  it.scopedLive("an answer without an end to its line does not fill the memory", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) => {
        sse(response).write("data: ")
        const more = (): void => {
          while (!response.destroyed && response.write("x".repeat(1 << 20)));
        }
        response.on("drain", more)
        more()
      })
      const failed = yield* Effect.flip(collect(yield* adapter(server.baseUrl)))
      assert.deepInclude(failed, { _tag: "MalformedResponse", status: 200 })
      yield* server.closed
    })
  )

  it.scopedLive("sends again after a 429, as often as it may, then passes the error on", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response, number) =>
        number === 1
          ? sse(response).end(text("a") + finished)
          : json(response, 429, { error: { message: "slow down" } }, { "retry-after": "0" })
      )
      const model = yield* adapter(server.baseUrl, { retry: { times: 1 } })
      assert.deepStrictEqual(
        (yield* collect(model)).map(({ type }) => type),
        ["repeated", "text-delta", "finish"]
      )
      assert.deepInclude(yield* Effect.flip(collect(model)), { _tag: "RateLimited", retryAfter: 0 })
      assert.lengthOf(server.requests, 4)
      assert.strictEqual(server.requests[0]?.body, server.requests[1]?.body)
    })
  )

  it.scopedLive("an overflow is sent once [CLASSIFY-8]", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((response) =>
        json(response, 400, { error: { message: "prompt is too long: 2 > 1" } })
      )
      yield* Effect.flip(collect(yield* adapter(server.baseUrl, { retry: {} })))
      assert.lengthOf(server.requests, 1)
    })
  )

  it.scopedLive("no error shows a key, whatever went wrong and wherever the server repeats it", () =>
    Effect.gen(function* () {
      const other = "hidden-9c1"
      const server = yield* rawServer((response, number) => {
        if (number === 0) json(response, 401, { error: { message: `Incorrect API key provided: ${key} ${other}` } })
        else if (number === 1) json(response, 400, `${key} ${other}`, { "x-request-id": key })
        else if (number === 2) sse(response).end(chunk({ error: { message: `bad ${key}` } }))
        else if (number === 3) sse(response).end(`data: {torn ${key}\n\n`)
        else if (number === 4) sse(response).write(text("a"), () => response.destroy())
        else response.destroy()
      })
      const headers = { "api-key": Redacted.make(other) }
      const model = yield* adapter(server.baseUrl, { headers })
      const errors = [
        ...(yield* Effect.replicateEffect(Effect.flip(collect(model)), 6)),
        // nobody listens there; the header cannot be sent; the URL is none
        yield* Effect.flip(collect(yield* adapter(yield* unusedUrl, { headers }))),
        yield* Effect.flip(collect(yield* adapter(server.baseUrl, { apiKey: Redacted.make(`${key}\nx`) }))),
        yield* Effect.flip(collect(yield* adapter("no url", { headers })))
      ]
      assert.deepStrictEqual(
        errors.map((error) => error._tag),
        [
          "AuthenticationFailed",
          "InvalidRequest",
          "ProviderError",
          "MalformedResponse",
          "ProviderUnavailable",
          "ProviderUnavailable",
          "ProviderUnavailable",
          "ProviderUnavailable",
          "InvalidRequest"
        ]
      )
      for (const error of errors) {
        assert.notInclude(shown(error), key)
        assert.notInclude(shown(error), other)
      }
      assert.include(errors[6]?.detail, "ECONNREFUSED")
      assert.include(errors[0]?.detail, "<redacted> <redacted>")
    })
  )

  it.effect("knows windows: explicit, then the preset's, of its own provider only", () =>
    Effect.gen(function* () {
      const model = yield* OpenAiChat.make({
        provider: "deepseek",
        windows: { "deepseek-chat": { window: 64_000, outputLimit: 8_000 } }
      })
      const info = (provider: string, name: string) =>
        Effect.map(model.modelInfo({ provider, model: name }), Option.getOrNull)
      assert.deepStrictEqual(yield* info("deepseek", "deepseek-chat"), {
        window: 64_000,
        outputLimit: 8_000,
        source: "explicit"
      })
      assert.deepInclude(yield* info("deepseek", "deepseek-v4-pro"), { source: "preset" })
      assert.isNull(yield* info("deepseek", "constructor"))
      assert.isNull(yield* info("openai", "deepseek-chat"))
      const error = yield* Effect.flip(collect(model))
      assert.deepInclude(error, { _tag: "InvalidRequest", detail: "this adapter serves deepseek" })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("layerConfig takes the key from the configuration, and says which is missing", () =>
    Effect.gen(function* () {
      const layer = OpenAiChat.layerConfig({ provider: "deepseek", apiKey: Config.redacted("SOME_KEY") }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
      const built = (entries: ReadonlyArray<readonly [string, string]>) =>
        OpenAiChat.ModelAdapter.pipe(
          Effect.provide(layer),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries)))
        )
      yield* built([["SOME_KEY", "k"]])
      assert.include(String(yield* Effect.flip(built([]))), "SOME_KEY")
    })
  )
})

const unusedUrl = Effect.async<string>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(`http://127.0.0.1:${port}`)))
  })
})
