import * as AiError from "@effect/ai/AiError"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as LanguageModelAdapter from "../../src/ai/LanguageModelAdapter.ts"
import * as ToolkitRunner from "../../src/ai/ToolkitRunner.ts"
import * as Agent from "../../src/layers/Agent.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as scripted from "./scriptedModel.ts"

const toolkit = Toolkit.make(
  Tool.make("read", { description: "Reads a file", parameters: { path: Schema.String }, success: Schema.String }),
  Tool.make("count", { parameters: { text: Schema.String }, success: Schema.Struct({ words: Schema.Int }) })
)

const handlers = toolkit.toLayer({
  read: ({ path }) => Effect.succeed(`the text of ${path} `.repeat(400)),
  count: ({ text }) => Effect.succeed({ words: text.split(" ").length })
})

const session = Session.layerOne("t").pipe(
  Layer.provide([
    Agent.layer({ provider: "anthropic", model: "claude-x", system: "Be terse." }),
    LogStore.layerMemory,
    Summarizer.layerWith(() => Effect.succeed("what was said")),
    ToolkitRunner.layer(toolkit).pipe(Layer.provide(handlers))
  ]),
  Layer.provideMerge(
    LanguageModelAdapter.layer({ provider: "anthropic", windows: { "claude-x": { window: 60_000 } } })
  ),
  Layer.provideMerge(scripted.layer)
)

const refusal = new AiError.HttpResponseError({
  module: "AnthropicClient",
  method: "createMessageStream",
  reason: "StatusCode",
  request: { method: "POST", url: "http://localhost", urlParams: [], hash: Option.none(), headers: {} },
  response: { status: 400, headers: {} },
  body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 4001 tokens > 4000 maximum"}}'
})

describe("AgentLoop on a LanguageModel", () => {
  it.effect("runs a toolkit's tools, rescues a refused request, and sends thinking back with its signature", () =>
    Effect.gen(function* () {
      const { asked, next } = yield* scripted.ScriptedModel
      yield* next(
        [
          { type: "reasoning-start", id: "0" },
          { type: "reasoning-delta", id: "0", delta: "I need both" },
          {
            type: "reasoning-delta",
            id: "0",
            delta: "",
            metadata: { anthropic: { type: "thinking", signature: "c2ln" } }
          },
          { type: "reasoning-end", id: "0" },
          ...scripted.call(
            { id: "a", name: "read", params: { path: "x.ts" } },
            { id: "b", name: "count", params: { text: "one two" } },
            { id: "c", name: "count", params: { wrong: true } }
          )
        ],
        refusal,
        scripted.say("all read")
      )
      const end = yield* AgentLoop.run("read x.ts")
      assert.deepInclude(end, { outcome: "completed", text: "all read" })
      const [, refused, rescued] = yield* asked
      const results = (one: scripted.Asked | undefined) =>
        (one?.prompt.content ?? []).flatMap((message) => (message.role === "tool" ? message.content : []))
      assert.deepStrictEqual(
        results(refused).map(({ id, isFailure }) => [id, isFailure]),
        [
          ["a", false],
          ["b", false],
          ["c", true]
        ]
      )
      assert.deepStrictEqual(results(refused)[1]?.result, { words: 2 })
      assert.match(String(results(refused)[2]?.result), /do not fit the tool "count"/)
      assert.isAbove(yield* Surface.generation, 0)
      assert.isBelow(String(results(rescued)[0]?.result).length, String(results(refused)[0]?.result).length / 2)
      const answer = rescued?.prompt.content.find(({ role }) => role === "assistant")
      assert.deepInclude(answer?.content[0] as object, {
        text: "I need both",
        options: { anthropic: { type: "thinking", signature: "c2ln" } }
      })
    }).pipe(Effect.provide(session))
  )
})
