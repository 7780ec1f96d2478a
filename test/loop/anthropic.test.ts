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
