import * as Chat from "@effect/ai/Chat"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as countingModel from "./countingModel.ts"
import { tokensOf, words } from "./countingModel.ts"

const guarded = (
  model: Layer.Layer<LanguageModel.LanguageModel>,
  options: Parameters<typeof Guarded.make>[0] = { window: 4_000 }
) => Layer.provide(Guarded.layer(options), model)

const fullHistory = (chat: Chat.Service) => Effect.map(Ref.get(chat.history), tokensOf)

/** What the issue allows. */
const allowed = (history: number, window: number) =>
  Math.max(0, Math.ceil(1 + (history - 0.8 * window) / (0.5 * window)))

describe("Guarded.layer under Chat", () => {
  it.effect("60 turns live in a window of 4,000, and each costs what is new", () => {
    const model = countingModel.make({ window: 4_000, answers: () => countingModel.text(words(90)) })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      for (let turn = 0; turn < 60; turn++) yield* chat.generateText({ prompt: `Turn ${turn}: ${words(60, "ask")}` })
      assert.strictEqual(model.refusals(), 0)
      const history = yield* fullHistory(chat)
      assert.isAbove(history, 8_000)
      assert.isAtMost(model.summaries(), allowed(history, 4_000))
      assert.isAbove(model.summaries(), 0)
    }).pipe(Effect.provide(guarded(model.layer)))
  })
})
