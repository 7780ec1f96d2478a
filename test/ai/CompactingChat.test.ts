import * as Chat from "@effect/ai/Chat"
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as CompactingChat from "../../src/ai/CompactingChat.ts"
import * as LanguageModelAdapter from "../../src/ai/LanguageModelAdapter.ts"
import * as Agent from "../../src/layers/Agent.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Session from "../../src/layers/Session.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import { ContextWindowExceeded } from "../../src/errors/ModelError.ts"
import { historyOf, inChat, lastAsked, lines, script, summarizer, tooLong, unavailable, world } from "./chatWorld.ts"
import * as scripted from "./scriptedModel.ts"

const tools = Toolkit.make(
  Tool.make("read", { parameters: { path: Schema.String }, success: Schema.String }),
  Tool.make("count", { parameters: { text: Schema.String }, success: Schema.Struct({ words: Schema.Int }) })
)
const handlers = tools.toLayer({
  read: ({ path }) => Effect.succeed(`text of ${path}`),
  count: ({ text }) => Effect.succeed({ words: text.split(" ").length })
})

const said = (chat: CompactingChat.Service, prompt: Prompt.RawInput) =>
  Effect.map(chat.generateText({ prompt }), ({ text }) => text)

const streamed = (chat: CompactingChat.Service, prompt: Prompt.RawInput) =>
  Stream.runFold(chat.streamText({ prompt }), "", (text, part) =>
    part.type === "text-delta" ? text + part.delta : text
  )

