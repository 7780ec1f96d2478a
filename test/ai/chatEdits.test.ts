import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type * as CompactingChat from "../../src/ai/CompactingChat.ts"
import { historyOf, inChat, lastAsked, lines, script, unavailable, world } from "./chatWorld.ts"
import * as scripted from "./scriptedModel.ts"

const say = (chat: CompactingChat.Service, prompt: string, answer: string) =>
  Effect.zipRight(script(scripted.say(answer)), chat.generateText({ prompt }))

/** The same chat in the next process. */
const reopened = (options?: CompactingChat.OpenOptions) => inChat(historyOf, options)

const dropLast = (count: number) => (history: Prompt.Prompt) => Prompt.fromMessages(history.content.slice(0, -count))

describe("edits of a chat's history", () => {
  it.effect("that add at the end are added, at once", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* Ref.update(chat.history, Prompt.merge("context"))
        })
      )
      assert.deepStrictEqual(yield* reopened(), ["u: hi", "a: hello", "u: context"])
      yield* inChat((chat) => say(chat, "and?", "so"))
      assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: context", "u: and?"])
    }).pipe(Effect.provide(world))
  )

  it.effect("that change the past are what the model sees next, and the next process too", () =>
    Effect.gen(function* () {
      const edited = ["u: hi", "a: hello", "u: two, edited", "a: 2, edited"]
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* say(chat, "two", "2")
          yield* say(chat, "three", "3")
          yield* Ref.update(chat.history, (history) =>
            Prompt.fromMessages([
              ...history.content.slice(0, 2),
              ...Prompt.make("two, edited").content,
              ...Prompt.make([{ role: "assistant", content: "2, edited" }]).content
            ])
          )
          assert.deepStrictEqual(yield* historyOf(chat), edited)
        })
      )
      assert.deepStrictEqual(yield* reopened(), edited)
      yield* inChat((chat) => say(chat, "and?", "so"))
      assert.deepStrictEqual(yield* lastAsked, [...edited, "u: and?"])
      assert.deepStrictEqual(yield* reopened(), [...edited, "u: and?", "a: so"])
    }).pipe(Effect.provide(world))
  )

  it.effect("that take back all or a part are kept", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* say(chat, "x", "y")
          yield* Ref.update(chat.history, dropLast(1))
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello", "u: x"])
        })
      )
      assert.deepStrictEqual(yield* reopened(), ["u: hi", "a: hello", "u: x"])
      yield* inChat((chat) => Ref.set(chat.history, Prompt.empty))
      assert.deepStrictEqual(yield* reopened({ seed: "not again" }), [])
      yield* inChat((chat) => say(chat, "anew", "yes"))
      assert.deepStrictEqual(yield* lastAsked, ["u: anew"])
      assert.deepStrictEqual(yield* reopened(), ["u: anew", "a: yes"])
    }).pipe(Effect.provide(world))
  )

  it.effect("of the system message reach the next request, whatever was compacted", () =>
    Effect.gen(function* () {
      const long = "word ".repeat(500)
      yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            yield* Ref.update(chat.history, Prompt.setSystem("Be terse."))
            yield* Ref.update(chat.history, Prompt.setSystem("Be kind."))
            yield* say(chat, "hi", "hello")
            assert.deepStrictEqual(yield* lastAsked, ["s: Be kind.", "u: hi"])
            for (let n = 0; n < 8; n++) yield* say(chat, long, long)
            assert.match((yield* lastAsked)[1]!, /what was said/)
            yield* Ref.update(chat.history, Prompt.setSystem("Be brief."))
            const { length } = yield* historyOf(chat)
            assert.strictEqual(length, 19)
            yield* say(chat, "last", "yes")
            const asked = yield* lastAsked
            assert.strictEqual(asked[0], "s: Be brief.")
            assert.isFalse(asked.includes("s: Be kind."))
            assert.strictEqual((yield* historyOf(chat)).length, 21)
          }),
        { window: 4_000 }
      )
      assert.strictEqual((yield* reopened({ window: 4_000 })).length, 21)
    }).pipe(Effect.provide(world))
  )

  it.effect("of what was summarised say the whole anew", () =>
    Effect.gen(function* () {
      const long = "word ".repeat(500)
      yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            yield* say(chat, "first", "1")
            for (let n = 0; n < 8; n++) yield* say(chat, long, long)
            yield* Ref.update(chat.history, (history) => Prompt.fromMessages(history.content.slice(0, 2)))
            yield* say(chat, "and?", "so")
            assert.deepStrictEqual(yield* lastAsked, ["u: first", "a: 1", "u: and?"])
          }),
        { window: 4_000 }
      )
      assert.deepStrictEqual(yield* reopened(), ["u: first", "a: 1", "u: and?", "a: so"])
    }).pipe(Effect.provide(world))
  )

  const tools = Toolkit.make(Tool.make("edit"))

  /** A turn whose tool changes the history. */
  const editing = (chat: CompactingChat.Service, change: (history: Prompt.Prompt) => Prompt.Prompt) =>
    Effect.gen(function* () {
      yield* script(scripted.call({ id: "1", name: "edit" }))
      yield* Stream.runDrain(chat.streamText({ prompt: "go", toolkit: tools }))
    }).pipe(Effect.provide(tools.toLayer({ edit: () => Ref.update(chat.history, change) })))

  it.effect("while a turn runs are not lost: what was added stands behind its answer", () =>
    Effect.gen(function* () {
      const expected = ["u: hi", "a: hello", "u: go", "a: call 1", "t: result 1: undefined", "u: added meanwhile"]
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* editing(chat, Prompt.merge("added meanwhile"))
          assert.deepStrictEqual(yield* historyOf(chat), expected)
        })
      )
      assert.deepStrictEqual(yield* reopened(), expected)
    }).pipe(Effect.provide(world))
  )

  it.effect("while a turn runs are not lost: a changed past has the turn's answer", () =>
    Effect.gen(function* () {
      const expected = ["s: Be kind.", "u: hi", "a: hello", "u: go", "a: call 1", "t: result 1: undefined"]
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* editing(chat, Prompt.setSystem("Be kind."))
          assert.deepStrictEqual(yield* historyOf(chat), expected)
          yield* say(chat, "and?", "so")
          assert.deepStrictEqual(yield* lastAsked, [...expected, "u: and?"])
        })
      )
      assert.deepStrictEqual(yield* reopened(), [...expected, "u: and?", "a: so"])
    }).pipe(Effect.provide(world))
  )

  it.effect("while a turn runs that then fails are not lost either", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* say(chat, "hi", "hello")
          yield* script(() =>
            Stream.unwrap(Effect.as(Ref.update(chat.history, Prompt.merge("added")), Stream.fail(unavailable)))
          )
          yield* Effect.flip(chat.generateText({ prompt: "in vain" }))
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello", "u: added"])
          yield* say(chat, "in vain", "not")
          assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: added", "u: in vain"])
        })
      )
      assert.deepStrictEqual(yield* reopened(), ["u: hi", "a: hello", "u: added", "u: in vain", "a: not"])
    }).pipe(Effect.provide(world))
  )

  // what an application may do, in any order: every process sees what the one before it saw, and the model all of it
  type Step =
    | { readonly _tag: "Call"; readonly text: string; readonly fails: boolean; readonly streams: boolean }
    | { readonly _tag: "Add"; readonly role: "user" | "system" | "assistant"; readonly text: string }
    | { readonly _tag: "Take"; readonly from: number; readonly count: number }
    | { readonly _tag: "Reopen" }
  const word = FastCheck.constantFrom("", "a", "one", "some longer words")
  const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
    FastCheck.record({
      _tag: FastCheck.constant("Call" as const),
      text: FastCheck.constantFrom("a", "b", "some question"),
      fails: FastCheck.boolean(),
      streams: FastCheck.boolean()
    }),
    FastCheck.record({
      _tag: FastCheck.constant("Add" as const),
      role: FastCheck.constantFrom("user" as const, "system" as const, "assistant" as const),
      text: word
    }),
    FastCheck.record({ _tag: FastCheck.constant("Take" as const), from: FastCheck.nat(8), count: FastCheck.nat(3) }),
    FastCheck.constant<Step>({ _tag: "Reopen" })
  )

  const taken = (
    messages: ReadonlyArray<Prompt.Message>,
    { count, from }: { readonly from: number; readonly count: number }
  ) => messages.filter((_, i) => i < from || i >= from + count)

  it.effect.prop(
    "leave the same history in every order",
    [FastCheck.array(step, { maxLength: 10 })],
    ([steps]) =>
      Effect.gen(function* () {
        let expected: ReadonlyArray<Prompt.Message> = []
        const rest = [...steps]
        let answers = 0
        while (rest.length > 0) {
          yield* inChat((chat) =>
            Effect.gen(function* () {
              assert.deepStrictEqual(yield* historyOf(chat), lines(Prompt.fromMessages(expected)))
              for (let one = rest.shift(); one !== undefined && one._tag !== "Reopen"; one = rest.shift()) {
                if (one._tag === "Add") {
                  const added = Prompt.make([{ role: one.role, content: one.text }])
                  expected = [...expected, ...added.content]
                  yield* Ref.update(chat.history, Prompt.merge(added))
                } else if (one._tag === "Take") {
                  expected = taken(expected, one)
                  const now = one
                  yield* Ref.update(chat.history, ({ content }) => Prompt.fromMessages(taken(content, now)))
                } else {
                  const answer = `answer ${++answers}`
                  const prompt = Prompt.make(one.text)
                  const asked = lines(Prompt.fromMessages([...expected, ...prompt.content]))
                  yield* script(one.fails ? unavailable : scripted.say(answer))
                  const call = one.streams
                    ? Stream.runDrain(chat.streamText({ prompt }))
                    : chat.generateText({ prompt })
                  const exit = yield* Effect.either(call)
                  assert.strictEqual(exit._tag, one.fails ? "Left" : "Right")
                  // an answer that says nothing is none for a model
                  assert.deepStrictEqual(
                    yield* lastAsked,
                    asked.filter((line) => line !== "a: ")
                  )
                  if (!one.fails) {
                    const said = Prompt.make([{ role: "assistant", content: answer }])
                    expected = [...expected, ...prompt.content, ...said.content]
                  }
                }
                assert.deepStrictEqual(yield* historyOf(chat), lines(Prompt.fromMessages(expected)))
              }
            })
          )
        }
        assert.deepStrictEqual(yield* reopened(), lines(Prompt.fromMessages(expected)))
      }).pipe(Effect.provide(world)),
    { fastCheck: { numRuns: 40 } }
  )
})
