import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Model from "@effect/ai/Model"
import * as Tool from "@effect/ai/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CurrentNotes } from "../../src/ai/HttpEvidence.ts"
import * as LanguageModelAdapter from "../../src/ai/LanguageModelAdapter.ts"
import * as AnswerParts from "../../src/compaction/answer.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../../src/services/ModelAdapter.ts"
import type { Envelope } from "../../src/session/Envelope.ts"
import * as Message from "../../src/session/Message.ts"
import * as scripted from "./scriptedModel.ts"

const route = { provider: "anthropic", model: "claude-x" }

const request = (
  fields: Partial<Omit<ModelRequest, "envelope">> & { readonly envelope?: Partial<Envelope> } = {}
): ModelRequest => ({
  id: "s/1",
  generation: 0,
  messages: [Message.user("hi")],
  ...fields,
  envelope: { route, ...fields.envelope }
})

const tools = [
  {
    name: "read",
    description: "Reads",
    parameters: { type: "object", properties: { path: { type: "string", minLength: 1 } }, required: ["path"] }
  },
  { name: "noop", parameters: { type: "object", properties: {} } }
]

const layer = (options: Partial<LanguageModelAdapter.Options> = {}) =>
  LanguageModelAdapter.layer({ provider: "anthropic", retry: false, ...options }).pipe(
    Layer.provideMerge(scripted.layer)
  )

/** What came of one request. */
const ask = (asked: ModelRequest, ...lines: ReadonlyArray<scripted.Line>) =>
  Effect.gen(function* () {
    yield* (yield* scripted.ScriptedModel).next(...lines)
    const parts: Array<Part> = []
    const exit = yield* Effect.exit(
      Stream.runForEach((yield* ModelAdapter).stream(asked), (part) => Effect.sync(() => parts.push(part)))
    )
    const error = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.causeOption(exit)) : undefined
    return { parts, error: error?._tag === "Fail" ? error.error : undefined, exit }
  })

const asked = Effect.flatMap(scripted.ScriptedModel, (model) => Effect.map(model.asked, (all) => all.at(-1)!))

/** The settings that a provider's package finds in the context. */
const settings = ({ context }: scripted.Asked, key: string): unknown => context.unsafeMap.get(key)

