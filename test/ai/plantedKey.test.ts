// The errors of the provider packages hold the request's headers, and come out of the guard as they are. What is ours (the
// log of a chat, log lines, spans, our errors) holds nothing of them.
import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as CompactingChat from "../../src/ai/CompactingChat.ts"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as HttpEvidence from "../../src/ai/HttpEvidence.ts"
import * as LanguageModelAdapter from "../../src/ai/LanguageModelAdapter.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import { LogStore as Store } from "../../src/services/LogStore.ts"
import * as Message from "../../src/session/Message.ts"
import { rawServer } from "../layers/adapters/rawServer.ts"
import { recordingTracer } from "../recordingTracer.ts"

const key = "sk-planted-4e7a90"
const header = "planted-header-77"
const headed = (client: HttpClient.HttpClient) =>
  HttpClient.mapRequest(client, HttpClientRequest.setHeader("x-gateway", header))
const http = HttpEvidence.layer.pipe(Layer.provide(FetchHttpClient.layer))

const packages: Readonly<
  Record<string, (apiUrl: string, through?: typeof http) => Layer.Layer<LanguageModel.LanguageModel>>
> = {
  anthropic: (apiUrl: string, through = http) =>
    AnthropicLanguageModel.layer({ model: "claude-sonnet-4-5" }).pipe(
      Layer.provide(AnthropicClient.layer({ apiUrl, apiKey: Redacted.make(key), transformClient: headed })),
      Layer.provide(through)
    ),
  openai: (apiUrl: string, through = http) =>
    OpenAiLanguageModel.layer({ model: "gpt-4.1" }).pipe(
      Layer.provide(OpenAiClient.layer({ apiUrl, apiKey: Redacted.make(key), transformClient: headed })),
      Layer.provide(through)
    )
}

const answers: ReadonlyArray<readonly [status: number, body: string, type?: string]> = [
  [400, '{"error":{"message":"prompt is too long: 210000 tokens > 100 maximum"}}'],
  [401, '{"error":{"message":"no such key"}}'],
  [500, "<html>"],
  [200, '{"error":{"message":"overloaded"}}'],
  [200, "no json"],
  [200, 'data: {"error":{"message":"overloaded"}}\n\n', "text/event-stream"],
  [200, "", "text/event-stream"]
]

const history = Prompt.make(
  Array.from({ length: 12 }, (_, i) => ({
    role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: [{ type: "text" as const, text: `${i} ${"as was said before ".repeat(120)}` }]
  }))
)

const shown = (value: unknown): string =>
  [String(value), JSON.stringify(value), inspect(value, { depth: 20, showHidden: true })].join("\n")

const keep = (spans: Array<unknown>) =>
  recordingTracer(({ attributes, events, exit, name }) => {
    if (name.startsWith("http.client")) return
    // of a failure what an exporter makes of it, but for the package's own error, which comes out as it is
    const failure =
      Exit.isSuccess(exit) || Chunk.some(Cause.failures(exit.cause), AiError.isAiError)
        ? []
        : Cause.prettyErrors(exit.cause).map(({ message, stack }) => [message, stack])
    spans.push([name, attributes, events, failure])
  })

describe.each(Object.entries(packages))("the key that the package of %s was given", (provider, make) => {
  it.scopedLive("is in no log of a chat, log line, span or error of ours", () => {
    const logs: Array<unknown> = []
    const spans: Array<unknown> = []
    const written: Array<unknown> = []
    const errors: Array<unknown> = []
    let sent = 0
    const logger = Logger.make<unknown, void>((entry) => {
      // what Effect itself tells of a fiber that failed with the package's error
      if (Cause.failures(entry.cause).pipe(Chunk.some(AiError.isAiError))) return
      logs.push([entry.message, Cause.pretty(entry.cause, { renderErrorCause: true }), [...entry.annotations]])
    })
    // all that would be in the files
    const store = Layer.effect(
      Store,
      Effect.map(Store, (inner) =>
        Store.of({
          ...inner,
          open: (...opened) =>
            Effect.map(inner.open(...opened), (log) => ({
              ...log,
              append: (batch, options) => (written.push(batch), log.append(batch, options))
            }))
        })
      )
    ).pipe(Layer.provide(LogStore.layerMemory))
    return Effect.gen(function* () {
      for (const [status, body, type = "application/json"] of answers) {
        const { baseUrl, requests } = yield* rawServer((response) =>
          response.writeHead(status, { "content-type": type }).end(body)
        )
        const model = make(baseUrl)
        const asked = (service: Pick<LanguageModel.Service, "generateText" | "streamText">) =>
          Effect.gen(function* () {
            for (const prompt of [history, "And now?"]) {
              yield* Effect.exit(service.generateText({ prompt }))
              yield* Effect.exit(Stream.runDrain(service.streamText({ prompt })))
            }
          })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const guarded = yield* Layer.build(Layer.provide(Guarded.layer({ window: 4_000 }), model))
            yield* asked(Context.get(guarded, LanguageModel.LanguageModel))
            const chat = yield* CompactingChat.open("c", { window: 4_000, seed: history })
            yield* asked(chat as never).pipe(Effect.provide(model))
          })
        ).pipe(Effect.provide([model, store]))
        // nobody notes what was said over HTTP: what the package made of it is read
        const adapter = yield* LanguageModelAdapter.make({ provider, retry: false }).pipe(
          Effect.provide(make(baseUrl, FetchHttpClient.layer))
        )
        errors.push(
          yield* Effect.flip(
            Stream.runDrain(
              adapter.stream({
                id: "s/1",
                generation: 0,
                envelope: { route: { provider, model: "m" } },
                messages: [Message.user("Hello")]
              })
            )
          )
        )
        sent += requests.filter((one) => JSON.stringify(one.headers).includes(key)).length
      }
      assert.isAbove(sent, answers.length * 4)
      assert.isAbove(logs.length, 0)
      assert.isAbove(spans.length, 0)
      assert.isAbove(written.length, 0)
      for (const [what, held] of Object.entries({ logs, spans, written, errors })) {
        assert.notInclude(shown(held), key, what)
        assert.notInclude(shown(held), header, what)
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
