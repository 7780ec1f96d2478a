import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentLoop, LogStore, Message, Session, Summarizer, Surface, ToolRunner } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"

const session = Session.layerOne("s").pipe(
  Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
  Layer.provide([
    LogStore.layerMemory,
    ToolRunner.layer({
      tool: { schema: { parameters: {} }, run: (args) => Effect.succeed(`result of ${JSON.stringify(args)}`) }
    }),
    Summarizer.layerWith(() => Effect.succeed("summary"))
  ])
)

const resultsOf = (messages: ReadonlyArray<Message.Message>) =>
  messages
    .flatMap(Message.toolResults)
    .map(({ content, id }) => [id, content.map((block) => "text" in block && block.text)])

// found by I6: the turn died at the second result, and the next request held two calls and one result
describe("calls of one answer with the same id, or none", () => {
  it.effect("each has its own result", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next(
        Testing.call(...["a", "a", "", ""].map((id, n) => ({ id, name: "tool", arguments: n }))),
        Testing.say("done")
      )
      assert.strictEqual((yield* AgentLoop.run("go")).text, "done")
      const [, request] = yield* script.requests
      assert.deepStrictEqual(resultsOf(request!.messages), [
        ["a", ["result of 0"]],
        ["a_2", ["result of 1"]],
        ["call", ["result of 2"]],
        ["call_2", ["result of 3"]]
      ])
    }).pipe(Effect.provide(session))
  )

  it.effect("results of an application's own loop find their calls in order, in a later batch too", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.assistant(["a", "a", "a_2"].map((id) => Message.toolCall(id, "tool", {}))))
      yield* Surface.append(
        ...["a", "a", "a_2"].map((id, n) => Message.toolResult({ id, name: "tool", content: `result ${n}` }))
      )
      const messages = yield* Surface.messages
      assert.deepStrictEqual(
        resultsOf(messages)
          .map(([id]) => id)
          .sort(),
        Message.toolCalls(messages[0]!)
          .map(({ id }) => id)
          .sort()
      )
      assert.strictEqual(messages.length, 4)
    }).pipe(Effect.provide(session))
  )
})
