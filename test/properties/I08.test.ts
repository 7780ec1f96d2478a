import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { AgentLoop, LogStore, Message, Session, Summarizer, Surface, ToolRunner } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"
import { atOnce, runs, slowWorlds, type World } from "./conversation.ts"
import { awaitEnd, drive, layerSession, makeModel, type Model, play, promptOf } from "./play.ts"
import { brokenPair, foldLog, readLog, unsettled } from "./reading.ts"

/** Turns of the other fibers until an interruption of the consumer, or of the scope, has come to the turn itself. */
const reach = 5

/** Where it is interrupted: so many yields on, or so much time. */
const points = FastCheck.oneof(
  FastCheck.record({ yields: FastCheck.nat(120), time: FastCheck.constant(0) }),
  FastCheck.record({ yields: FastCheck.nat(10), time: FastCheck.integer({ min: 1, max: 4_000 }) }),
  FastCheck.record({ yields: FastCheck.nat(10), time: FastCheck.constantFrom(60_000, 300_000, 301_000) })
)

const wait = ({ time, yields }: { readonly time: number; readonly yields: number }) =>
  Effect.gen(function* () {
    if (time > 0) yield* TestClock.adjust(time)
    for (let i = 0; i < yields; i++) yield* Effect.yieldNow()
  })

/** All turns but the last one are in the log; that one is running when this returns. */
const beginLast = (world: World, model: Model) =>
  Effect.gen(function* () {
    const earlier = world.turns.slice(0, -1).flatMap((plan) => [promptOf(plan), Message.assistant("done")])
    yield* yield* drive(Surface.append(...earlier))
    const last = world.turns.at(-1)!
    model.begin(last)
    return yield* Effect.fork(AgentLoop.run(promptOf(last)))
  })

/** What must hold of a log whose session was interrupted, or died, and was closed or opened again. */
const checkSettled = (store: typeof LogStore.LogStore.Service) =>
  Effect.map(readLog(store, "s"), (events) => {
    assert.isUndefined(unsettled(events))
    return events
  })

/** Opens and closes: how many events that adds. */
const reopen = (world: World, store: typeof LogStore.LogStore.Service) =>
  Effect.gen(function* () {
    const before = yield* readLog(store, "s")
    const exit = yield* drive(
      Effect.provide(AgentLoop.state, layerSession({ ...world, takes: atOnce }, store, makeModel(world)))
    )
    const added = (yield* readLog(store, "s")).slice(before.length).map(({ type }) => type)
    return { state: yield* exit, added }
  })

