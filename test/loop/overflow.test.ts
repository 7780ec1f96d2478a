import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import {
  asked,
  history,
  inSession,
  long,
  next,
  onSurface,
  provider,
  sent,
  turnEvents,
  turnLines,
  words,
  world
} from "./world.ts"

const { say } = SimulatedProvider

describe("an overflow, through the loop and over HTTP", () => {
  it.live(
    "before the first byte: compacted, and sent again as a new step without the old text [A99 A110 SUMREQ-10 MEASURE-11 CLASSIFY-6 GROW-8 USAGE-3 HEADROOM-4]",
    () =>
      Effect.gen(function* () {
        yield* next(say(long(1_500)), say("done"))
        yield* AgentLoop.run("first")
        const events = yield* turnEvents(words(2_600, "newest"))
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["StepStarted", "StepDiscarded", "Compacted", "StepStarted", "TextDelta", "TurnEnd"]
        )
        assert.deepInclude(events.at(-1), { outcome: "completed", text: "done" })
        assert.deepStrictEqual(yield* asked, [
          "conversation answered",
          "conversation refused",
          "summary answered",
          "conversation answered"
        ])
        assert.include(yield* sent(1), "ancient ancient")
        const again = yield* sent(3)
        assert.notInclude(again, "ancient ancient")
        assert.include(again, words(2_600, "newest"))
        const requests = yield* (yield* provider).requests
        assert.isBelow(requests[3]?.inputTokens ?? Infinity, requests[1]?.inputTokens ?? 0)
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(inSession, Effect.provide(world()))
  )

  it.live("closes step n before step n + 1 opens, the rescue between them [A113]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say("done"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run(words(2_600))
      assert.deepStrictEqual(yield* turnLines, [
        "turn/start 1",
        "message/user prompt",
        "step/start 0",
        "step/end 0 refused",
        "compaction/start context-overflow",
        "compaction/call completed",
        "compaction/summary",
        "message/user checkpoint",
        "compaction/end landed",
        "rescue/end retry",
        "step/start 1",
        "message/assistant",
        "step/end 1 completed",
        "turn/end 1 completed"
      ])
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("inside the stream: the partial text is taken back, and nothing of it stays [A110 P6 P42]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), SimulatedProvider.refuseInStream("half a thought"), say("done"))
      yield* AgentLoop.run("first")
      const events = yield* turnEvents(words(2_300, "newest"))
      assert.deepStrictEqual(
        events.map((event) => (event._tag === "TextDelta" ? `${event.step} ${event.delta}` : event._tag)),
        ["StepStarted", "0 half a thought", "StepDiscarded", "Compacted", "StepStarted", "1 done", "TurnEnd"]
      )
      assert.deepInclude(events[2], { step: 0 })
      assert.deepStrictEqual(yield* asked, [
        "conversation answered",
        "conversation refused",
        "summary answered",
        "conversation answered"
      ])
      assert.notInclude(yield* onSurface, "half a thought")
      assert.notInclude(yield* sent(3), "half a thought")
      assert.notInclude((yield* turnLines).slice(0, 5), "message/assistant")
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("the refusal is on record: what the provider said of limit and size [P9 A113]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say("done"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run(words(2_600))
      const { inputTokens } = yield* (yield* provider).settled(1)
      const { routes } = yield* (yield* Surface.Surface).state
      assert.deepInclude([...routes.values()][0], { limit: 4_000, limitCounts: "input-and-output" })
      const ends = (yield* history).filter((event) => event.type === "step/end")
      assert.deepInclude(ends[1]?.data, {
        outcome: "refused",
        limit: 4_000,
        limitCounts: "input-and-output",
        requested: inputTokens
      })
    }).pipe(inSession, Effect.provide(world()))
  )
})
