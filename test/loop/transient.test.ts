import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Sessions from "../../src/layers/Sessions.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, inSession, logLines, long, next, turnEvents, turnLines, words, world } from "./world.ts"

const { cut, drop, on, rateLimited, say, status } = SimulatedProvider

const retry = { times: 2, base: 1 }
const unavailable = on("conversation", status(503, { error: { message: "overloaded" } }))
const tooLong = on("conversation", status(400, { error: { message: "too long", code: "context_length_exceeded" } }))

describe("transient failures, through the loop and over HTTP", () => {
  it.live("and overflows have budgets of their own: neither uses up the other's [A111]", () =>
    Effect.gen(function* () {
      yield* next(say(long(4_000)))
      yield* AgentLoop.run("first")
      // both of the transient ones, the overflow, and both of the transient ones again
      yield* next(unavailable, unavailable, tooLong, unavailable, unavailable, say("done"))
      assert.strictEqual((yield* AgentLoop.run("second")).text, "done")
      assert.deepStrictEqual((yield* asked).slice(1), [
        "conversation faulted",
        "conversation faulted",
        "conversation faulted",
        "summary answered",
        "summary answered",
        "conversation faulted",
        "conversation faulted",
        "conversation answered"
      ])
      const lines = yield* turnLines
      assert.deepStrictEqual(
        lines.filter((line) => line.startsWith("step/")),
        ["step/start 0", "step/end 0 refused", "step/start 1", "step/end 1 completed"]
      )
    }).pipe(inSession, Effect.provide(world({ retry, told: null, window: 20_000 })))
  )

  it.live("are told to whoever watches the turn, or all sessions, and a half answer is not asked for again", () =>
    Effect.gen(function* () {
      yield* next(on("conversation", rateLimited("0")), unavailable, say("done"))
      const watched = yield* Effect.fork(
        Stream.runCollect(
          Stream.takeUntil(
            yield* Effect.map(Sessions.Sessions, ({ events }) => events),
            ([, { _tag }]) => _tag === "TurnEnd"
          )
        )
      )
      yield* Effect.yieldNow()
      const events = yield* Sessions.use("s", turnEvents("Go"))
      const repeated = events.filter(({ _tag }) => _tag === "RequestRepeated")
      assert.deepStrictEqual(repeated[0], {
        _tag: "RequestRepeated",
        step: 0,
        attempt: 1,
        // a server that asks for no wait gets our own
        delay: 1,
        error: "RateLimited",
        retryAfter: 0
      })
      assert.deepInclude(repeated[1], { step: 0, attempt: 2, error: "ProviderUnavailable" })
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["StepStarted", "RequestRepeated", "RequestRepeated", "TextDelta", "TurnEnd"]
      )
      const all = Chunk.toReadonlyArray(yield* Fiber.join(watched)).map(([, event]) => event)
      assert.includeDeepMembers(all, repeated)
      yield* next(on("conversation", cut("half an ")))
      const half = yield* Sessions.use("s", Effect.flip(AgentLoop.run("Go on")))
      assert.strictEqual(half._tag, "ProviderUnavailable")
      assert.lengthOf(yield* asked, 4)
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(), world({ retry }))))
  )

  for (const [what, fault] of [
    ["a connection that drops", on("summary", drop)],
    ["a server that fails", on("summary", status(500))]
  ] as const) {
    it.live(`${what} once does not cost the summary [TRANSIENT-1 TRANSIENT-2]`, () =>
      Effect.gen(function* () {
        yield* next(say(long(1_500)), say("done"), fault)
        yield* AgentLoop.run("first")
        yield* AgentLoop.run(words(100))
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
        assert.deepStrictEqual((yield* asked).slice(2), ["summary faulted", "summary answered"])
        assert.include(yield* logLines, "compaction/call completed")
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(inSession, Effect.provide(world({ retry, told: 4_000 })))
    )
  }
})
