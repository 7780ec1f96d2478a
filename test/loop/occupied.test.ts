import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { Batch } from "../../src/services/LogStore.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { type Event, unsettled } from "../properties/reading.ts"
import { scripted } from "./scripted.ts"
import { history, inSession, logLines, long, tool } from "./world.ts"

const envelope = { route: Testing.route }

/** A request that has begun and waits. */
const gated = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  const open = yield* Deferred.make<void>()
  const send = () => Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(open)), Effect.as("answer"))
  return { begun, open, send }
})

const settled = Effect.map(history, (events) => assert.isUndefined(unsettled(events as ReadonlyArray<Event>)))

describe("a session is busy with one thing at a time", () => {
  it.effect("a second request of an own loop is refused at once, and disturbs nothing", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const { begun, open, send } = yield* gated
      const first = yield* Effect.fork(OverflowRescue.retry({ envelope, send }))
      yield* Deferred.await(begun)
      const before = yield* logLines
      let sent = 0
      const second = OverflowRescue.retry({ envelope, send: () => Effect.sync(() => ++sent) })
      const busy = yield* Effect.flip(second)
      assert.deepInclude(busy, { _tag: "SessionBusy", session: "s", turn: null, state: "running" })
      assert.match(String(busy), /session "s" is busy with a request/)
      const streamed = OverflowRescue.retryStream({ envelope, send: () => Stream.make(++sent), isContent: () => true })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(streamed)), { _tag: "SessionBusy" })
      assert.strictEqual(sent, 0)
      assert.deepStrictEqual(yield* logLines, before)
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual(yield* Fiber.join(first), "answer")
      assert.strictEqual(yield* second, 1)
      yield* settled
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("of two at the same moment one is sent", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const ask = OverflowRescue.retry({ envelope, send: () => Effect.as(Effect.yieldNow(), "answer") })
      const ends = yield* Effect.all([Effect.either(ask), Effect.either(ask)], { concurrency: 2 })
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag).sort(), ["Left", "Right"])
      yield* settled
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("it is free again however the request ended", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const { begun, send } = yield* gated
      const hanging = yield* Effect.fork(OverflowRescue.retry({ envelope, send }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(hanging)
      yield* Effect.exit(OverflowRescue.retry({ envelope, send: () => Effect.fail("theirs") }))
      yield* Effect.exit(OverflowRescue.retry({ envelope, send: () => Effect.die("a bug") }))
      assert.strictEqual(yield* OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer") }), "answer")
      yield* settled
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a stream occupies it until it has ended or was left", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const ask = OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer") })
      const stream = OverflowRescue.retryStream({
        envelope,
        send: () => Stream.rechunk(Stream.make("a", "b"), 1),
        isContent: () => true
      })
      const meanwhile = yield* Stream.runCollect(Stream.mapEffect(stream, () => Effect.flip(ask)))
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(meanwhile).map(({ _tag }) => _tag),
        ["SessionBusy", "SessionBusy"]
      )
      assert.strictEqual(yield* ask, "answer")
      yield* Stream.runDrain(Stream.take(stream, 1))
      assert.strictEqual(yield* ask, "answer")
      yield* settled
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a request while a turn runs, and a prompt while a request is out: each is refused", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      const { begun, open, send } = yield* gated
      yield* script.next(() => Effect.as(send(), Testing.say("answer")))
      const turn = yield* Effect.fork(AgentLoop.run("first"))
      yield* Deferred.await(begun)
      const ask = OverflowRescue.retry({ envelope, send: () => Effect.succeed("mine") })
      assert.deepInclude(yield* Effect.flip(ask), { _tag: "SessionBusy", turn: 0, state: "running" })
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(turn)).text, "answer")

      const mine = yield* gated
      const request = yield* Effect.fork(OverflowRescue.retry({ envelope, send: mine.send }))
      yield* Deferred.await(mine.begun)
      assert.deepInclude(yield* Effect.flip(AgentLoop.run("second")), { _tag: "SessionBusy", turn: null })
      yield* Deferred.succeed(mine.open, undefined)
      yield* Fiber.join(request)
      yield* script.next(Testing.say("again"))
      assert.strictEqual((yield* AgentLoop.run("second")).text, "again")
      yield* settled
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect(
    "a tool of the turn cannot send the same session either: its error is a result, and the turn goes on",
    () => {
      let ask: Effect.Effect<string, unknown> = Effect.never
      return Effect.gen(function* () {
        const script = yield* Testing.Script
        const services = yield* Effect.context<Surface.Surface>()
        ask = OverflowRescue.retry({ envelope, send: () => Effect.succeed("nested") }).pipe(
          Effect.provide(services as never)
        ) as typeof ask
        yield* script.next(Testing.call({ id: "a", name: "nested" }), Testing.say("done"))
        assert.strictEqual((yield* AgentLoop.run("go")).text, "done")
        const results = (yield* history).filter(({ type }) => type === "message/tool-result")
        assert.include(JSON.stringify(results), "is busy with turn 0")
        yield* settled
      }).pipe(
        inSession,
        Effect.provide(scripted({ tools: { nested: tool(() => Effect.suspend(() => ask) as never) } }))
      )
    }
  )

  it.effect("a request while a turn waits for answers is refused, and says what to do", () =>
    Effect.gen(function* () {
      yield* (yield* Testing.Script).next(Testing.call({ id: "a", name: "approve" }))
      yield* AgentLoop.run("go")
      const before = yield* logLines
      const busy = yield* Effect.flip(OverflowRescue.retry({ envelope, send: () => Effect.succeed("mine") }))
      assert.deepInclude(busy, { _tag: "SessionBusy", turn: 0, state: "suspended" })
      assert.include(String(busy), "AgentLoop.resume")
      assert.deepStrictEqual(yield* logLines, before)
    }).pipe(
      inSession,
      Effect.provide(scripted({ tools: { approve: tool(() => Effect.succeed({ suspend: "asks" })) } }))
    )
  )
})

