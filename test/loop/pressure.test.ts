import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import {
  asked,
  history,
  inSession,
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

const conversation = Array.from({ length: 8 }, (_, i) => Message.user(`Part ${i}. ${words(450, "ancient")}`))

describe("pressure, through the loop and over HTTP", () => {
  it.live("is taken off before the first request of a session [A45 P14 MEASURE-7 USAGE-2 USAGE-4 SUBAGENT-2]", () =>
    Effect.gen(function* () {
      yield* Surface.append(...conversation)
      yield* next(say("done"))
      const events = yield* turnEvents("Go on")
      assert.deepInclude(events[0], { _tag: "Compacted", trigger: "pressure", rungs: ["summarise"] })
      assert.deepStrictEqual(yield* asked, ["summary answered", "summary answered", "conversation answered"])
      assert.notInclude(yield* sent(2), "Part 0. ancient")
      assert.deepInclude(yield* Surface.messages, conversation.at(-1)!)
      const lines = yield* turnLines
      assert.deepStrictEqual(lines.slice(0, 4), [
        "turn/start 0",
        "message/user prompt",
        "request/envelope",
        "compaction/start pressure"
      ])
      assert.isBelow(lines.indexOf("compaction/end landed"), lines.indexOf("step/start 0"))
    }).pipe(inSession, Effect.provide(world({ told: 4_000 })))
  )

  it.live("is taken off after a step, before its end [A94 MEASURE-3 MEASURE-6 MEASURE-8 CONTINUE-3 CONTINUE-5]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)))
      yield* AgentLoop.run("first")
      yield* next(call(Message.toolCall("c1", "read", {})), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Read")).text, "done")
      assert.notInclude(yield* asked, "conversation refused")
      const lines = yield* turnLines
      assert.deepStrictEqual(lines.slice(lines.indexOf("message/tool-result c1"), lines.indexOf("step/start 1")), [
        "message/tool-result c1",
        "compaction/start pressure",
        "compaction/call completed",
        "compaction/summary",
        "message/user checkpoint",
        "compaction/end landed",
        "step/end 0 completed"
      ])
    }).pipe(
      inSession,
      Effect.provide(world({ told: 4_000, tools: { read: tool(() => Effect.succeed(words(1_900))) } }))
    )
  )

  it.live("that cannot be taken off fails no turn, and is warned about [A96 SETTING-3]", () =>
    Effect.gen(function* () {
      yield* Surface.append(...conversation)
      yield* next(on("summary", status(500)), on("summary", status(500)), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Go on")).text, "done")
      assert.strictEqual(yield* Surface.generation, 0)
      assert.isNotEmpty(yield* (yield* Logged).warnings)
      assert.include(yield* turnLines, "compaction/end failed")
    }).pipe(inSession, Effect.provide(world({ told: 4_000, window: 5_000 })))
  )

  it.live("auto: false does nothing about it, nor about an overflow [A98 P44 SETTING-5 OPPOSITES-8a]", () =>
    Effect.gen(function* () {
      yield* Surface.append(...conversation)
      yield* next(say("done"))
      assert.strictEqual((yield* AgentLoop.run("Go on")).text, "done")
      const error = yield* Effect.flip(AgentLoop.run(long(2_000)))
      assert.strictEqual(error._tag, "ContextWindowExceeded")
      assert.deepStrictEqual(yield* asked, ["conversation answered", "conversation refused"])
      assert.strictEqual(yield* Surface.generation, 0)
      const ended = (yield* history).at(-1)
      assert.deepInclude(ended?.type === "turn/end" ? ended.data : {}, {
        outcome: "failed",
        error: { tag: error._tag, message: error.message }
      })
    }).pipe(inSession, Effect.provide(world({ told: 4_000, window: 5_000, policy: { auto: false } })))
  )

  it.live(
    "in an unknown window is nobody's business: one warning a route, and an overflow is rescued all the same [A43 A97 A107 P21]",
    () =>
      Effect.gen(function* () {
        yield* Surface.append(...conversation)
        yield* next(say("one"), say("two"))
        yield* AgentLoop.run("Go on")
        yield* AgentLoop.run("Go on")
        const warnings = yield* (yield* Logged).warnings
        assert.lengthOf(warnings, 1)
        assert.include(warnings[0], "unknown")
        assert.deepStrictEqual(yield* asked, ["conversation answered", "conversation answered"])
        yield* next(say("three"))
        assert.strictEqual((yield* AgentLoop.run(long(1_500))).text, "three")
        assert.deepStrictEqual((yield* asked).slice(2), [
          "conversation refused",
          "summary answered",
          "summary answered",
          "conversation answered"
        ])
      }).pipe(inSession, Effect.provide(world({ told: null, window: 5_000 })))
  )
})
