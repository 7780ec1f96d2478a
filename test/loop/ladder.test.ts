import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import {
  asked,
  history,
  inSession,
  layerSession,
  Logged,
  long,
  next,
  sent,
  tool,
  turnEvents,
  turnLines,
  words,
  world
} from "./world.ts"

const { call, on, say, status } = SimulatedProvider

const huge = words(6_000, "line")
const tools = { read: tool(() => Effect.succeed(huge)) }
const read = call(Message.toolCall("c1", "read", { path: "log.txt" }))

/** What a provider may say that knows its window and keeps it to itself. */
const tooLong = on("conversation", status(400, { error: { message: "too long", code: "context_length_exceeded" } }))

/** Only what the test is about: the first two rungs. */
const withoutTighter = layerSession(
  CompactService.layerWith({ rungs: (rungs) => rungs.filter(({ name }) => name === "prune" || name === "summarise") })
)

describe("the overflow ladder, through the loop and over HTTP", () => {
  it.live(
    "one huge tool result as the newest unit: prune alone lands, and the request goes out again [A63 A101 LOOP-11 RACE-6]",
    () =>
      Effect.gen(function* () {
        yield* next(read, say("done"))
        const events = yield* turnEvents("Read the log")
        assert.deepInclude(
          events.find(({ _tag }) => _tag === "Compacted"),
          { trigger: "context-overflow", rungs: ["prune"], generation: 1 }
        )
        assert.deepInclude(events.at(-1), { text: "done" })
        assert.deepStrictEqual(yield* asked, ["conversation answered", "conversation refused", "conversation answered"])
        assert.include(yield* sent(1), huge)
        assert.notInclude(yield* sent(2), huge)
        assert.include(yield* sent(2), "characters were removed here to save room")
        assert.strictEqual(yield* Surface.generation, 1)
        const lines = yield* turnLines
        // the tool ran once
        assert.lengthOf(
          lines.filter((line) => line === "message/tool-result c1"),
          1
        )
        assert.deepStrictEqual(lines.slice(lines.indexOf("step/end 1 refused")), [
          "step/end 1 refused",
          "compaction/prune",
          "message/tool-result c1 replaces",
          "rescue/end retry",
          "step/start 2",
          "message/assistant",
          "step/end 2 completed",
          "turn/end 0 completed"
        ])
      }).pipe(inSession, Effect.provide(world({ tools })))
  )

  it.live("prune, then a summary that fails: sent again on what the prune did [A102]", () =>
    Effect.gen(function* () {
      // reported as more than it is, so that the ladder goes on after the prune
      yield* next(say("noted", { usage: { input: 3_200 } }))
      yield* AgentLoop.run(words(1_500, "ancient"))
      yield* next({ ...read, usage: { input: 3_200 } }, on("summary", status(500)), say("done"))
      const events = yield* turnEvents("Read the log")
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "Compacted"),
        { rungs: ["prune"], generation: 1 }
      )
      assert.deepInclude(events.at(-1), { text: "done" })
      // the same summary is not asked for a second time
      assert.deepStrictEqual((yield* asked).slice(2), [
        "conversation refused",
        "summary faulted",
        "conversation answered"
      ])
      const lines = yield* turnLines
      assert.deepStrictEqual(lines.slice(lines.indexOf("compaction/prune"), lines.indexOf("step/start 2")), [
        "compaction/prune",
        "message/tool-result c1 replaces",
        "compaction/start context-overflow",
        "compaction/call model",
        "compaction/end failed",
        "rescue/end retry"
      ])
      assert.isNotEmpty(yield* (yield* Logged).warnings)
    }).pipe(Effect.provide(withoutTighter), Effect.provide(world({ tools })))
  )

  it.live("a result that no budget cuts, and the window cannot hold: cut further, and retried", () =>
    Effect.gen(function* () {
      yield* next(read, say("done"))
      const events = yield* turnEvents("Read the log")
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "Compacted"),
        { rungs: ["prune-tighter"], generation: 1 }
      )
      assert.deepInclude(events.at(-1), { text: "done" })
      assert.include(yield* sent(2), "characters were removed here to save room")
    }).pipe(
      inSession,
      Effect.provide(world({ tools: { read: tool(() => Effect.succeed(words(1_500, "word"))) }, window: 1_300 }))
    )
  )

  it.live("where nobody knows a figure, a prune is followed by a summary", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)))
      yield* AgentLoop.run("first")
      yield* next(read, tooLong, say("done"))
      const events = yield* turnEvents("Read the log")
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "Compacted"),
        { rungs: ["prune", "summarise"], generation: 2 }
      )
      assert.notInclude(yield* sent(4), "ancient ancient")
    }).pipe(inSession, Effect.provide(world({ tools, told: null, window: 20_000 })))
  )

  it.live("where nobody knows a figure, a small window leaves room for a summary too [A107]", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 4; i++) {
        yield* next(say(long(400, `old${i}`)))
        yield* AgentLoop.run(`Question ${i}`)
      }
      yield* next(tooLong, say("done"))
      assert.strictEqual((yield* AgentLoop.run(words(1_500))).text, "done")
      assert.deepStrictEqual((yield* asked).slice(4), [
        "conversation faulted",
        "summary answered",
        "summary answered",
        "summary answered",
        "conversation answered"
      ])
    }).pipe(inSession, Effect.provide(world({ told: null })))
  )

  it.live("the summary request is the conversation's own, with one closing instruction [A76 BADSUM-5]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say("done"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run(words(2_600))
      const { messages } = JSON.parse(yield* sent(2)) as { messages: ReadonlyArray<{ role: string; content: string }> }
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["system", "user", "assistant", "user"]
      )
      assert.strictEqual(messages[2]?.content, long(1_500))
      assert.match(messages[3]?.content ?? "", /^Summarise/)
    }).pipe(inSession, Effect.provide(world({ system: "You are terse." })))
  )

  it.live(
    "a prompt that the window cannot hold: cut, with the seq that holds the whole, and retried [P28 SUMREQ-6]",
    () =>
      Effect.gen(function* () {
        yield* next(say("done"))
        const events = yield* turnEvents(words(5_000))
        assert.deepInclude(
          events.find(({ _tag }) => _tag === "Compacted"),
          { rungs: ["prune-tighter"], generation: 1 }
        )
        const prompt = (yield* history).find((event) => event.type === "message/user")
        assert.include(yield* sent(1), `the whole is seq ${prompt?.seq}`)
      }).pipe(inSession, Effect.provide(world()))
  )

  it.live("a summariser that fails: what stands before the newest message is replaced without a model", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)))
      yield* AgentLoop.run("first")
      yield* next(on("summary", status(500)), say("done"))
      const events = yield* turnEvents(words(2_600, "newest"))
      assert.deepInclude(
        events.find(({ _tag }) => _tag === "Compacted"),
        { rungs: ["extract"], generation: 1 }
      )
      const again = yield* sent(3)
      assert.include(again, words(2_600, "newest"))
      assert.include(again, "The last answer began: Noted.")
      assert.notInclude(again, words(300, "ancient"))
      const lines = yield* turnLines
      assert.deepStrictEqual(
        lines.slice(lines.indexOf("compaction/end failed") + 1, lines.indexOf("rescue/end retry")),
        ["compaction/start context-overflow", "compaction/summary", "message/user checkpoint", "compaction/end landed"]
      )
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("nothing that could go: the provider's error, and no summary is paid for [A104]", () =>
    Effect.gen(function* () {
      yield* next(read)
      const error = yield* Effect.flip(AgentLoop.run("Read the log"))
      assert.deepInclude(error, { _tag: "ContextWindowExceeded", limit: 4_000 })
      assert.deepStrictEqual(yield* asked, ["conversation answered", "conversation refused"])
      assert.deepStrictEqual((yield* turnLines).slice(-3), [
        "step/end 1 refused",
        "rescue/end declined",
        "turn/end 0 failed"
      ])
    }).pipe(inSession, Effect.provide(world({ tools, policy: { prune: false } })))
  )
})