const holds = (type: string) => (batch: Batch) => batch.events.some((event) => (event as Event).type === type)

/** Fails the first batch that holds an event of this type. */
const failingOnce = (type: string) => {
  let failed = false
  const at = (batch: Batch) => !failed && (failed = holds(type)(batch))
  return Layer.provide(Testing.layerFaultyLog([{ at, does: "fails" }]), LogStore.layerMemory)
}

describe("an end that could not be written", () => {
  it.effect(
    "of a turn: the session is idle all the same, compacts by hand, and closes the turn with the next one",
    () =>
      Effect.gen(function* () {
        const script = yield* Testing.Script
        yield* script.next(Testing.say(long(600)), Testing.say("second answer"))
        assert.deepInclude(yield* Effect.flip(AgentLoop.run("first")), { _tag: "LogWriteFailed", written: "no" })
        assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Idle" })
        yield* Surface.append(Message.user("context"))
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced", trigger: "manual" })
        assert.strictEqual((yield* AgentLoop.run("second")).text, "second answer")
        assert.include(yield* logLines, "turn/end 0 interrupted settled")
        yield* settled
      }).pipe(inSession, Effect.provide(scripted({ log: failingOnce("turn/end") })))
  )

  it.effect("of an own loop's step: the next request closes it", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const ask = OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer") })
      assert.deepInclude(yield* Effect.flip(ask), { _tag: "LogWriteFailed" })
      assert.strictEqual(yield* ask, "answer")
      assert.deepStrictEqual((yield* logLines).slice(-4), [
        "step/start 0",
        "step/end 0 interrupted settled",
        "step/start 1",
        "step/end 1 completed"
      ])
      yield* settled
    }).pipe(inSession, Effect.provide(scripted({ log: failingOnce("step/end") })))
  )

  it.effect("of an own loop's step: a prompt closes it too", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      yield* Effect.flip(OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer") }))
      yield* (yield* Testing.Script).next(Testing.say("done"))
      assert.strictEqual((yield* AgentLoop.run("go")).text, "done")
      yield* settled
    }).pipe(inSession, Effect.provide(scripted({ log: failingOnce("step/end") })))
  )
})