describe("LanguageModelAdapter", () => {
  it.effect("gives text, reasoning with its seal, calls, and the finish with what was counted", () =>
    Effect.gen(function* () {
      const { parts } = yield* ask(request({ envelope: { tools } }), [
        { type: "response-metadata", id: "m", modelId: "x", timestamp: "2026-12-01T00:00:00.000Z" },
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "hm" },
        {
          type: "reasoning-delta",
          id: "0",
          delta: "",
          metadata: { anthropic: { type: "thinking", signature: "sig" } }
        },
        { type: "reasoning-end", id: "0" },
        {
          type: "reasoning-start",
          id: "1",
          metadata: { anthropic: { type: "redacted_thinking", redactedData: "zz" } }
        },
        { type: "reasoning-end", id: "1" },
        ...scripted.text("I ", "look"),
        { type: "tool-params-start", id: "a", name: "read" },
        { type: "tool-params-delta", id: "a", delta: "{}" },
        { type: "tool-params-end", id: "a" },
        { type: "tool-call", id: "a", name: "read", params: { path: 7 } },
        scripted.finish({ input: 12, output: 40 }, "tool-calls", {
          anthropic: {
            usage: {
              input_tokens: 12,
              cache_read_input_tokens: 90_000,
              cache_creation_input_tokens: 1_000,
              output_tokens: 1
            }
          }
        })
      ])
      const answer = AnswerParts.make()
      for (const part of parts) answer.add(part)
      assert.deepStrictEqual(answer.answer(), {
        message: Message.assistant([
          { type: "reasoning", text: "hm", signature: "sig", provider: "anthropic" },
          { type: "reasoning", text: "", redacted: "zz", provider: "anthropic" },
          Message.textBlock("I look"),
          // the tool judges its arguments, not the package
          Message.toolCall("a", "read", { path: 7 })
        ]),
        finish: "tool-calls",
        usage: { inputTokens: 91_012, outputTokens: 40, cachedTokens: 90_000, cacheWriteTokens: 1_000 }
      })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("sends the prompt, and our tools with our schemas", () =>
    Effect.gen(function* () {
      const messages = [
        Message.user([
          Message.textBlock("see"),
          { type: "image", source: { type: "base64", base64: "AAAA" }, mediaType: "image/png" }
        ]),
        Message.assistant([Message.toolCall("a", "read", { path: "x" })]),
        Message.toolResult({ id: "a", name: "read", content: "text" })
      ]
      yield* ask(
        request({ messages, envelope: { system: "Be terse.", tools, prefix: [Message.user("first")] } }),
        scripted.say("ok")
      )
      const { prompt, toolChoice, tools: offered } = yield* asked
      assert.deepStrictEqual(
        prompt.content.map(({ content, role }) => [role, typeof content === "string" ? content : content.length]),
        [
          ["system", "Be terse."],
          ["user", 1],
          ["user", 2],
          ["assistant", 1],
          ["tool", 1]
        ]
      )
      const image = prompt.content[2]!.content[1] as { readonly data: unknown }
      assert.deepStrictEqual(image.data, Uint8Array.of(0, 0, 0))
      assert.strictEqual(toolChoice, "auto")
      assert.deepStrictEqual(
        offered.map((tool) => ({
          name: tool.name,
          ...(Tool.getDescription(tool as never) === undefined
            ? {}
            : { description: Tool.getDescription(tool as never) }),
          parameters: Tool.getJsonSchema(tool as never)
        })) as unknown,
        tools
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("tells the package the route's model, the output limit and the settings", () =>
    Effect.gen(function* () {
      const envelope = { maxOutputTokens: 500, settings: { temperature: 0, model: "not this one" } }
      yield* ask(request({ envelope }), scripted.say("ok"))
      assert.deepStrictEqual(settings(yield* asked, "@effect/ai-anthropic/AnthropicLanguageModel/Config"), {
        temperature: 0,
        model: "claude-x",
        max_tokens: 500
      })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("asks OpenAI for no strict schema where ours is none", () =>
    Effect.gen(function* () {
      const strict = {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        additionalProperties: false
      }
      const at = { provider: "openai", model: "gpt-5" }
      const key = "@effect/ai-openai/OpenAiLanguageModel/Config"
      yield* ask(request({ envelope: { route: at, tools } }), scripted.say("ok"))
      assert.deepStrictEqual(settings(yield* asked, key), { strict: false, model: "gpt-5" })
      yield* ask(
        request({ envelope: { route: at, maxOutputTokens: 9, tools: [{ name: "t", parameters: strict }] } }),
        scripted.say("ok")
      )
      assert.deepStrictEqual(settings(yield* asked, key), { model: "gpt-5", max_output_tokens: 9 })
    }).pipe(Effect.provide(layer({ provider: "openai" })))
  )

  it.effect("gives another package what the option says, and Google's results as objects", () =>
    Effect.gen(function* () {
      const Own = Context.GenericTag<never, unknown>("own/Config")
      const at = { provider: "mine", model: "m" }
      const own = layer({ provider: "mine", context: ({ envelope }) => Context.make(Own, envelope.maxOutputTokens) })
      yield* Effect.gen(function* () {
        yield* ask(request({ envelope: { route: at, maxOutputTokens: 7 } }), scripted.say("ok"))
        assert.strictEqual(settings(yield* asked, "own/Config"), 7)
      }).pipe(Effect.provide(own))
      yield* Effect.gen(function* () {
        const messages = [
          Message.assistant([Message.toolCall("a", "noop", {}), Message.toolCall("b", "noop", {})]),
          Message.toolResult({ id: "a", name: "noop", content: "text" }),
          Message.toolResult({ id: "b", name: "noop", content: '{"n":1}' })
        ]
        yield* ask(request({ messages, envelope: { route: at, maxOutputTokens: 7 } }), scripted.say("ok"))
        const question = yield* asked
        assert.deepStrictEqual(
          question.prompt.content
            .flatMap((message) => (message.role === "tool" ? message.content : []))
            .map((part) => part.result),
          [{ output: "text" }, { n: 1 }]
        )
        assert.deepStrictEqual(settings(question, "@effect/ai-google/GoogleLanguageModel/Config"), {
          model: "m",
          generationConfig: { maxOutputTokens: 7 }
        })
      }).pipe(Effect.provide(layer({ provider: "mine", package: "google" })))
    })
  )

  it.effect("sends ids and names of calls that the package's provider takes, the same in a call and its result", () =>
    Effect.gen(function* () {
      const id = "functions.read:0|" + "x".repeat(80)
      const messages = [
        Message.user("hi"),
        Message.assistant([Message.toolCall(id, "fs.read", {}), Message.toolCall("call_1", "read", {})]),
        Message.toolResult({ id, name: "fs.read", content: "a" }),
        Message.toolResult({ id: "call_1", name: "read", content: "b" })
      ]
      const labels = Effect.map(asked, ({ prompt }) =>
        prompt.content.flatMap(({ content }) =>
          typeof content === "string"
            ? []
            : content.flatMap((part) =>
                part.type === "tool-call" || part.type === "tool-result" ? [{ id: part.id, name: part.name }] : []
              )
        )
      )
      yield* ask(request({ messages, envelope: { tools } }), scripted.say("ok"))
      const [call, plain, result, plainResult] = yield* labels
      assert.match(call!.id, /^[\w-]{1,64}$/)
      assert.match(call!.name, /^[\w-]{1,64}$/)
      assert.deepStrictEqual(result, call)
      assert.deepStrictEqual(plain, { id: "call_1", name: "read" })
      assert.deepStrictEqual(plainResult, plain)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("leaves them to a package that it does not know, and what the request's own tools are called", () =>
    Effect.gen(function* () {
      const messages = [
        Message.user("hi"),
        Message.assistant([Message.toolCall("a:1", "fs.read", {})]),
        Message.toolResult({ id: "a:1", name: "fs.read", content: "a" })
      ]
      const called = Effect.map(asked, ({ prompt }) => JSON.stringify(prompt.content))
      const own = { ...route, provider: "someone" }
      yield* ask(request({ messages, envelope: { route: own } }), scripted.say("ok")).pipe(
        Effect.provide(LanguageModelAdapter.layer({ provider: "someone", retry: false }))
      )
      assert.include(yield* called, '"id":"a:1","name":"fs.read"')
      const offered = [{ name: "fs.read", parameters: { type: "object", properties: {} } }]
      yield* ask(request({ messages, envelope: { tools: offered } }), scripted.say("ok"))
      assert.include(yield* called, '"name":"fs.read"')
    }).pipe(Effect.provide(layer()))
  )

  it.effect("says that no tool may be called, but to a package that would leave the tools out", () =>
    Effect.gen(function* () {
      const choice = (provider: string) =>
        Effect.gen(function* () {
          yield* ask(
            request({ toolUse: "none", envelope: { route: { provider, model: "m" }, tools } }),
            scripted.say("ok")
          )
          return (yield* asked).toolChoice
        }).pipe(Effect.provide(layer({ provider })))
      assert.deepStrictEqual(yield* Effect.forEach(["openai", "anthropic", "other"], choice), ["none", "auto", "none"])
    })
  )

  it.effect("keeps OpenAI's item ids beside encrypted reasoning, and none that only OpenAI's store could tell", () =>
    Effect.gen(function* () {
      const answer = (encryptedContent: string | undefined) => [
        {
          type: "reasoning-start" as const,
          id: "rs:0",
          metadata: { openai: { itemId: "rs", encryptedContent: undefined } }
        },
        { type: "reasoning-delta" as const, id: "rs:0", delta: "so", metadata: { openai: { itemId: "rs" } } },
        { type: "reasoning-end" as const, id: "rs:0", metadata: { openai: { itemId: "rs", encryptedContent } } },
        { type: "tool-call" as const, id: "a", name: "noop", params: {}, metadata: { openai: { itemId: "fc" } } },
        scripted.finish({ input: 5, output: 5 }, "tool-calls")
      ]
      const roundtrip = (encryptedContent: string | undefined) =>
        Effect.gen(function* () {
          const envelope = { route: { provider: "openai", model: "m" }, tools }
          const { parts } = yield* ask(request({ envelope }), answer(encryptedContent))
          const built = AnswerParts.make()
          for (const part of parts) built.add(part)
          yield* ask(
            request({
              envelope,
              messages: [
                Message.user("hi"),
                built.answer().message,
                Message.toolResult({ id: "a", name: "noop", content: "" })
              ]
            }),
            scripted.say("ok")
          )
          const [, sent] = (yield* asked).prompt.content
          return sent?.role === "assistant" ? sent.content.map(({ options }) => options) : []
        })
      assert.deepStrictEqual(yield* roundtrip("enc"), [
        { openai: { itemId: "rs", encryptedContent: "enc" } },
        { openai: { itemId: "fc" } }
      ])
      assert.deepStrictEqual(yield* roundtrip(undefined), [{}])
    }).pipe(Effect.provide(layer({ provider: "openai" })))
  )

  const response = (status: number, body: string, headers: Record<string, string> = {}) =>
    new AiError.HttpResponseError({
      module: "M",
      method: "m",
      reason: "StatusCode",
      request: { method: "POST", url: "http://localhost", urlParams: [], hash: Option.none(), headers: {} },
      response: { status, headers },
      body
    })

  it.effect("makes our errors of Effect AI's", () =>
    Effect.gen(function* () {
      const tags = yield* Effect.forEach(
        [
          response(400, '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}'),
          response(429, '{"error":{"message":"slow down"}}', { "retry-after": "7" }),
          response(529, "{}"),
          new AiError.MalformedInput({ module: "M", method: "m", description: "Detected unsupported media type" }),
          new AiError.MalformedOutput({ module: "M", method: "m", description: "no" })
        ],
        (error) => Effect.map(ask(request(), error), ({ error }) => error)
      )
      assert.deepStrictEqual(
        tags.map((error) => error?._tag),
        ["ContextWindowExceeded", "RateLimited", "ProviderUnavailable", "InvalidRequest", "MalformedResponse"]
      )
      const [overflow, limited] = tags
      assert.deepInclude(overflow, { limit: 200_000, requested: 210_000 })
      assert.deepInclude(limited, { retryAfter: 7_000 })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("fails with an error that came as a part, an end without a finish, an empty answer, a full window", () =>
    Effect.gen(function* () {
      const usage = { input: 10, output: 10 }
      const failures = yield* Effect.forEach(
        [
          [
            ...scripted.text("a"),
            { type: "error" as const, error: { type: "overloaded_error", message: "Overloaded" } }
          ],
          scripted.text("just ends"),
          [scripted.finish(usage)],
          [scripted.finish(usage, "content-filter")],
          [scripted.finish(usage, "unknown", { anthropic: { usage: { input_tokens: 9, output_tokens: 0 } } })]
        ],
        (line) => Effect.map(ask(request(), line), ({ error }) => error?._tag)
      )
      assert.deepStrictEqual(failures, [
        "ProviderUnavailable",
        "MalformedResponse",
        "EmptyResponse",
        "ContentFiltered",
        "ContextWindowExceeded"
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("believes what was said over HTTP over what the package made of it", () =>
    Effect.gen(function* () {
      const hiding: scripted.Line = () =>
        Stream.unwrap(
          Effect.map(CurrentNotes, (notes) => {
            notes!.newest = {
              status: 413,
              body: '{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
              delivery: "http"
            }
            return Stream.fail(new AiError.MalformedOutput({ module: "M", method: "m" }))
          })
        )
      assert.strictEqual((yield* ask(request(), hiding)).error?._tag, "PayloadTooLarge")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("knows windows by option, then by preset, and serves its own provider only", () =>
    Effect.gen(function* () {
      const adapter = yield* ModelAdapter
      const info = (model: string, provider = "openai") => adapter.modelInfo({ provider, model })
      assert.deepStrictEqual(yield* info("mine"), Option.some({ window: 9_000, source: "explicit" as const }))
      assert.strictEqual(Option.getOrThrow(yield* info("gpt-5")).source, "preset")
      assert.deepStrictEqual(yield* info("unknown"), Option.none())
      const anthropic = LanguageModelAdapter.make({ provider: "anthropic" })
      const known = yield* Effect.flatMap(anthropic, ({ modelInfo }) =>
        modelInfo({ ...route, model: "claude-haiku-4-5" })
      )
      assert.deepInclude(Option.getOrThrow(known), { source: "preset", window: 200_000 })
      assert.deepStrictEqual(yield* info("gpt-5", "other"), Option.none())
      assert.strictEqual((yield* ask(request(), [])).error?._tag, "InvalidRequest")
    }).pipe(Effect.provide(layer({ provider: "openai", windows: { mine: { window: 9_000 } } })))
  )

  it.effect("takes its provider's name from a model that has one", () =>
    Effect.gen(function* () {
      const adapter = yield* ModelAdapter
      assert.isTrue(Option.isSome(yield* adapter.modelInfo({ provider: "openai", model: "gpt-5" })))
    }).pipe(
      Effect.provide(
        LanguageModelAdapter.layer().pipe(
          Layer.provide(Model.make("openai", Layer.map(scripted.layer, Context.pick(LanguageModel.LanguageModel))))
        )
      )
    )
  )

  it.effect("sends a transient failure again, and no overflow", () =>
    Effect.gen(function* () {
      const { parts } = yield* ask(request(), response(503, ""), scripted.say("at last"))
      assert.deepStrictEqual(
        parts.map((part) => (part.type === "text-delta" ? part.delta : part.type)),
        ["repeated", "at last", "finish"]
      )
      const { error } = yield* ask(request(), response(400, '{"error":{"message":"prompt is too long"}}'))
      assert.strictEqual(error?._tag, "ContextWindowExceeded")
    }).pipe(Effect.provide(layer({ retry: { base: 0 } })))
  )
})
