import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { SessionLocked } from "../../src/errors/SessionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Sessions from "../../src/layers/Sessions.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { layerFileTemporary } from "../layers/logs.ts"
import { scripted } from "./scripted.ts"
import { arrived, asked, history, inSession, next, onSurface, provider, sent, turnLines, world } from "./world.ts"

const { say, stall } = Testing.SimulatedProvider

/** How often the session was opened. */
const openings = Effect.map(history, (events) => events.filter(({ type }) => type === "session/opened").length)

const live = (options: Parameters<typeof world>[0] = {}) => Layer.provideMerge(Sessions.layer(), world(options))

describe("Sessions, over HTTP", () => {
  it.live("two sessions share a model and nothing else", () =>
    Effect.gen(function* () {
      yield* next(say("for one"), say("for two"))
      yield* Sessions.use("one", AgentLoop.run("the first one's words"))
      yield* Sessions.use("two", AgentLoop.run("the second one's words"))
      assert.notInclude(yield* sent(1), "first one")
      assert.notInclude(yield* Sessions.use("one", onSurface), "second one")
      assert.notInclude(yield* Sessions.use("two", onSurface), "for one")
    }).pipe(Effect.provide(live({ log: Layer.orDie(layerFileTemporary) })))
  )

  it.live("turns of two sessions run at the same time; one session has one", () =>
    Effect.gen(function* () {
      yield* next(stall())
      const first = yield* Effect.fork(Sessions.use("one", AgentLoop.run("a")))
      yield* arrived(0)
      yield* next(say("done"))
      assert.strictEqual((yield* Sessions.use("two", AgentLoop.run("b"))).text, "done")
      assert.strictEqual((yield* Effect.flip(Sessions.use("one", AgentLoop.run("c"))))._tag, "SessionBusy")
      yield* Fiber.interrupt(first)
    }).pipe(Effect.provide(live()))
  )

  it.live("whoever leaves the stream early interrupts the turn, which is settled", () =>
    Effect.gen(function* () {
      yield* next(stall("half"))
      const seen = yield* Stream.runCollect(
        Sessions.stream("s", AgentLoop.prompt("a")).pipe(Stream.takeUntil((event) => event._tag === "TextDelta"))
      )
      assert.deepInclude(Chunk.unsafeLast(seen), { _tag: "TextDelta", delta: "half" })
      assert.strictEqual((yield* (yield* provider).settled(0)).outcome, "abandoned")
      assert.deepStrictEqual((yield* Sessions.use("s", turnLines)).slice(-2), [
        "step/end 0 interrupted",
        "turn/end 0 interrupted"
      ])
    }).pipe(Effect.provide(live()))
  )

  it.live("a fork outlives its caller", () =>
    Effect.gen(function* () {
      yield* next(stall())
      const forked = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
      const caller = yield* Sessions.fork("s", AgentLoop.run("a")).pipe(
        Effect.tap((fiber) => Deferred.succeed(forked, fiber)),
        Effect.zipRight(Effect.never),
        Effect.fork
      )
      const turn = yield* Deferred.await(forked)
      yield* arrived(0)
      yield* Fiber.interrupt(caller)
      assert.deepStrictEqual(yield* Sessions.use("s", AgentLoop.state), { _tag: "Running", turn: 0 })
      assert.deepStrictEqual(yield* asked, ["conversation open"])
      yield* Fiber.interrupt(turn)
      assert.deepStrictEqual(yield* Sessions.use("s", AgentLoop.state), { _tag: "Idle" })
    }).pipe(Effect.provide(live()))
  )

  it.live("closing the layer interrupts the turns that run, and leaves their logs settled", () =>
    Effect.gen(function* () {
      yield* next(stall(), stall())
      const scope = yield* Scope.make()
      const sessions = Context.get(yield* Layer.buildWithScope(Sessions.layer(), scope), Sessions.Sessions)
      const used = yield* Effect.forkDaemon(sessions.use("one", AgentLoop.run("a")))
      const forked = yield* sessions.fork("two", AgentLoop.run("b"))
      yield* arrived(1)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(used)))
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(forked)))
      for (const id of ["one", "two"]) {
        assert.deepStrictEqual((yield* inSession(turnLines, id)).slice(-2), [
          "step/end 0 interrupted",
          "turn/end 0 interrupted"
        ])
      }
      for (const index of [0, 1]) assert.strictEqual((yield* (yield* provider).settled(index)).outcome, "abandoned")
    }).pipe(Effect.provide(world()))
  )
})

/** A store whose first open fails. */
const lockedOnce = Layer.effect(
  LogStore.LogStore,
  Effect.map(LogStore.makeMemory, (store) => {
    let opens = 0
    return LogStore.LogStore.of({
      ...store,
      open: (id) =>
        Effect.suspend(() =>
          opens++ === 0 ? Effect.fail(new SessionLocked({ session: id, owner: "another process" })) : store.open(id)
        )
    })
  })
)

describe("Sessions, by the clock", () => {
  it.effect("an idle session is released after its time, and reopened when it is used again", () =>
    Effect.gen(function* () {
      yield* Sessions.use("s", AgentLoop.inject(Message.user("a")))
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* Sessions.use("s", openings), 1)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* Sessions.use("s", openings), 2)
      assert.lengthOf(yield* Sessions.use("s", Surface.messages), 1)
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer({ idleTimeToLive: "5 minutes" }), scripted())))
  )

  it.effect("a stream keeps its session open as long as it runs", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      yield* script.next(() =>
        Deferred.succeed(asked, undefined).pipe(Effect.zipRight(Deferred.await(answer)), Effect.as(Testing.say("done")))
      )
      const running = yield* Effect.fork(Stream.runCollect(Sessions.stream("s", AgentLoop.prompt("a"))))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Sessions.use("s", openings), 1)
      yield* Deferred.succeed(answer, undefined)
      assert.deepInclude(Chunk.unsafeLast(yield* Fiber.join(running)), { _tag: "TurnEnd", text: "done" })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Sessions.use("s", openings), 2)
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer({ idleTimeToLive: "5 minutes" }), scripted())))
  )

  it.effect("a failed open is not remembered", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(Sessions.use("s", openings)), { _tag: "SessionLocked" })
      assert.strictEqual(yield* Sessions.use("s", openings), 1)
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(), scripted({ log: lockedOnce }))))
  )

  it.effect("events tells of the turns of all sessions", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      const { events } = yield* Sessions.Sessions
      const watching = yield* Effect.fork(Stream.runCollect(Stream.take(events, 6)))
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      yield* script.next(Testing.say("for one"), Testing.say("for two"))
      yield* Sessions.use("one", AgentLoop.run("a"))
      yield* Sessions.use("two", AgentLoop.run("b"))
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(yield* Fiber.join(watching)).map(
          ([session, event]) => `${session} ${event._tag}${event._tag === "TurnEnd" ? ` ${event.text}` : ""}`
        ),
        [
          "one StepStarted",
          "one TextDelta",
          "one TurnEnd for one",
          "two StepStarted",
          "two TextDelta",
          "two TurnEnd for two"
        ]
      )
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(), scripted())))
  )
})
