import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { provider } from "./asking.ts"

const { message, say } = SimulatedProvider

const Kit = Toolkit.make(
  Tool.make("weather", {
    description: "The weather of a city",
    parameters: { city: Schema.String },
    success: Schema.String
  })
)
const Handlers = Kit.toLayer({ weather: ({ city }) => Effect.succeed(`sun over ${city}`) })

const openAi = Layer.unwrapEffect(
  Effect.map(provider, ({ baseUrl }) =>
    OpenAiLanguageModel.layer({ model: "gpt-4.1" }).pipe(Layer.provide(OpenAiClient.layer({ apiUrl: `${baseUrl}/v1` })))
  )
)
const anthropic = Layer.unwrapEffect(
  Effect.map(provider, ({ baseUrl }) =>
    AnthropicLanguageModel.layer({ model: "claude-sonnet-4-5", config: { max_tokens: 500 } }).pipe(
      Layer.provide(AnthropicClient.layer({ apiUrl: baseUrl }))
    )
  )
)

for (const [as, model, protocol] of [
  ["openai", openAi, "openai-responses"],
  ["anthropic", anthropic, "anthropic-messages"]
] as const) {
  const world = (options: Partial<SimulatedProvider.Options> = {}) =>
    Layer.merge(model, Handlers).pipe(
      Layer.provideMerge(SimulatedProvider.layer({ window: 20_000, as, ...options })),
      Layer.provide(FetchHttpClient.layer)
    )
  const answer = message(
    Message.assistant([
      { type: "reasoning", text: "thinking ".repeat(40) },
      Message.textBlock("Grüße 😀 ".repeat(60)),
      Message.toolCall("call_1", "weather", { city: "Ürzig" }),
      Message.toolCall("call_2", "weather", { city: "Bonn" })
    ])
  )

  describe(`the published client of ${as} reads what the simulated provider answers`, () => {
    it.live("whole, with tools, and what it sends back is taken", () =>
      Effect.gen(function* () {
        const { next, requests } = yield* provider
        yield* next(answer, say("It is sunny."))
        const first = yield* LanguageModel.generateText({ prompt: "How is the weather?", toolkit: Kit })
        assert.strictEqual(first.text.trim(), "Grüße 😀 ".repeat(60).trim())
        assert.strictEqual(first.finishReason, "tool-calls")
        assert.deepStrictEqual(
          first.toolCalls.map(({ id, params }) => ({ id, params })),
          [
            { id: "call_1", params: { city: "Ürzig" } },
            { id: "call_2", params: { city: "Bonn" } }
          ]
        )
        assert.deepStrictEqual(
          first.toolResults.map(({ result }) => result),
          ["sun over Ürzig", "sun over Bonn"]
        )
        const prompt = Prompt.merge(
          Prompt.merge(Prompt.make("How is the weather?"), Prompt.fromResponseParts(first.content)),
          Prompt.make("And in short?")
        )
        const second = yield* LanguageModel.generateText({ prompt, toolkit: Kit })
        assert.strictEqual(second.text, "It is sunny.")
        assert.strictEqual(second.finishReason, "stop")
        const asked = yield* requests
        assert.deepStrictEqual(
          asked.map((request) => `${request.protocol} ${request.outcome}`),
          [`${protocol} answered`, `${protocol} answered`]
        )
        assert.strictEqual(second.usage.inputTokens, asked[1]?.usage?.input)
        assert.strictEqual(second.usage.outputTokens, asked[1]?.usage?.output)
      }).pipe(Effect.provide(world()))
    )

    it.live("streamed, with tools, to the last part", () =>
      Effect.gen(function* () {
        const { next, settled } = yield* provider
        yield* next(answer)
        const parts = Chunk.toReadonlyArray(
          yield* Stream.runCollect(LanguageModel.streamText({ prompt: "How is the weather?", toolkit: Kit }))
        )
        const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
        const thought = parts.map((part) => (part.type === "reasoning-delta" ? part.delta : "")).join("")
        assert.strictEqual(text, "Grüße 😀 ".repeat(60))
        assert.strictEqual(thought, "thinking ".repeat(40))
        assert.deepStrictEqual(
          parts.flatMap((part) => (part.type === "tool-result" ? [part.result] : [])),
          ["sun over Ürzig", "sun over Bonn"]
        )
        const finish = parts.find((part) => part.type === "finish")
        const { usage } = yield* settled(0)
        assert.deepInclude(finish, { reason: "tool-calls" })
        assert.deepInclude(finish?.usage, { inputTokens: usage?.input, outputTokens: usage?.output })
        assert.notInclude(
          parts.map(({ type }) => type),
          "error"
        )
      }).pipe(Effect.provide(world()))
    )

    it.live("cut at the output limit, and in the middle of nothing", () =>
      Effect.gen(function* () {
        const { next } = yield* provider
        yield* next(say("word ".repeat(3_000)), SimulatedProvider.empty)
        const cut = yield* LanguageModel.generateText({ prompt: "Much" }).pipe(
          as === "openai"
            ? OpenAiLanguageModel.withConfigOverride({ max_output_tokens: 500 })
            : AnthropicLanguageModel.withConfigOverride({ max_tokens: 500 })
        )
        assert.strictEqual(cut.finishReason, "length")
        assert.strictEqual((yield* LanguageModel.generateText({ prompt: "Nothing" })).text, "")
      }).pipe(Effect.provide(world()))
    )

    it.live("refused as too long: the status is there", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(LanguageModel.generateText({ prompt: "word ".repeat(2_000) }))
        assert.deepInclude(error, { _tag: "HttpResponseError" })
        assert.strictEqual(error._tag === "HttpResponseError" ? error.response.status : 0, 400)
      }).pipe(Effect.provide(world({ window: 1_000 })))
    )
  })
}
