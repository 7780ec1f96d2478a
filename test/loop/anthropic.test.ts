import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../../src/layers/Agent.ts"
import * as AnthropicMessages from "../../src/layers/adapters/AnthropicMessages.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactionPolicy from "../../src/layers/CompactionPolicy.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { rawServer } from "../layers/adapters/rawServer.ts"

const model = "claude-haiku-4-5"

/** What a session measures after an answer with that usage, and how often it was summarised. */
const measuredAfter = (usage: object, words: number) =>
  Effect.gen(function* () {
    let summaries = 0
    const server = yield* rawServer((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          type: "message",
          content: [{ type: "text", text: "ok" }],
          stop_reason: "end_turn",
          usage
        })
      )
    )
    return yield* Effect.gen(function* () {
      yield* Surface.append(...Array.from({ length: 10 }, () => Message.user("word ".repeat(words / 10))))
      yield* AgentLoop.run("begin")
      const { totalTokens } = yield* TokenMeter.measure
      yield* AgentLoop.run("go on")
      return { totalTokens, summaries }
    }).pipe(
      Effect.provide(
        Session.layerOne("s").pipe(
          Layer.provide([
            Agent.layer({ provider: "anthropic", model }),
            AnthropicMessages.layer({ baseUrl: server.baseUrl, retry: false }),
            Summarizer.layerWith(() => Effect.sync(() => `summary ${++summaries}`)),
            LogStore.layerMemory,
            ToolRunner.layerNone,
            Layer.orDie(CompactionPolicy.layer({ threshold: 0.65 }))
          ]),
          Layer.provide(FetchHttpClient.layer)
        )
      )
    )
  })

/** A session that uses tools on a provider that speaks Anthropic's messages, and is told that window. */
const talking = (told: number, window: number) =>
  Summarizer.layer.pipe(
    Layer.provideMerge(
      Layer.unwrapEffect(
        Effect.map(SimulatedProvider.SimulatedProvider, ({ baseUrl }) =>
          AnthropicMessages.layer({ baseUrl, retry: false, windows: { [model]: { window: told, outputLimit: 1_500 } } })
        )
      )
    ),
    Layer.provideMerge(SimulatedProvider.layer({ window, as: "anthropic" })),
    Layer.provideMerge(
      Layer.mergeAll(
        Agent.layer({
          provider: "anthropic",
          model,
          system: "You read files. ".repeat(60),
          maxOutputTokens: 1_500,
          settings: { thinking: { type: "enabled", budget_tokens: 1_024 } }
        }),
        ToolRunner.layer({
          read: {
            schema: { description: "Reads a file.", parameters: { type: "object" } },
            run: () => Effect.succeed("line of a file ".repeat(60))
          }
        }),
        LogStore.layerMemory,
        FetchHttpClient.layer
      )
    )
  )

/** Thought, two calls at once, thought again, and an answer. */
const turnOf = (n: number) => [
  SimulatedProvider.message(
    Message.assistant([
      { type: "reasoning", text: `I should read both of ${n}` },
      Message.toolCall(`toolu_${n}_a`, "read", { path: `${n}/a` }),
      Message.toolCall(`toolu_${n}_b`, "read", { path: `${n}/b` })
    ])
  ),
  SimulatedProvider.message(
    Message.assistant([{ type: "reasoning", text: `now I know ${n}` }, Message.textBlock(`Both of ${n} are alike.`)])
  )
]

const talk = (turns: number) =>
  Effect.gen(function* () {
    const provider = yield* SimulatedProvider.SimulatedProvider
    for (let n = 0; n < turns; n++) {
      yield* provider.next(...turnOf(n))
      assert.strictEqual((yield* AgentLoop.run(`compare both of ${n}`)).outcome, "completed")
    }
    return yield* provider.requests
  })

describe("a conversation with tools and signed reasoning over Anthropic's messages", () => {
  it.scopedLive("reads from the cache what the step before wrote, and is compacted before it is too long", () =>
    Effect.gen(function* () {
      const requests = yield* talk(14)
      assert.deepStrictEqual(new Set(requests.map(({ outcome }) => outcome)), new Set(["answered"]))
      const summary = requests.findIndex(({ kind }) => kind === "summary")
      assert.isAbove(summary, 3)
      const before = requests.slice(0, summary)
      before.slice(1).forEach(({ usage }, i) => {
        const written = before[i]!.usage!
        const readable = written.cached + written.written
        // it rounds what it counts
        if (readable > 0) assert.approximately(usage?.cached ?? 0, readable, 2)
      })
      // the summary begins as the conversation does, and reads it
      assert.isAbove(requests[summary]?.usage?.cached ?? 0, (requests[summary]?.usage?.input ?? 0) / 2)
      // what stays has its seals
      assert.include(requests.at(-1)?.text, '"signature"')
      assert.isBelow(requests.at(-1)?.inputTokens ?? 0, 10_000)
    }).pipe(Effect.provide(Session.layerOne("s").pipe(Layer.provideMerge(talking(10_000, 12_000)))))
  )

  it.scopedLive("is rescued where nobody knew that it was too long", () =>
    Effect.gen(function* () {
      const requests = yield* talk(14)
      const refused = requests.findIndex(({ outcome }) => outcome === "refused")
      assert.isAbove(refused, 3)
      assert.strictEqual(requests.filter(({ outcome }) => outcome === "refused").length, 1)
      const retried = requests.slice(refused + 1).find(({ kind }) => kind === "conversation")
      assert.strictEqual(retried?.outcome, "answered")
      assert.isBelow(retried?.inputTokens ?? Infinity, requests[refused]?.inputTokens ?? 0)
    }).pipe(Effect.provide(Session.layerOne("s").pipe(Layer.provideMerge(talking(1_000_000, 6_000)))))
  )
})

describe("a session on Anthropic's messages", () => {
  it.scopedLive("counts what the cache read beside the input, and once [CACHEACC-4]", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 206, cache_read_input_tokens: 98_432, output_tokens: 78 }
      const { summaries, totalTokens } = yield* measuredAfter(usage, 90_000)
      assert.approximately(totalTokens, 98_716, 100)
      assert.strictEqual(summaries, 0)
    })
  )

  it.scopedLive("is brought to compact by it [CACHEACC-5]", () =>
    Effect.gen(function* () {
      const usage = { input_tokens: 2_000, cache_read_input_tokens: 150_000, output_tokens: 10 }
      assert.deepInclude(yield* measuredAfter({ ...usage, cache_read_input_tokens: 0 }, 120_000), { summaries: 0 })
      const { summaries, totalTokens } = yield* measuredAfter(usage, 120_000)
      assert.strictEqual(summaries, 1)
      assert.isBelow(totalTokens, 130_000)
    })
  )
})
