import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { headings, instruction } from "../../src/compaction/SummaryInstruction.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { ask, finishOf, provider, textOf, world } from "./asking.ts"

const { refuse, say, slow, stall, status } = SimulatedProvider

const words = (count: number) => Message.user("word ".repeat(count))
const asksForSummary = Message.user(instruction({ maxTokens: 400 }))

const usage = (parts: Parameters<typeof finishOf>[0]) => {
  const finish = finishOf(parts)
  return finish?.type === "finish" ? finish.usage : undefined
}

describe("what the simulated provider can be made to get wrong", () => {
  it.live("counts by another factor: the input, the output, and what is over the window", () =>
    Effect.gen(function* () {
      const parts = yield* ask([words(600)], { maxOutputTokens: 3 })
      // 600 words and their framing, and the answer cut at what it calls 3 tokens
      assert.isAbove(usage(parts)?.inputTokens ?? 0, 1_010)
      assert.isBelow(usage(parts)?.inputTokens ?? 0, 1_050)
      assert.strictEqual(textOf(parts), "one")
      const error = yield* Effect.flip(ask([words(1_300)]))
      assert.deepInclude(error, { _tag: "ContextWindowExceeded", limit: 2_000 })
    }).pipe(
      Effect.provide(world({ window: 2_000, countingFactor: 1.7, answers: () => say("one two three four five") }))
    )
  )

  for (const as of ["deepseek", "openai"] as const) {
    it.live(`refuses without a figure, as ${as}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask([words(600)]))
        assert.strictEqual(error._tag, "ContextWindowExceeded")
        assert.notProperty(error, "limit")
        assert.notProperty(error, "requested")
      }).pipe(Effect.provide(world({ as, window: 500, statedWindow: null })))
    )

    it.live(`states another window than the true one, as ${as}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask([words(600)]))
        // a limit above what was refused is nobody's limit: the words carry it, and the classifier leaves it alone
        assert.match(JSON.stringify(error), /9,?000/)
        assert.notProperty(error, "limit")
      }).pipe(Effect.provide(world({ as, window: 500, statedWindow: 9_000 })))
    )
  }

  it.live("drops the oldest without a word, and reports what it kept", () =>
    Effect.gen(function* () {
      const parts = yield* ask([words(200), Message.assistant("ok ".repeat(200)), words(200), words(100)], {
        system: "Be terse."
      })
      assert.strictEqual(textOf(parts), "system user user")
      assert.isBelow(usage(parts)?.inputTokens ?? Infinity, 400)
      // one message alone that does not fit is cut too
      assert.isAtMost(usage(yield* ask([words(900)]))?.inputTokens ?? Infinity, 400)
      const recorded = yield* (yield* provider).requests
      assert.deepStrictEqual(
        recorded.map(({ outcome }) => outcome),
        ["answered", "answered"]
      )
      assert.isAbove(recorded[0]?.inputTokens ?? 0, 600)
    }).pipe(
      Effect.provide(
        world({
          window: 400,
          truncates: true,
          answers: ({ messages }) => say(messages.map(({ role }) => role).join(" "))
        })
      )
    )
  )

  it.live("has a gateway that refuses for bytes, summaries too, and reads nothing", () =>
    Effect.gen(function* () {
      const image = Message.user([
        { type: "image", source: { type: "base64", base64: "A".repeat(4_000) }, mediaType: "image/png" }
      ])
      const errors = [
        yield* Effect.flip(ask([image])),
        yield* Effect.flip(ask([words(1_500)])),
        yield* Effect.flip(ask([words(1_500), asksForSummary]))
      ]
      for (const error of errors) assert.deepInclude(error, { _tag: "PayloadTooLarge", status: 413 })
      assert.strictEqual(textOf(yield* ask("short")), "ok")
      assert.deepStrictEqual(
        (yield* (yield* provider).requests).map(({ kind, outcome }) => `${kind} ${outcome}`),
        ["conversation too-large", "conversation too-large", "summary too-large", "conversation answered"]
      )
    }).pipe(
      Effect.provide(world({ byteLimit: 4_000, answers: () => say("ok") }, undefined, { quirks: { images: "parts" } }))
    )
  )

  it.live("can be without a cache", () =>
    Effect.gen(function* () {
      yield* ask([words(500)])
      assert.deepInclude(usage(yield* ask([words(500)])), { cachedTokens: 0 })
    }).pipe(Effect.provide(world({ cache: false, answers: () => say("ok") })))
  )

  it.live("lets a rule say what comes of each summary", () =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      for (let i = 0; i < 3; i++) {
        const asked = ask([words(10), asksForSummary])
        tags.push(yield* Effect.match(asked, { onFailure: ({ _tag }) => _tag, onSuccess: textOf }))
      }
      tags.push((yield* Effect.flip(ask([words(900), asksForSummary])))._tag)
      assert.deepStrictEqual(tags, ["ProviderUnavailable", "short", "short", "ContextWindowExceeded"])
      // what the script has goes first, and the conversation is none of the rule's
      yield* (yield* provider).next(SimulatedProvider.on("summary", status(429)), say("conversation"))
      assert.strictEqual((yield* Effect.flip(ask([asksForSummary])))._tag, "RateLimited")
      assert.strictEqual(textOf(yield* ask([words(900)])), "conversation")
    }).pipe(
      Effect.provide(
        world({
          summaries: ({ index, inputTokens }) =>
            inputTokens > 1_000 ? refuse : index === 0 ? status(500) : say("short")
        })
      )
    )
  )

  it.live("can be slow: what is given up meanwhile is over", () =>
    Effect.gen(function* () {
      const { next, requests, settled } = yield* provider
      yield* next(slow(5, say("late")), slow(600_000, say("never")), slow(600_000, stall()))
      assert.strictEqual(textOf(yield* ask("a")), "late")
      for (const index of [1, 2]) {
        const waiting = yield* Effect.fork(ask("b"))
        yield* requests.pipe(Effect.delay("2 millis"), Effect.repeat({ until: (all) => all.length > index }))
        yield* Fiber.interrupt(waiting)
        assert.strictEqual((yield* settled(index)).outcome, "abandoned")
      }
    }).pipe(Effect.provide(world()))
  )

  for (const maxTokens of [60, 400]) {
    it.live(`summarises under all the headings of our instruction, in ${maxTokens} tokens`, () =>
      Effect.gen(function* () {
        const said = [
          Message.user("Fix src/math/add.ts."),
          Message.assistant([
            Message.textBlock("I look. Then I fix."),
            Message.toolCall("c1", "read", { path: "src/math/add.ts" })
          ]),
          Message.toolResult({ id: "c1", name: "read", content: "TypeError: x failed" })
        ]
        // a reminder may stand behind the instruction
        const more = [Message.assistant("done"), Message.user("The answer has no headings.")]
        for (const messages of [
          [...said, asksForSummary],
          [...said, asksForSummary, ...more]
        ]) {
          const text = textOf(yield* ask(messages, { maxOutputTokens: maxTokens }))
          const found = text.split("\n").filter((line) => line.startsWith("## "))
          assert.deepStrictEqual(
            found,
            headings.map((heading) => `## ${heading}`)
          )
          if (maxTokens === 400) {
            for (const fact of ["src/math/add.ts", "read (1 times)", "TypeError: x failed", "I look."]) {
              assert.include(text, fact)
            }
          }
          assert.notInclude(text, "no headings")
        }
      }).pipe(Effect.provide(world()))
    )
  }
})
