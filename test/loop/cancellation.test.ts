import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Session from "../../src/layers/Session.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import {
  arrived,
  asked,
  history,
  inSession,
  long,
  next,
  onSurface,
  provider,
  turnLines,
  words,
  world
} from "./world.ts"

const { on, say, stall } = SimulatedProvider

/** A turn whose second request is a summary that never ends, in a fiber that nobody waits for. */
const inRecovery = Effect.gen(function* () {
  yield* next(say(long(1_500)), on("summary", stall()), say("never said"))
  yield* AgentLoop.run("first")
  const turn = yield* Effect.forkDaemon(AgentLoop.run(words(2_600)))
  yield* arrived(2)
  return turn
})

const recoveryInterrupted = [
  "turn/start 1",
  "message/user prompt",
  "step/start 0",
  "step/end 0 refused",
  "compaction/start context-overflow",
  "compaction/call interrupted",
  "compaction/end interrupted",
  "turn/end 1 interrupted"
]

const abandoned = ["conversation answered", "conversation refused", "summary abandoned"]

describe("cancellation, through the loop and over HTTP", () => {
  it.live(
    "during the request: the connection is closed, what was said is kept, and nothing more is sent [ATOMIC-6]",
    () =>
      Effect.gen(function* () {
        yield* next(stall("half a thought"))
        const begun = yield* Deferred.make<void>()
        const turn = yield* AgentLoop.prompt("first").pipe(
          Stream.runForEach((event) => (event._tag === "TextDelta" ? Deferred.succeed(begun, undefined) : Effect.void)),
          Effect.fork
        )
        yield* Deferred.await(begun)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(turn)))
        assert.strictEqual((yield* (yield* provider).settled(0)).outcome, "abandoned")
        assert.deepStrictEqual(yield* turnLines, [
          "turn/start 0",
          "message/user prompt",
          "request/envelope",
          "step/start 0",
          "message/assistant",
          "step/end 0 interrupted",
          "turn/end 0 interrupted"
        ])
        const kept = (yield* history).find((event) => event.type === "message/assistant")
        assert.deepInclude(kept?.data, { interrupted: true })
        assert.include(yield* onSurface, "half a thought")
        assert.lengthOf(yield* asked, 1)
        assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Idle" })
      }).pipe(inSession, Effect.provide(world()))
  )

  it.live("during recovery: the summary's connection is closed, one end record, no retry [A77 A114]", () =>
    Effect.gen(function* () {
      const turn = yield* inRecovery
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(turn)))
      assert.strictEqual((yield* (yield* provider).settled(2)).outcome, "abandoned")
      assert.deepStrictEqual(yield* turnLines, recoveryInterrupted)
      assert.deepStrictEqual(yield* asked, abandoned)
      // the session goes on, and the rescue with it
      assert.strictEqual((yield* AgentLoop.run("short")).text, "never said")
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live(
    "the scope of the session closes during recovery: the same, and a new writer has nothing to settle [A98 A145 SUBAGENT-4]",
    () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const session = yield* Layer.buildWithScope(Session.layerOne("s"), scope)
        const turn = yield* Effect.provide(inRecovery, session)
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.await(turn)))
        assert.strictEqual((yield* (yield* provider).settled(2)).outcome, "abandoned")
        assert.deepStrictEqual(yield* inSession(turnLines), recoveryInterrupted)
        assert.deepStrictEqual(yield* asked, abandoned)
      }).pipe(Effect.provide(world()))
  )

  it.live("the scope of the session closes during the request: the turn is interrupted and on record", () =>
    Effect.gen(function* () {
      yield* next(stall())
      const scope = yield* Scope.make()
      const session = yield* Layer.buildWithScope(Session.layerOne("s"), scope)
      const turn = yield* Effect.provide(Effect.forkDaemon(AgentLoop.run("first")), session)
      yield* arrived(0)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(turn)))
      assert.strictEqual((yield* (yield* provider).settled(0)).outcome, "abandoned")
      assert.deepStrictEqual((yield* inSession(turnLines)).slice(-2), [
        "step/end 0 interrupted",
        "turn/end 0 interrupted"
      ])
    }).pipe(Effect.provide(world()))
  )

  it.live("during pressure before a request: the request is never sent", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say(long(1_500)), on("summary", stall()))
      yield* AgentLoop.run("first")
      const turn = yield* Effect.fork(AgentLoop.run("second"))
      // two answers, then the summary of the pressure after the second
      yield* arrived(2)
      yield* Fiber.interrupt(turn)
      assert.deepStrictEqual((yield* turnLines).slice(-5), [
        "compaction/start pressure",
        "compaction/call interrupted",
        "compaction/end interrupted",
        "step/end 0 interrupted",
        "turn/end 1 interrupted"
      ])
      assert.strictEqual((yield* (yield* provider).settled(2)).outcome, "abandoned")
    }).pipe(inSession, Effect.provide(world({ told: 3_500, window: 3_500 })))
  )
})
