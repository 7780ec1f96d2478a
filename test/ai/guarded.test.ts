import * as Chat from "@effect/ai/Chat"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as AiError from "@effect/ai/AiError"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as countingModel from "./countingModel.ts"
import { tokensOf, words } from "./countingModel.ts"

const guarded = (
  model: Layer.Layer<LanguageModel.LanguageModel>,
  options: Parameters<typeof Guarded.make>[0] = { window: 8_000 }
) => Layer.provide(Guarded.layer(options), model)

/** What the issue allows to be paid for a history of so many tokens. */
const allowed = (history: number, window: number) => Math.ceil(1 + (history - 0.8 * window) / (0.5 * window))

/** Turns of a chat, each a question and an answer of about 150 tokens. */
const talk = (chat: Chat.Service, from: number, to: number) =>
  Effect.forEach(
    Array.from({ length: to - from }, (_, i) => from + i),
    (turn) => chat.generateText({ prompt: `Turn ${turn}: ${words(15, "ask")}` }),
    { discard: true }
  )

const long = () => countingModel.text(words(130))

const historyTokens = (chat: Chat.Service) => Effect.map(Ref.get(chat.history), tokensOf)

const user = (text: string): Prompt.Message =>
  Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })
const assistant = (text: string): Prompt.Message =>
  Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text })] })
const system = (content: string): Prompt.Message => Prompt.makeMessage("system", { content })

/** Questions and answers of about 150 tokens a pair, the last one a question. */
const history = (pairs: number, of = "ask"): ReadonlyArray<Prompt.Message> => [
  ...Array.from({ length: pairs }, (_, i) => [user(`${i}: ${words(15, of)}`), assistant(words(130))]).flat(),
  user("And now?")
]

const send = (messages: ReadonlyArray<Prompt.Message>) =>
  LanguageModel.generateText({ prompt: Prompt.fromMessages(messages) })

describe("Guarded.layer under Chat", () => {
  it.effect("120 turns live in a window of 8,000, and each costs what is new", () => {
    const model = countingModel.make({ window: 8_000, answers: long })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* talk(chat, 0, 120)
      assert.strictEqual(model.refusals(), 0)
      const tokens = yield* historyTokens(chat)
      assert.isAbove(tokens, 16_000)
      assert.isAbove(model.summaries(), 0)
      assert.isAtMost(model.summaries(), allowed(tokens, 8_000))
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("in a small window too, whose user says as much as the model, a summary makes room for what comes", () => {
    const model = countingModel.make({ window: 4_000, answers: () => countingModel.text(words(100)) })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, turn) => turn),
        (turn) => chat.generateText({ prompt: `Turn ${turn}: ${words(100, "ask")}` })
      )
      const tokens = yield* historyTokens(chat)
      assert.isAtMost(model.summaries(), allowed(tokens, 4_000))
      assert.strictEqual(model.refusals(), 0)
    }).pipe(Effect.provide(guarded(model.layer, { window: 4_000 })))
  })

  for (const states of [true, false]) {
    it.effect(
      `200 turns in a window that is half of what was told, which the refusal ${states ? "states" : "does not state"}`,
      () => {
        const model = countingModel.make({ window: 8_000, states, answers: long })
        return Effect.gen(function* () {
          const chat = yield* Chat.empty
          yield* talk(chat, 0, 200)
          const tokens = yield* historyTokens(chat)
          if (states) {
            // the one that taught the window
            assert.strictEqual(model.refusals(), 1)
            assert.isAtMost(model.summaries(), allowed(tokens, 8_000))
          } else {
            // what was refused is a measure too: a summary is not divided as if twice the window were there
            assert.isAtMost(model.summaries(), 3 * model.refusals())
          }
          assert.strictEqual(model.conversation().filter(({ refused }) => !refused).length, 200)
        }).pipe(Effect.provide(guarded(model.layer, { window: 16_000 })))
      }
    )
  }

  it.effect("what one conversation taught of the window, the next one knows", () => {
    const model = countingModel.make({ window: 8_000, answers: long })
    return Effect.gen(function* () {
      yield* Effect.flatMap(Chat.empty, (chat) => talk(chat, 0, 70))
      assert.strictEqual(model.refusals(), 1)
      yield* send(history(60, "other"))
      yield* Effect.flatMap(Chat.fromPrompt("Another one."), (chat) => talk(chat, 100, 170))
      assert.strictEqual(model.refusals(), 1)
    }).pipe(Effect.provide(guarded(model.layer, { window: 16_000 })))
  })

  it.effect("the window of a model that a preset knows need not be told", () => {
    // one answer fills most of the 200,000 that the preset says
    const model = countingModel.make({ window: 200_000, answers: () => countingModel.text(words(85_000)) })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* talk(chat, 0, 3)
      assert.strictEqual(model.refusals(), 0)
      assert.isAbove(model.summaries(), 0)
    }).pipe(Effect.provide(guarded(model.layer, { route: { provider: "anthropic", model: "claude-sonnet-4-5" } })))
  })

  it.effect("without a window, refusals are rescued all the same", () => {
    const model = countingModel.make({ window: 8_000, answers: long })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* talk(chat, 0, 80)
      assert.strictEqual(model.refusals(), 1)
      assert.strictEqual(model.conversation().filter(({ refused }) => !refused).length, 80)
    }).pipe(Effect.provide(guarded(model.layer, {})))
  })
})