describe("I8 interruption wins", () => {
  it.effect.prop(
    "I8 after an interruption at any point no request follows, and nothing is left open [A103 P47]",
    [slowWorlds, points],
    ([world, point]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* Effect.gen(function* () {
          const fiber = yield* beginLast(world, model)
          yield* wait(point)
          const ended = fiber.unsafePoll()
          const before = model.seen.length
          const told = yield* Effect.fork(Fiber.interrupt(fiber))
          // the interruption of the consumer is on its way to the turn's own fiber, which may be just about to send
          yield* Effect.repeatN(Effect.yieldNow(), reach)
          const requests = model.seen.length
          assert.isAtMost(requests, before + 1)
          yield* awaitEnd(told)
          assert.strictEqual(model.seen.length, requests, "a request came after the interruption")
          if (ended === null) {
            const { _tag } = yield* AgentLoop.state
            assert.strictEqual(_tag, "Idle")
          }
          // nothing wakes up later
          yield* TestClock.adjust("3 hours")
          assert.strictEqual(model.seen.length, requests, "a request came long after the interruption")
        }).pipe(Effect.provide(layerSession(world, store, model)))
        const events = yield* checkSettled(store)
        for (const { request } of model.seen) assert.isUndefined(brokenPair(request.messages))
        // the prompt of a turn that began is there, and nothing came after the turn's end
        const begun = events.findIndex(({ type }) => type === "turn/start")
        if (begun >= 0) {
          assert.strictEqual(events[begun + 1]?.type, "message/user")
          assert.strictEqual(events.at(-1)?.type, "turn/end")
        }
        assert.deepStrictEqual(yield* reopen(world, store), { state: { _tag: "Idle" }, added: ["session/opened"] })
      }),
    runs
  )

  it.effect.prop(
    "I8 closing the session's scope is an interruption",
    [slowWorlds, points],
    ([world, point]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(layerSession(world, store, model), scope)
        const fiber = yield* Effect.provide(beginLast(world, model), context)
        yield* wait(point)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* Effect.repeatN(Effect.yieldNow(), reach)
        const requests = model.seen.length
        assert.isTrue(Exit.isSuccess(yield* awaitEnd(closing)))
        yield* awaitEnd(fiber)
        yield* TestClock.adjust("3 hours")
        assert.isAtMost(model.seen.length, requests, "a request came after the scope was closed")
        yield* checkSettled(store)
        assert.deepStrictEqual(yield* reopen(world, store), { state: { _tag: "Idle" }, added: ["session/opened"] })
      }),
    runs
  )

  it.effect.prop(
    "I8 what a dead writer left open is settled by the next open, once [P55 P56]",
    [slowWorlds, FastCheck.nat(40)],
    ([given, at]) =>
      Effect.gen(function* () {
        const world = { ...given, takes: atOnce }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        yield* Effect.gen(function* () {
          const dying = yield* LogStore.LogStore
          yield* drive(Effect.provide(play(world, model), layerSession(world, dying, model)))
        }).pipe(
          Effect.provide(
            Layer.provide(Testing.layerFaultyLog([{ at, does: "crashes" }]), Layer.succeed(LogStore.LogStore, store))
          )
        )
        const dead = foldLog(yield* readLog(store, "s"))
        const first = yield* reopen(world, store)
        assert.strictEqual(first.state._tag, "Idle")
        assert.strictEqual(first.added[0], "session/opened")
        const settled = foldLog(yield* checkSettled(store))
        // settling closes, and takes nothing away
        assert.deepStrictEqual(settled.surface.slice(0, dead.surface.length), dead.surface)
        assert.strictEqual(settled.generation, dead.generation)
        assert.deepStrictEqual((yield* reopen(world, store)).added, ["session/opened"])
      }),
    runs
  )

  it.effect.prop(
    "I8 results in hand are logged, the other calls get aborted ones, in call order",
    [FastCheck.array(FastCheck.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }), FastCheck.nat(50)],
    ([durations, half]) =>
      Effect.gen(function* () {
        // tools end at odd times, the interruption comes at an even one
        const ends = durations.map((duration) => 2 * duration - 1)
        const script = yield* Testing.Script
        yield* script.next(Testing.call(...ends.map((end, i) => ({ id: `${i}`, name: "tool", arguments: end }))))
        const fiber = yield* Effect.fork(AgentLoop.run("go"))
        yield* TestClock.adjust(2 * half)
        if (ends.every((end) => end < 2 * half)) return
        yield* Fiber.interrupt(fiber)
        const results = (yield* Surface.messages).flatMap(Message.toolResults)
        assert.deepStrictEqual(
          results.map(({ content, id, isError }) => [
            id,
            isError === true,
            JSON.stringify(content).includes("in hand")
          ]),
          ends.map((end, i) => [`${i}`, end > 2 * half, end < 2 * half])
        )
      }).pipe(
        Effect.provide(
          Session.layerOne("s").pipe(
            Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
            Layer.provide([
              LogStore.layerMemory,
              ToolRunner.layer({
                tool: {
                  schema: { parameters: {} },
                  run: (end) => Effect.delay(Effect.succeed("in hand"), end as number)
                }
              }),
              Summarizer.layerWith(() => Effect.succeed("summary"))
            ])
          )
        )
      ),
    runs
  )
})
