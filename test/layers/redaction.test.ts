import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  Compaction,
  LogStore,
  Message,
  Redaction,
  Session,
  Summarizer,
  Surface,
  TokenEstimator
} from "../../src/index.ts"

const key = `sk-${"Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"}`

/** Says it as the user, the model and a tool; what the next request carries, what the log holds, and the price. */
const said = Effect.gen(function* () {
  yield* Surface.append(Message.user(`mine is ${key}`), Message.assistant([Message.toolCall("c", "env", { key })]), {
    role: "tool",
    content: [{ type: "tool-result", id: "c", name: "env", content: [Message.textBlock(`KEY=${key}`)] }]
  })
  const surface = yield* Surface.Surface
  const estimator = yield* TokenEstimator.TokenEstimator
  const messages = yield* surface.messages
  const [result] = Array.from(yield* Stream.runCollect(surface.history(0))).filter(
    (event) => event.type === "message/tool-result"
  )
  return { messages, result, counts: estimator.message(messages[2]!) }
})

const session = (layer: Layer.Layer<never>) =>
  Effect.provide(
    said,
    Surface.layer.pipe(
      Layer.provide([LogStore.layerMemory, Layer.succeed(Session.SessionId, "s")]),
      Layer.provide(layer)
    )
  )

const contentOf = (message: Message.Message | undefined) => JSON.stringify(message?.content)

describe("Redaction", () => {
  it.effect("masks keys in tool results alone: the model and the log have the mask, and its price", () =>
    Effect.gen(function* () {
      const { counts, messages, result } = yield* session(Layer.empty)
      assert.include(contentOf(messages[0]), key)
      assert.include(contentOf(messages[1]), key)
      assert.include(contentOf(messages[2]), "KEY=[redacted: OpenAI key]")
      assert.notInclude(JSON.stringify(result), key)
      assert.deepStrictEqual((result as { data: { counts: { values: unknown } } }).data.counts.values, counts)
    })
  )

  it.effect("is off, or another one, by a layer", () =>
    Effect.gen(function* () {
      const off = yield* session(Redaction.layerNone)
      assert.include(contentOf(off.messages[2]), key)
      const own = yield* session(Redaction.layer((_content, tool) => [Message.textBlock(`nothing of ${tool}`)]))
      assert.include(contentOf(own.messages[2]), "nothing of env")
      assert.notInclude(JSON.stringify(own.result), key)
    })
  )

  it.effect("leaves an array that is nobody's log as it is", () =>
    Effect.gen(function* () {
      const result = {
        type: "tool-result",
        id: "c",
        name: "env",
        content: [Message.textBlock(`${key} `.repeat(2000))]
      } as const
      const { messages, outcome } = yield* Compaction.once({
        window: 16_000,
        envelope: { route: { provider: "p", model: "m" } },
        messages: [
          Message.user("go"),
          Message.assistant([Message.toolCall("c", "env", {})]),
          { role: "tool", content: [result] },
          ...Array.from({ length: 8 }, () => [Message.user("go on"), Message.assistant("yes ".repeat(900))]).flat(),
          Message.user("and now")
        ]
      }).pipe(Effect.provide(Summarizer.layerNone))
      assert.strictEqual(outcome._tag, "Reduced")
      assert.include(JSON.stringify(messages), key)
    })
  )
})
