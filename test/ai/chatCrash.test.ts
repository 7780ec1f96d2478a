import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Prompt from "@effect/ai/Prompt"
import * as Stream from "effect/Stream"
import { layerFileTemporary } from "../layers/logs.ts"
import { Crash, layerCrashing } from "../loop/crash.ts"
import { historyOf, inChat, lastAsked, script } from "./chatWorld.ts"
import * as scripted from "./scriptedModel.ts"

const crash = Effect.flatten(Crash)

const world = Layer.merge(layerCrashing(Layer.orDie(layerFileTemporary)), scripted.layer)

describe("a chat whose process dies", () => {
  it.live("while an answer streams has what was said before, and asks the same prompt once", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.say("hello"))
          yield* chat.generateText({ prompt: "hi" })
          const seen = yield* Deferred.make<void>()
          yield* script(() => Stream.concat(Stream.fromIterable(scripted.text("so far")), Stream.never))
          const fiber = yield* Effect.fork(
            Stream.runForEach(chat.streamText({ prompt: "go on" }), ({ type }) =>
              type === "text-delta" ? Deferred.succeed(seen, undefined) : Effect.void
            )
          )
          yield* Deferred.await(seen)
          yield* crash
          yield* Fiber.interrupt(fiber)
        })
      )
      yield* inChat((chat) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello"])
          yield* script(scripted.say("all of it"))
          yield* Stream.runDrain(chat.streamText({ prompt: "go on" }))
          assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: go on"])
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello", "u: go on", "a: all of it"])
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.live("after an edit has it, and a call whose log cannot be written says so", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.say("hello"))
          yield* chat.generateText({ prompt: "hi" })
          yield* Ref.set(chat.history, Prompt.make("another beginning"))
          yield* crash
          const failed = yield* Effect.flip(chat.generateText({ prompt: "lost" }))
          assert.strictEqual(failed._tag, "UnknownError")
          assert.match(failed.message, /the writer is dead/)
        })
      )
      yield* inChat((chat) =>
        Effect.map(historyOf(chat), (history) => assert.deepStrictEqual(history, ["u: another beginning"]))
      )
    }).pipe(Effect.provide(world))
  )

  it.live("sends results and options from its files as they were", () =>
    Effect.gen(function* () {
      const result = (id: string, value: unknown) =>
        Prompt.makePart("tool-result", { id, name: "t", isFailure: false, result: value, providerExecuted: false })
      const seed = Prompt.fromMessages([
        Prompt.makeMessage("user", {
          content: [Prompt.makePart("text", { text: "go", options: { openai: { itemId: "i" } } })]
        }),
        Prompt.makeMessage("assistant", {
          content: ["1", "2", "3"].map((id) =>
            Prompt.makePart("tool-call", { id, name: "t", params: {}, providerExecuted: false })
          )
        }),
        Prompt.makeMessage("tool", { content: [result("1", { n: 1 }), result("2", "{}"), result("3", undefined)] })
      ])
      yield* inChat(() => crash, { seed })
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.say("done"))
          yield* chat.generateText({ prompt: [] })
          const { asked } = yield* scripted.ScriptedModel
          assert.deepStrictEqual((yield* asked).at(-1)?.prompt.content, seed.content)
        })
      )
    }).pipe(Effect.provide(world))
  )
})