describe("what is sent", () => {
  it.effect("the very prompt, as long as nothing had to be cut", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      const prompt = Prompt.fromMessages([system("Be brief."), ...history(3)])
      yield* LanguageModel.generateText({ prompt })
      assert.strictEqual(model.asked[0]?.prompt, prompt)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect(
    "the very messages after a summary, their options with them, and the system messages where they were",
    () => {
      const model = countingModel.make({ window: 8_000 })
      return Effect.gen(function* () {
        const marked = Prompt.makeMessage("user", {
          content: [
            Prompt.makePart("text", { text: "keep", options: { anthropic: { cacheControl: { type: "ephemeral" } } } })
          ],
          options: { anthropic: { cacheControl: { type: "ephemeral" } } }
        })
        const aside = system("From here on in French.")
        const messages = [system("Be brief."), ...history(43), assistant("Well."), aside, marked]
        yield* send(messages)
        assert.isAbove(model.summaries(), 0)
        const sent = model.conversation()[0]!.prompt.content
        assert.isBelow(sent.length, messages.length)
        assert.strictEqual(sent[0], messages[0])
        assert.include(JSON.stringify(sent[1]), "summary")
        // all that stands after the summary is what came in
        const kept = sent.slice(2)
        assert.deepStrictEqual(kept, messages.slice(-kept.length))
        assert.isTrue(kept.every((message, i) => message === messages[messages.length - kept.length + i]))
        assert.strictEqual(kept.at(-2), aside)
      }).pipe(Effect.provide(guarded(model.layer)))
    }
  )

  for (const [name, stays] of [
    ["claude-sonnet-4-5", true],
    ["claude-sonnet-5-5", false]
  ] as const) {
    it.effect(
      `reasoning behind a summary ${stays ? "stays" : "is left out where the model binds it"}, newer one stays`,
      () => {
        const model = countingModel.make({ window: 8_000 })
        const thinking = (text: string) =>
          Prompt.makeMessage("assistant", {
            content: [
              Prompt.makePart("reasoning", {
                text: `thought of ${text}`,
                options: { anthropic: { type: "thinking", signature: "s" } }
              }),
              Prompt.makePart("text", { text })
            ]
          })
        return Effect.gen(function* () {
          const old = [...history(43), thinking("old"), user("Go on")]
          const sent = () => JSON.stringify(model.conversation().at(-1)!.prompt)
          yield* send(old)
          assert.strictEqual(sent().includes("thought of old"), stays)
          const newer = [...old, thinking("newer"), user("More")]
          yield* send(newer)
          assert.strictEqual(sent().includes("thought of old"), stays)
          assert.include(sent(), "thought of newer")
          // a fork has the same summary before it, and did not make its reasoning behind it
          yield* send([...old.slice(0, -1), user("Otherwise")])
          assert.strictEqual(sent().includes("thought of old"), stays)
        }).pipe(Effect.provide(guarded(model.layer, { window: 8_000, route: { provider: "anthropic", model: name } })))
      }
    )
  }

  it.effect("a changed system prompt costs no other summary", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      const said = history(43)
      yield* send([system("Be brief."), ...said])
      const paid = model.summaries()
      assert.isAbove(paid, 0)
      yield* send([system("Be long."), ...said])
      yield* send([...said, assistant("ok"), user("More?")])
      assert.strictEqual(model.summaries(), paid)
      assert.strictEqual(model.conversation().length, 3)
      assert.strictEqual(model.conversation()[1]!.prompt.content[0]?.role, "system")
      assert.strictEqual(model.conversation()[2]!.prompt.content[0]?.role, "user")
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("an option that changes on an old message makes no other conversation of it", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      const said = history(43)
      yield* send(said)
      const paid = model.summaries()
      assert.isAbove(paid, 0)
      yield* send([{ ...said[0]!, options: { somebody: { messageId: "m1" } } } as Prompt.Message, ...said.slice(1)])
      assert.strictEqual(model.summaries(), paid)
    }).pipe(Effect.provide(guarded(model.layer)))
  })
})

