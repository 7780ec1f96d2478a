// A key that an adapter was given is in nothing that comes out of it, wherever the server repeats it.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import * as AnthropicMessages from "../../../src/layers/adapters/AnthropicMessages.ts"
import * as OpenAiChat from "../../../src/layers/adapters/OpenAiChat.ts"
import type { ModelRequest } from "../../../src/services/ModelAdapter.ts"
import * as Message from "../../../src/session/Message.ts"
import { recordingTracer } from "../../recordingTracer.ts"
import { rawServer } from "./rawServer.ts"

const key = "sk-Planted-6f2d1c"
const header = "hidden-9c1"
const both = `${key} ${header}`

const adapters = {
  OpenAiChat: (baseUrl: string, apiKey = key) =>
    OpenAiChat.make({
      provider: "local",
      baseUrl,
      apiKey: Redacted.make(apiKey),
      headers: { "x-gateway": Redacted.make(header) },
      retry: { times: 1, base: 1 }
    }),
  AnthropicMessages: (baseUrl: string, apiKey = key) =>
    AnthropicMessages.make({
      provider: "local",
      baseUrl,
      apiKey: Redacted.make(apiKey),
      headers: { "x-gateway": Redacted.make(header) },
      retry: { times: 1, base: 1 }
    })
}

const request: ModelRequest = {
  id: "s/7",
  generation: 0,
  envelope: { route: { provider: "local", model: "m" } },
  messages: [Message.user("Hello")]
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
const sse = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })
const begun = `data: ${JSON.stringify({ choices: [{ delta: { content: "a" } }] })}\n\n`

/** What a server does with what it was sent. */
const servers: ReadonlyArray<(response: ServerResponse) => unknown> = [
  (response) => json(response, 401, { error: { message: `Incorrect API key provided: ${both}` } }),
  (response) => json(response, 400, both, { "x-request-id": key, "request-id": header }),
  (response) => json(response, 400, { error: { message: `prompt is too long: 2 > 1 ${both}`, type: key } }),
  (response) => json(response, 429, { error: { message: both } }, { "retry-after": "0" }),
  (response) => json(response, 503, { error: both }),
  (response) => json(response, 200, { error: { message: both } }),
  (response) => json(response, 400, { error: { code: key, type: header } }),
  (response) => json(response, 200, { state: both }),
  (response) => json(response, 200, { base_resp: { status_msg: `insufficient balance ${both}` } }),
  (response) => response.writeHead(200, { "content-type": "text/plain" }).end(`error: ${both}`),
  (response) => response.writeHead(200, { "content-type": "text/html" }).end(`<p>${both}</p>`),
  (response) => json(response, 200, { type: "error", error: { type: both, message: both } }),
  (response) => sse(response).end(`event: error\ndata: {"error":{"message":"${both}"}}\n\n`),
  (response) => sse(response).end(`data: {"error":{"code":"${key}","type":"${header}"}}\n\n`),
  (response) => sse(response).end(`data: {torn ${both}\n\n`),
  (response) => sse(response).end(`data: {"choices":[{"finish_reason":"${both}"}],"type":"${key}"}\n\n`),
  (response) => sse(response).write(begun, () => response.destroy()),
  (response) => response.destroy()
]

/** Everything that a program may do with a value to show it. */
const shown = (value: unknown): string =>
  [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 20, showHidden: true }),
    value instanceof Error ? value.stack : ""
  ].join("\n")

/** All spans, with what they hold when they end. */
const keep = (spans: Array<unknown>) =>
  recordingTracer(({ exit, ...span }) => spans.push({ ...span, exit: Exit.isFailure(exit) ? exit.cause : undefined }))

describe.each(Object.entries(adapters))("the key of %s", (_, make) => {
  it.scopedLive("is in no error, cause, log or span, whatever goes wrong", () => {
    const logs: Array<unknown> = []
    const spans: Array<unknown> = []
    const logger = Logger.make<unknown, void>((entry) => {
      logs.push([entry.message, Cause.pretty(entry.cause, { renderErrorCause: true }), [...entry.annotations]])
    })
    return Effect.gen(function* () {
      const places: Array<readonly [url: string, apiKey?: string]> = [
        ["no url"],
        ["http://127.0.0.1:1"],
        // a header that cannot be sent
        ["http://127.0.0.1:1", `${key}\nx`]
      ]
      for (const answer of servers) places.push([(yield* rawServer(answer)).baseUrl])
      for (const [url, apiKey] of places) {
        const model = yield* make(url, apiKey)
        const cause = yield* Stream.runDrain(model.stream(request)).pipe(
          Effect.tapErrorCause((failed) => Effect.logError("asked in vain", failed)),
          Effect.withSpan("asking"),
          Effect.sandbox,
          Effect.flip
        )
        const error = Option.getOrThrow(Cause.failureOption(cause))
        assert.notStrictEqual(error.detail, "", error._tag)
        for (const text of [
          shown(error),
          shown(cause),
          Cause.pretty(cause, { renderErrorCause: true }),
          shown(model)
        ]) {
          assert.notInclude(text.toLowerCase(), key.toLowerCase())
          assert.notInclude(text, header)
        }
      }
      // the failures were logged and traced, and the repetitions told
      assert.isAbove(logs.length, places.length)
      assert.isAtLeast(spans.length, places.length)
      for (const text of [shown(logs), shown(spans)]) {
        assert.notInclude(text.toLowerCase(), key.toLowerCase())
        assert.notInclude(text, header)
      }
    }).pipe(
      Effect.withTracer(keep(spans)),
      Effect.provide([
        FetchHttpClient.layer,
        Logger.replace(Logger.defaultLogger, logger),
        Logger.minimumLogLevel(LogLevel.All)
      ])
    )
  })
})
