import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as CompactingChat from "../../src/ai/CompactingChat.ts"
import * as HttpEvidence from "../../src/ai/HttpEvidence.ts"
import * as LanguageModelAdapter from "../../src/ai/LanguageModelAdapter.ts"
import * as ToolkitRunner from "../../src/ai/ToolkitRunner.ts"
import * as Agent from "../../src/layers/Agent.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { layerFileTemporary } from "../layers/logs.ts"

const { message, say } = SimulatedProvider
const provider = SimulatedProvider.SimulatedProvider

const models = {
  openai: { provider: "openai", model: "gpt-4.1" },
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-5" }
} as const

const http = HttpEvidence.layer.pipe(Layer.provide(FetchHttpClient.layer))

const clients = {
  openai: Layer.unwrapEffect(
    Effect.map(provider, ({ baseUrl }) =>
      OpenAiLanguageModel.layer({ model: models.openai.model }).pipe(
        Layer.provide(OpenAiClient.layer({ apiUrl: `${baseUrl}/v1` }))
      )
    )
  ),
  anthropic: Layer.unwrapEffect(
    Effect.map(provider, ({ baseUrl }) =>
      AnthropicLanguageModel.layer({ model: models.anthropic.model, config: { max_tokens: 1_000 } }).pipe(
        Layer.provide(AnthropicClient.layer({ apiUrl: baseUrl }))
      )
    )
  )
}

const toolkit = Toolkit.make(
  Tool.make("read", {
    description: "Reads a file",
    parameters: { path: Schema.String, from: Schema.optional(Schema.Int) },
    success: Schema.Struct({ text: Schema.String })
  })
)
const handlers = toolkit.toLayer({
  read: ({ path }) => Effect.succeed({ text: `${path} ${"line of a file ".repeat(600)}` })
})

for (const as of ["openai", "anthropic"] as const) {
  const world = (options: Partial<SimulatedProvider.Options> = {}) =>
    clients[as].pipe(
      Layer.provideMerge(SimulatedProvider.layer({ window: 8_000, as, ...options })),
      Layer.provide(http),
      Layer.provide(FetchHttpClient.layer)
    )
  const summaries = Effect.map(
    Effect.flatMap(provider, ({ requests }) => requests),
    (requests) => requests.filter(({ kind }) => kind === "summary").length
  )

  describe(`through the published package of ${as}`, () => {
    it.live("a CompactingChat lives for 40 turns in a window of 8,000, over restarts", () =>
      Effect.gen(function* () {
        const { next, requests } = yield* provider
        for (let process = 0; process < 4; process++) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const chat = yield* CompactingChat.open("c", {
                route: models[as],
                window: 8_000,
                maxOutputTokens: 1_000,
                seed: [{ role: "system", content: "You are terse." }]
              })
              assert.strictEqual((yield* Ref.get(chat.history)).content.length, 1 + process * 20)
              for (let turn = 0; turn < 10; turn++) {
                const n = process * 10 + turn
                yield* next(say(`answer ${n}: ${"as I said before ".repeat(150)}`))
                const prompt = `question ${n}: ${"would you think of ".repeat(8)}`
                if (n % 2 === 0) yield* chat.generateText({ prompt })
                else yield* Stream.runDrain(chat.streamText({ prompt }))
              }
            })
          )
        }
        const asked = yield* requests
        assert.deepStrictEqual([...new Set(asked.map(({ status }) => status))], [200])
        assert.strictEqual(asked.filter(({ kind }) => kind === "conversation").length, 40)
        // each summary makes room for half of the window at least, of all that the provider would count
        const all = yield* Effect.scoped(
          Effect.flatMap(CompactingChat.open("c", { route: models[as] }), ({ history }) => history)
        )
        assert.strictEqual(all.content.length, 81)
        const paid = yield* summaries
        yield* Effect.flip(LanguageModel.generateText({ prompt: all }))
        const { inputTokens, outcome } = (yield* requests).at(-1)!
        assert.strictEqual(outcome, "refused")
        assert.isAtMost(paid, Math.ceil(1 + (inputTokens - 0.8 * 8_000) / (0.5 * 8_000)))
      }).pipe(Effect.provide(Layer.merge(world(), layerFileTemporary)))
    )

    it.live("a chat whose window nobody knew is rescued, tools and all", () =>
      Effect.gen(function* () {
        const { next, requests } = yield* provider
        yield* Effect.scoped(
          Effect.gen(function* () {
            const chat = yield* CompactingChat.open("c", { route: { provider: as, model: "unknown" } })
            for (let n = 0; n < 6; n++) {
              yield* next(message(Message.assistant([Message.toolCall(`call_${n}`, "read", { path: `${n}.ts` })])))
              yield* n % 2 === 0
                ? chat.generateText({ prompt: `read ${n}`, toolkit })
                : Stream.runDrain(chat.streamText({ prompt: `read ${n}`, toolkit }))
              yield* next(say(`file ${n} is fine`))
              yield* n % 2 === 0
                ? Stream.runDrain(chat.streamText({ prompt: [], toolkit }))
                : chat.generateText({ prompt: [], toolkit })
            }
            const { content } = yield* Ref.get(chat.history)
            assert.deepStrictEqual(
              content.map(({ role }) => role),
              Array.from({ length: 6 }, () => ["user", "assistant", "tool", "assistant"]).flat()
            )
          })
        )
        const refused = (yield* requests).filter(({ outcome }) => outcome === "refused")
        assert.isAtLeast(refused.length, 1)
      }).pipe(Effect.provide(Layer.mergeAll(world(), LogStore.layerMemory, handlers)))
    )

    it.live("AgentLoop runs on it, with tools, a rescue, and thinking that goes back", () =>
      Effect.gen(function* () {
        const { next, requests } = yield* provider
        const session = Session.layerOne("t").pipe(
          Layer.provideMerge(
            LanguageModelAdapter.layer({ provider: as, windows: { [models[as].model]: { window: 30_000 } } })
          ),
          Layer.provide([
            Agent.layer({
              ...models[as],
              system: "You are terse.",
              maxOutputTokens: 1_000,
              // without this OpenAI seals nothing
              ...(as === "openai" ? { settings: { include: ["reasoning.encrypted_content"] } } : {})
            }),
            LogStore.layerMemory,
            Summarizer.layerWith(() => Effect.succeed("what was said")),
            Layer.provide(ToolkitRunner.layer(toolkit), handlers)
          ])
        )
        yield* Effect.gen(function* () {
          for (let n = 0; n < 5; n++) {
            yield* next(
              message(
                Message.assistant([
                  { type: "reasoning", text: `to read ${n}` },
                  Message.toolCall(`call_${n}`, "read", { path: `${n}.ts` })
                ])
              ),
              say(`file ${n} is fine`)
            )
            assert.strictEqual((yield* AgentLoop.run(`read ${n}`)).text.trim(), `file ${n} is fine`)
          }
          assert.isAbove(yield* Surface.generation, 0)
          const messages = yield* Surface.messages
          const thinking = messages.flatMap(({ content }) => content.filter(({ type }) => type === "reasoning"))
          assert.isAbove(thinking.length, 0)
        }).pipe(Effect.provide(session))
        const asked = yield* requests
        assert.isAtLeast(asked.filter(({ outcome }) => outcome === "refused").length, 1)
        const body = JSON.parse(asked.at(-1)!.text) as Record<string, unknown>
        assert.strictEqual(body["model"], models[as].model)
        assert.strictEqual(body["max_tokens"] ?? body["max_output_tokens"], 1_000)
        assert.match(JSON.stringify(body), /"(?:thinking|encrypted_content)"/)
      }).pipe(Effect.provide(world()))
    )
  })
}