describe("the memory of prefixes", () => {
  it.effect("the same call again, a regenerated answer, an edited last message: no other summary", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      const said = history(43)
      yield* send(said)
      const paid = model.summaries()
      assert.isAbove(paid, 0)
      yield* send(said)
      yield* send([...said, assistant("one"), user("next")])
      yield* send([...said, assistant("another"), user("next")])
      yield* send([...said.slice(0, -1), user("Asked in other words")])
      assert.strictEqual(model.summaries(), paid)
      const last = model.conversation().at(-1)!.prompt.content.at(-1)!
      assert.include(JSON.stringify(last), "other words")
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("a fork before the newest summary goes on from the one that stands for nothing else", () => {
    const model = countingModel.make({ window: 8_000, answers: long })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* talk(chat, 0, 60)
      const summariesThen = model.summaries()
      assert.isAbove(summariesThen, 0)
      const shared = (yield* Ref.get(chat.history)).content
      yield* talk(chat, 60, 120)
      const before = model.summaries()
      assert.isAbove(before, summariesThen)
      // what came after the fork is nothing that the other branch knows
      yield* send([...shared, user("A different question")])
      assert.strictEqual(model.summaries(), before)
      const sent = JSON.stringify(model.conversation().at(-1)!.prompt.content)
      assert.include(sent, "A different question")
      assert.notInclude(sent, "Turn 61:")
      assert.include(sent, "Turn 59:")
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("an edited history that matches nothing starts fresh, and nothing of the other leaks", () => {
    const model = countingModel.make({
      window: 8_000,
      summary: (asked) => Effect.succeed(countingModel.text(`${countingModel.summaryFor(asked)} SECRET-OF-THE-FIRST`))
    })
    return Effect.gen(function* () {
      yield* send(history(43))
      const paid = model.summaries()
      assert.isAbove(paid, 0)
      assert.include(JSON.stringify(model.conversation().at(-1)!.prompt), "SECRET-OF-THE-FIRST")
      yield* send([user("Short"), ...history(3).slice(1)])
      assert.notInclude(JSON.stringify(model.conversation().at(-1)!.prompt), "SECRET-OF-THE-FIRST")
      assert.strictEqual(model.summaries(), paid)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("two calls at once on one conversation: neither waits, neither fails, and the memory goes on", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = countingModel.make({ window: 8_000, hold: () => Deferred.await(gate) })
      yield* Effect.gen(function* () {
        const said = history(43)
        const fibers = yield* Effect.forEach([said, said, [...said.slice(0, -1), user("Else?")]], (each) =>
          Effect.fork(send(each))
        )
        while (model.conversation().length < 3) yield* Effect.yieldNow()
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.forEach(fibers, Fiber.join)
        // each had to pay, since none had ended
        const paid = model.summaries()
        yield* send([...said, assistant("ok"), user("next")])
        assert.strictEqual(model.summaries(), paid)
      }).pipe(Effect.provide(guarded(model.layer)))
    })
  )

  it.effect("a call that comes while another one of its conversation is out starts from the newest summary", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = countingModel.make({
        window: 8_000,
        hold: ({ prompt }) => (JSON.stringify(prompt).includes("HOLD") ? Deferred.await(gate) : Effect.void)
      })
      yield* Effect.gen(function* () {
        const said = history(43)
        yield* send(said)
        const paid = model.summaries()
        assert.isAbove(paid, 0)
        const held = yield* Effect.fork(send([...said, assistant("ok"), user("HOLD")]))
        while (model.conversation().length < 2) yield* Effect.yieldNow()
        yield* send([...said, assistant("ok"), user("go")])
        assert.strictEqual(model.summaries(), paid)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(held)
      }).pipe(Effect.provide(guarded(model.layer)))
    })
  )

  it.effect("an interrupted call ends its request, and the memory can be used", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const model = countingModel.make({
        window: 8_000,
        hold: ({ prompt }) =>
          JSON.stringify(prompt.content.at(-1)).includes("HOLD")
            ? Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
            : Effect.void
      })
      yield* Effect.gen(function* () {
        const said = history(43)
        yield* send(said)
        const paid = model.summaries()
        assert.isAbove(paid, 0)
        const asked = [...said, assistant("ok"), user("HOLD")]
        const fiber = yield* Effect.fork(send(asked))
        while (model.conversation().length < 2) yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(interrupted)
        yield* send([...said, assistant("ok"), user("go")])
        yield* send([...asked, assistant("late"), user("go")])
        assert.strictEqual(model.summaries(), paid)
      }).pipe(Effect.provide(guarded(model.layer)))
    })
  )

  it.effect("no more conversations are remembered than were asked for", () => {
    const model = countingModel.make({ window: 8_000 })
    return Effect.gen(function* () {
      for (let i = 0; i < 20; i++) yield* send(history(43, `of${i}`))
      const paid = model.summaries()
      yield* send([...history(43, "of19"), assistant("ok"), user("go")])
      // two conversations, and the newest sixteen checkpoints
      yield* send([...history(43, "of10"), assistant("ok"), user("go")])
      assert.strictEqual(model.summaries(), paid)
      yield* send([...history(43, "of0"), assistant("ok"), user("go")])
      assert.isAbove(model.summaries(), paid)
    }).pipe(Effect.provide(guarded(model.layer, { window: 8_000, conversations: 2 })))
  })
})

describe("when the summary fails", () => {
  const failing = (instruction: string) =>
    Effect.fail(
      new AiError.UnknownError({ module: "Test", method: "summary", description: `no: ${instruction.length}` })
    )

  it.effect("under pressure the call goes out all the same", () => {
    const model = countingModel.make({ window: 8_000, summary: failing })
    return Effect.gen(function* () {
      // above the threshold and below the window
      const { text } = yield* send(history(43))
      assert.strictEqual(text, "ok")
      assert.isAbove(model.summaries(), 0)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("over a long chat the summaries rest: three in a row, and then no more at each turn", () => {
    const model = countingModel.make({ window: 8_000, summary: failing, answers: long })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* talk(chat, 0, 120)
      assert.strictEqual(model.conversation().filter(({ refused }) => !refused).length, 120)
      // of the 120 turns some 60 are above the threshold
      assert.isBelow(model.summaries(), 30)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("after a refusal there is a checkpoint without a model", () => {
    const model = countingModel.make({ window: 8_000, summary: failing })
    return Effect.gen(function* () {
      assert.strictEqual((yield* send(history(60))).text, "ok")
      assert.strictEqual(model.refusals(), 1)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect(
    "where nothing can be made smaller the provider's own error comes out, the same value, also inside a span",
    () => {
      const error = new AiError.UnknownError({
        module: "Test",
        method: "x",
        description: "prompt is too long: 9000 tokens > 4000 maximum"
      })
      const layer = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => Effect.fail(error),
          streamText: () => {
            throw new Error("not asked")
          }
        })
      )
      return Effect.gen(function* () {
        const failure = yield* Effect.flip(send([user("hi")]))
        assert.strictEqual(failure, error)
        const inSpan = yield* Effect.flip(send([user("hi")]).pipe(Effect.withSpan("outer")))
        assert.strictEqual(inSpan._tag, "UnknownError")
      }).pipe(Effect.provide(guarded(layer)))
    }
  )

  it.effect("another summariser may be given", () => {
    const model = countingModel.make({ window: 8_000, summary: failing })
    return Effect.gen(function* () {
      yield* send(history(43))
      assert.strictEqual(model.summaries(), 0)
      assert.include(JSON.stringify(model.conversation()[0]!.prompt), "in short")
    }).pipe(
      Effect.provide(
        guarded(model.layer, { window: 8_000, summarizer: Summarizer.layerWith(() => Effect.succeed("in short")) })
      )
    )
  })
})