describe("CompactingChat", () => {
  it.effect("goes on in another process where it stopped", () =>
    Effect.gen(function* () {
      yield* script(scripted.say("hello"), scripted.say("fine"), scripted.say("bye"))
      yield* inChat((chat) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* said(chat, "hi"), "hello")
          assert.strictEqual(yield* streamed(chat, "how are you?"), "fine")
        })
      )
      yield* inChat((chat) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello", "u: how are you?", "a: fine"])
          yield* said(chat, "bye")
          assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: how are you?", "a: fine", "u: bye"])
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("begins with a seed, or another chat's export, and only once", () =>
    Effect.gen(function* () {
      yield* script(scripted.say("hello"), scripted.say("again"))
      const seed = [
        { role: "system" as const, content: "Be terse." },
        { role: "user" as const, content: "before" },
        { role: "assistant" as const, content: "yes" }
      ]
      const exported = yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            yield* said(chat, "hi")
            assert.deepStrictEqual(yield* lastAsked, ["s: Be terse.", "u: before", "a: yes", "u: hi"])
            return yield* chat.export
          }),
        { seed }
      )
      const history = ["s: Be terse.", "u: before", "a: yes", "u: hi", "a: hello"]
      yield* inChat((chat) => Effect.map(historyOf(chat), (now) => assert.deepStrictEqual(now, history)), { seed })
      const { content } = exported as Prompt.PromptEncoded
      const other = yield* Effect.scoped(
        Effect.flatMap(CompactingChat.open("other", { seed: content, summarizer }), (chat) =>
          Effect.zip(historyOf(chat), chat.exportJson)
        )
      )
      assert.deepStrictEqual(other[0], history)
      assert.deepStrictEqual(JSON.parse(other[1]), exported)
    }).pipe(Effect.provide(world))
  )

  it.effect("is Effect AI's Chat for what uses it", () =>
    Effect.gen(function* () {
      yield* script(scripted.say("hello"))
      const chat = yield* Chat.Chat
      assert.strictEqual((yield* chat.generateText({ prompt: "hi" })).text, "hello")
    }).pipe(Effect.provide(CompactingChat.layer("c", { summarizer }).pipe(Layer.provideMerge(world))))
  )

  it.effect("compacts what it sends, and shows all that was said", () =>
    Effect.gen(function* () {
      const long = (n: number) => `${n} ${"word ".repeat(400)}`
      yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            for (let n = 0; n < 40; n++) {
              yield* script(scripted.say(long(n)))
              yield* n % 2 === 0 ? said(chat, long(n)) : streamed(chat, long(n))
            }
            assert.strictEqual((yield* historyOf(chat)).length, 81)
            const asked = yield* lastAsked
            assert.isBelow(asked.join("").length, 20_000)
            assert.strictEqual(asked[0], "s: Be terse.")
            assert.match(asked[1]!, /what was said/)
          }),
        { window: 4_000, seed: [{ role: "system", content: "Be terse." }] }
      )
      yield* script(scripted.say("yes"))
      yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* historyOf(chat)).length, 81)
            yield* said(chat, "still there?")
            assert.isBelow((yield* lastAsked).join("").length, 20_000)
          }),
        { window: 4_000 }
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("knows the window of a model that a preset knows, with the date of its snapshot too", () =>
    Effect.gen(function* () {
      const long = scripted.say("word ".repeat(60_000))
      yield* script(long, long, long, scripted.say("fine"))
      yield* inChat(
        (chat) =>
          Effect.gen(function* () {
            yield* said(chat, "tell me all")
            yield* said(chat, "more")
            yield* said(chat, "more")
            yield* said(chat, "and now?")
            assert.include((yield* lastAsked)[0], "what was said")
          }),
        { route: { provider: "anthropic", model: "claude-sonnet-4-5-20250929" } }
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("rescues a call that is refused as too long, streamed or not, once", () =>
    Effect.gen(function* () {
      const long = "word ".repeat(2_000)
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.say("noted"), scripted.say("noted"), tooLong, scripted.say("short"))
          yield* said(chat, long)
          yield* said(chat, long)
          assert.strictEqual(yield* said(chat, "and?"), "short")
          yield* script(scripted.say("noted"), tooLong, scripted.say("short again"))
          yield* said(chat, long)
          assert.strictEqual(yield* streamed(chat, "and?"), "short again")
          const history = yield* historyOf(chat)
          assert.deepStrictEqual(history.slice(-2), ["u: and?", "a: short again"])
          assert.strictEqual(history.length, 10)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("records the calls and results of a toolkit in their order, and sends them back as they were", () =>
    Effect.gen(function* () {
      yield* script(
        scripted.call(
          { id: "1", name: "count", params: { text: "a b" } },
          { id: "2", name: "read", params: { path: "x" } }
        ),
        scripted.say("done")
      )
      yield* inChat((chat) => chat.generateText({ prompt: "go", toolkit: tools }).pipe(Effect.provide(handlers)))
      yield* inChat((chat) =>
        Effect.gen(function* () {
          const expected = ["u: go", "a: call 1 | call 2", 't: result 1: {"words":2} | result 2: "text of x"']
          assert.deepStrictEqual(yield* historyOf(chat), expected)
          assert.strictEqual(yield* said(chat, []), "done")
          assert.deepStrictEqual(yield* lastAsked, expected)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("does not take a tool's overflow for its own", () =>
    Effect.gen(function* () {
      let runs = 0
      const asking = Toolkit.make(Tool.make("ask", { failure: Schema.Unknown }))
      const overflow = new ContextWindowExceeded({
        route: { provider: "unknown", model: "unknown" },
        detail: "a tool's"
      })
      const layer = asking.toLayer({ ask: () => Effect.suspend(() => (runs++, Effect.fail(overflow))) })
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.call({ id: "1", name: "ask" }))
          const failed = yield* Effect.flip(chat.generateText({ prompt: "go", toolkit: asking })).pipe(
            Effect.provide(layer)
          )
          assert.strictEqual(failed, overflow)
          assert.strictEqual(runs, 1)
          assert.deepStrictEqual(yield* historyOf(chat), [])
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves the history as it was where a call fails, and says the same prompt once", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          const failing: scripted.Line = () =>
            Stream.concat(Stream.fromIterable(scripted.text("so far")), Stream.fail(unavailable))
          yield* script(scripted.say("hello"), unavailable, failing, failing)
          yield* said(chat, "hi")
          assert.strictEqual(yield* Effect.flip(said(chat, "again")), unavailable)
          assert.strictEqual(yield* Effect.flip(streamed(chat, "again")), unavailable)
          assert.strictEqual(yield* Effect.flip(streamed(chat, "again")), unavailable)
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello"])
        })
      )
      // and in the next process
      yield* inChat((chat) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* historyOf(chat), ["u: hi", "a: hello"])
          yield* script(scripted.say("at last"))
          yield* streamed(chat, "again")
          assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: again"])
          yield* script(unavailable, scripted.say("else"))
          yield* Effect.flip(said(chat, "in vain"))
          yield* said(chat, "something else")
          assert.deepStrictEqual(yield* lastAsked, ["u: hi", "a: hello", "u: again", "a: at last", "u: something else"])
        })
      )
      yield* inChat((chat) =>
        Effect.map(historyOf(chat), (history) =>
          assert.deepStrictEqual(history, [
            "u: hi",
            "a: hello",
            "u: again",
            "a: at last",
            "u: something else",
            "a: else"
          ])
        )
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves the history as it was where an object does not fit its schema", () =>
    inChat((chat) =>
      Effect.gen(function* () {
        const schema = Schema.Struct({ n: Schema.Int })
        yield* script(scripted.say('{"n":"no"}'), scripted.say('{"n":3}'))
        assert.strictEqual(
          (yield* Effect.flip(chat.generateObject({ prompt: "a number", schema })))._tag,
          "MalformedOutput"
        )
        assert.deepStrictEqual(yield* historyOf(chat), [])
        assert.deepStrictEqual((yield* chat.generateObject({ prompt: "a number", schema })).value, { n: 3 })
        assert.deepStrictEqual(yield* historyOf(chat), ["u: a number", 'a: {"n":3}'])
      })
    ).pipe(Effect.provide(world))
  )

  it.effect("keeps the text of a stream that was left or interrupted", () =>
    Effect.gen(function* () {
      yield* inChat((chat) =>
        Effect.gen(function* () {
          const endless: scripted.Line = () => Stream.concat(Stream.fromIterable(scripted.text("so far")), Stream.never)
          yield* script(endless)
          yield* Stream.runHead(
            Stream.filter(chat.streamText({ prompt: "go on" }), ({ type }) => type === "text-delta")
          )
          assert.deepStrictEqual(yield* historyOf(chat), ["u: go on", "a: so far"])
          const seen = yield* Deferred.make<void>()
          yield* script(endless)
          const fiber = yield* Effect.fork(
            Stream.runForEach(chat.streamText({ prompt: "more" }), ({ type }) =>
              type === "text-delta" ? Deferred.succeed(seen, undefined) : Effect.void
            )
          )
          yield* Deferred.await(seen)
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(yield* historyOf(chat), ["u: go on", "a: so far", "u: more", "a: so far"])
        })
      )
      yield* inChat((chat) =>
        Effect.map(historyOf(chat), (history) =>
          assert.deepStrictEqual(history, ["u: go on", "a: so far", "u: more", "a: so far"])
        )
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("lets calls wait for each other", () =>
    inChat((chat) =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* script(
          () =>
            Stream.concat(
              Stream.drain(Stream.fromEffect(Deferred.await(gate))),
              Stream.fromIterable(scripted.say("one"))
            ),
          scripted.say("two"),
          scripted.say("three")
        )
        const first = yield* Effect.fork(streamed(chat, "first"))
        yield* Effect.yieldNow()
        const others = yield* Effect.fork(
          Effect.all([said(chat, "second"), streamed(chat, "third")], { concurrency: 2 })
        )
        yield* Effect.yieldNow()
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(others)
        assert.deepStrictEqual(yield* historyOf(chat), [
          "u: first",
          "a: one",
          "u: second",
          "a: two",
          "u: third",
          "a: three"
        ])
      })
    ).pipe(Effect.provide(world))
  )

  it.effect("keeps thinking with its signature, images and options through a log and a compaction", () =>
    Effect.gen(function* () {
      const image = Uint8Array.of(1, 2, 3)
      const prompt = Prompt.make([
        {
          role: "user",
          content: [
            { type: "text", text: "look", options: { anthropic: { cacheControl: { type: "ephemeral" } } } },
            { type: "file", mediaType: "image/png", data: image }
          ]
        }
      ])
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(scripted.say("old"), [
            { type: "reasoning-start", id: "0" },
            { type: "reasoning-delta", id: "0", delta: "a cat" },
            {
              type: "reasoning-delta",
              id: "0",
              delta: "",
              metadata: { anthropic: { type: "thinking", signature: "c2ln" } }
            },
            { type: "reasoning-end", id: "0" },
            ...scripted.say("A cat.")
          ])
          yield* said(chat, "word ".repeat(3_000))
          yield* Stream.runDrain(chat.streamText({ prompt }))
        })
      )
      yield* inChat((chat) =>
        Effect.gen(function* () {
          yield* script(tooLong, scripted.say("yes"))
          yield* said(chat, "sure?")
          const { asked } = yield* scripted.ScriptedModel
          const [refused, sent] = (yield* asked).slice(-2).map(({ prompt }) => prompt.content)
          assert.notDeepEqual(sent?.[0], refused?.[0])
          assert.deepStrictEqual(refused?.at(-3), prompt.content[0])
          assert.deepStrictEqual(sent?.at(-1), refused?.at(-1))
          const answer = Prompt.makeMessage("assistant", {
            content: [
              Prompt.makePart("reasoning", {
                text: "a cat",
                options: { anthropic: { type: "thinking", signature: "c2ln" } } as never
              }),
              Prompt.makePart("text", { text: "A cat." })
            ]
          })
          assert.deepStrictEqual(refused?.at(-2), answer)
        })
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("is another process's while that one has it", () =>
    inChat(() =>
      Effect.gen(function* () {
        const second = yield* Effect.exit(inChat(() => Effect.void))
        assert.isTrue(Exit.isFailure(second))
        assert.strictEqual((yield* Effect.flip(inChat(() => Effect.void)))._tag, "SessionLocked")
      })
    ).pipe(Effect.provide(world))
  )

  it.effect("closes calls that nobody answers, and takes results that come with the next prompt", () =>
    inChat((chat) =>
      Effect.gen(function* () {
        const called = () => script(scripted.call({ id: "1", name: "read", params: { path: "x" } }), scripted.say("ok"))
        const open = { prompt: "go", toolkit: tools, disableToolCallResolution: true } as const
        yield* called()
        yield* chat.generateText(open).pipe(Effect.provide(handlers))
        const result = Prompt.makePart("tool-result", {
          id: "1",
          name: "read",
          isFailure: false,
          result: "late",
          providerExecuted: false
        })
        yield* said(chat, Prompt.fromMessages([Prompt.makeMessage("tool", { content: [result] })]))
        assert.deepStrictEqual(yield* lastAsked, ["u: go", "a: call 1", 't: result 1: "late"'])
        yield* called()
        yield* chat.generateText(open).pipe(Effect.provide(handlers))
        yield* said(chat, "never mind")
        assert.match((yield* lastAsked).at(-2)!, /^t: result 1: .*aborted/)
      })
    ).pipe(Effect.provide(world))
  )

  it.effect("tells of its history whatever Ref is asked", () =>
    inChat((chat) =>
      Effect.gen(function* () {
        yield* Ref.set(chat.history, Prompt.make("a"))
        assert.deepStrictEqual(lines(yield* chat.history), ["u: a"])
        const before = yield* Ref.getAndUpdate(chat.history, Prompt.merge("b"))
        assert.deepStrictEqual(lines(before), ["u: a"])
        assert.deepStrictEqual(yield* Ref.modify(chat.history, (now) => [now.content.length, now]), 2)
      })
    ).pipe(Effect.provide(world))
  )

  it.effect("shares its session with AgentLoop, one at a time", () => {
    const adapter = LanguageModelAdapter.layer({ provider: "p", retry: false })
    const session = Session.layerOne("c").pipe(
      Layer.provide([Agent.layer({ provider: "p", model: "m" }), ToolRunner.layerNone, summarizer, adapter]),
      Layer.provideMerge(world)
    )
    return Effect.gen(function* () {
      const chat = yield* CompactingChat.make({ route: { provider: "p", model: "m" } })
      yield* script(scripted.say("one"), scripted.say("two"), scripted.say("three"))
      yield* AgentLoop.run("first")
      yield* said(chat, "second")
      yield* AgentLoop.run("third")
      yield* Ref.update(chat.history, Prompt.merge("added"))
      yield* script(scripted.say("four"))
      yield* said(chat, "fourth")
      const all = ["u: first", "a: one", "u: second", "a: two", "u: third", "a: three"]
      assert.deepStrictEqual(yield* lastAsked, [...all, "u: added", "u: fourth"])
      const gate = yield* Deferred.make<void>()
      const asked = yield* Deferred.make<void>()
      const waits = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(gate))
      yield* script(() =>
        Stream.concat(Stream.drain(Stream.fromEffect(waits)), Stream.fromIterable(scripted.say("five")))
      )
      const turn = yield* Effect.fork(AgentLoop.run("fifth"))
      yield* Deferred.await(asked)
      const busy = yield* Effect.flip(said(chat, "not now"))
      assert.match(busy.message, /is busy with turn/)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(turn)
      yield* script(scripted.say("six"))
      yield* said(chat, "sixth")
      assert.deepStrictEqual((yield* lastAsked).slice(-3), ["u: fifth", "a: five", "u: sixth"])
    }).pipe(Effect.provide(session))
  })
})