describe("a model that binds its thinking to what stands before it", () => {
  const model = "claude-sonnet-5-5"
  const binding = Layer.unwrapEffect(
    Effect.map(provider, ({ baseUrl }) =>
      AnthropicLanguageModel.layer({ model, config: { max_tokens: 1_000 } }).pipe(
        Layer.provide(AnthropicClient.layer({ apiUrl: baseUrl }))
      )
    )
  ).pipe(
    Layer.provideMerge(SimulatedProvider.layer({ window: 8_000, as: "anthropic" })),
    Layer.provide(http),
    Layer.provide(FetchHttpClient.layer)
  )
  const thoughtful = (n: number) =>
    message(
      Message.assistant([
        { type: "reasoning", text: `what of ${n}? ` },
        Message.textBlock(`answer ${n}: ${"as I said before ".repeat(100)}`)
      ])
    )

  it.live("gets none back in a chat once that was summarised", () =>
    Effect.gen(function* () {
      const { next, requests } = yield* provider
      yield* Effect.scoped(
        Effect.gen(function* () {
          const chat = yield* CompactingChat.open("c", {
            route: { provider: "anthropic", model },
            window: 8_000,
            maxOutputTokens: 1_000
          })
          for (let n = 0; n < 24; n++) {
            yield* next(thoughtful(n))
            yield* Stream.runDrain(chat.streamText({ prompt: `question ${n}` }))
          }
        })
      )
      const asked = yield* requests
      assert.deepStrictEqual([...new Set(asked.map(({ status }) => status))], [200])
      assert.isAtLeast(asked.filter(({ kind }) => kind === "summary").length, 1)
      assert.match(asked.at(-1)!.text, /"type":"thinking"/)
    }).pipe(Effect.provide(Layer.merge(binding, LogStore.layerMemory)))
  )

  it.live("gets none back from AgentLoop either", () =>
    Effect.gen(function* () {
      const { next, requests } = yield* provider
      const session = Session.layerOne("t").pipe(
        Layer.provide([
          Agent.layer({ provider: "anthropic", model, maxOutputTokens: 1_000 }),
          LogStore.layerMemory,
          Summarizer.layer,
          ToolRunner.layerNone
        ]),
        Layer.provide(LanguageModelAdapter.layer({ provider: "anthropic", windows: { [model]: { window: 8_000 } } }))
      )
      yield* Effect.gen(function* () {
        for (let n = 0; n < 24; n++) {
          yield* next(thoughtful(n))
          yield* AgentLoop.run(`question ${n}`)
        }
        assert.isAbove(yield* Surface.generation, 0)
      }).pipe(Effect.provide(session))
      assert.deepStrictEqual([...new Set((yield* requests).map(({ status }) => status))], [200])
    }).pipe(Effect.provide(binding))
  )
})
