import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Sessions from "../../src/layers/Sessions.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { brokenPair } from "../properties/reading.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { slowly } from "./slowLog.ts"
import { history, inSession, logLines, tool } from "./world.ts"

const { call, say } = Testing

/** 6,000 tokens: below the threshold of a window of 8,500. */
const filled = Effect.gen(function* () {
  yield* Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)))
  yield* script(say("an answer"))
  yield* AgentLoop.run("go on")
})
const small = { window: 8_500, policy: { prune: false } } as const

/** A summariser that waits at a gate. */
const gate = () => {
  const begun = Deferred.unsafeMake<void>(FiberId.none)
  const open = Deferred.unsafeMake<void>(FiberId.none)
  const summarise = () =>
    Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(open)), Effect.as("## Goal"))
  return { begun, open, summarise }
}

const timesIn = (messages: ReadonlyArray<Message.Message>, words: string) =>
  messages.filter((message) => Message.text(message) === words).length

describe("while a compaction by hand runs", () => {
  it.effect("context that comes is in the next request, once and in its place [A128 P54 RACE-3]", () => {
    const { begun, open, summarise } = gate()
    return Effect.gen(function* () {
      yield* filled
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      yield* AgentLoop.inject(Message.user("CI is red"))
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(running))._tag, "Reduced")
      yield* script(say("done"))
      yield* AgentLoop.run("And now?")
      const { messages } = (yield* requests).at(-1)!
      assert.deepStrictEqual(messages.slice(1).map(Message.text), ["an answer", "CI is red", "And now?"])
    }).pipe(inSession, Effect.provide(exact({ summarise })))
  })

  it.effect(
    "at whatever moment they come, messages are there once, in their order, and the run lands [P54 RACE-3]",
    () =>
      Effect.gen(function* () {
        const came = new Set<string>()
        for (let turns = 0; !came.has("after"); turns++) {
          assert.isBelow(turns, 100)
          yield* Effect.gen(function* () {
            yield* filled
            const running = yield* Effect.fork(CompactService.compactNow)
            if (turns > 0) yield* Effect.repeatN(Effect.yieldNow(), turns - 1)
            came.add(
              running.unsafePoll() !== null ? "after" : (yield* Surface.generation) === 0 ? "while it runs" : "landed"
            )
            yield* AgentLoop.inject(Message.user("CI is red"))
            yield* Surface.append(
              Message.assistant([Message.toolCall("c", "read", {})]),
              Message.toolResult({ id: "c", name: "read", content: "log" })
            )
            yield* AgentLoop.inject(Message.user("and green again"))
            assert.deepInclude(yield* Fiber.join(running), { _tag: "Reduced", generation: 1 })
            const after = (yield* Surface.messages).slice(1)
            assert.deepStrictEqual(
              after.map((message) => `${message.role} ${Message.text(message)}`),
              ["assistant an answer", "user CI is red", "assistant ", "tool ", "user and green again"],
              `${turns}`
            )
            assert.isUndefined(brokenPair(after))
            const written = (yield* logLines).filter((line) => line.startsWith("message/"))
            assert.strictEqual(written.filter((line) => line === "message/user context").length, 2)
          }).pipe(
            inSession,
            Effect.provide(
              exact({ log: slowly(1), summarise: () => Effect.as(Effect.repeatN(Effect.yieldNow(), 3), "## Goal") })
            )
          )
        }
        assert.includeMembers([...came], ["while it runs"])
      })
  )

  it.effect("pressure is not taken off a second time, and the request does not wait for it [A142]", () => {
    const { begun, open, summarise } = gate()
    return Effect.gen(function* () {
      yield* filled
      yield* Surface.append(Message.user(text(1_500)))
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      const envelope = { route: Testing.route }
      assert.strictEqual(yield* OverflowRescue.retry({ envelope, send: () => Effect.succeed("sent") }), "sent")
      assert.deepInclude(yield* CompactService.compactIfNeeded("pressure"), { _tag: "Declined", reason: "busy" })
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(running)
      assert.lengthOf(
        (yield* logLines).filter((line) => line.startsWith("compaction/start")),
        1
      )
    }).pipe(inSession, Effect.provide(exact({ ...small, summarise })))
  })

  it.effect("another session's compaction runs beside it [P53]", () => {
    const both: Array<string> = []
    const open = Deferred.unsafeMake<void>(FiberId.none)
    const summarise = () =>
      Effect.suspend(() => {
        both.push("begun")
        return both.length === 2 ? Deferred.succeed(open, undefined) : Effect.void
      }).pipe(Effect.zipRight(Deferred.await(open)), Effect.as("## Goal"))
    return Effect.gen(function* () {
      const compacted = Effect.zipRight(filled, CompactService.compactNow)
      const outcomes = yield* Effect.all([Sessions.use("one", compacted), Sessions.use("two", compacted)], {
        concurrency: 2
      })
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Reduced", "Reduced"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(), exact({ summarise }))))
  })
})

describe("compaction by hand", () => {
  it.effect("needs no turn, and one id links its records [A129]", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)), Message.user("newest"))
      const envelope = { route: Testing.route }
      yield* OverflowRescue.retry({ envelope, send: () => Effect.succeed("sent") })
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
      const events = yield* history
      assert.isFalse(events.some(({ type }) => type === "turn/start"))
      const records = events.flatMap((event) =>
        event.type === "compaction/start" ||
        event.type === "compaction/call" ||
        event.type === "compaction/summary" ||
        event.type === "compaction/end"
          ? [event]
          : []
      )
      assert.lengthOf(records, 4)
      assert.lengthOf([...new Set(records.map(({ data }) => data.id))], 1)
      assert.isTrue(records[0]?.type === "compaction/start" && records[0].data.turn === null)
    }).pipe(inSession, Effect.provide(exact()))
  )

  it.effect("is cut and on record when its session closes, and the next writer has nothing to settle [A145]", () => {
    const { begun, summarise } = gate()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const session = yield* Layer.buildWithScope(Session.layerOne("s"), scope)
      yield* Effect.provide(filled, session)
      const running = yield* Effect.forkDaemon(Effect.provide(CompactService.compactNow, session))
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(running)))
      assert.deepStrictEqual((yield* inSession(logLines)).slice(-2), [
        "compaction/call interrupted",
        "compaction/end interrupted"
      ])
    }).pipe(Effect.provide(exact({ summarise })))
  })
})

describe("in a turn", () => {
  it.effect("context that comes while pressure is taken off makes nothing void, and joins once [A91 RACE-7]", () => {
    const inject: Array<Effect.Effect<void>> = []
    const summarise = () =>
      Effect.as(
        Effect.suspend(() => inject[0]!),
        "## Goal"
      )
    return Effect.gen(function* () {
      yield* filled
      const loop = yield* AgentLoop.AgentLoop
      inject.push(Effect.orDie(loop.inject(Message.user("CI is red"))))
      yield* script(call({ id: "c1", name: "read" }), say("done"))
      yield* AgentLoop.run(text(1_200))
      assert.strictEqual(yield* Surface.generation, 1)
      const lines = yield* logLines
      assert.isBelow(lines.indexOf("message/queued"), lines.indexOf("compaction/summary"))
      const [first, second] = (yield* requests).slice(-2)
      assert.strictEqual(timesIn(first!.messages, "CI is red"), 0)
      assert.strictEqual(timesIn(second!.messages, "CI is red"), 1)
    }).pipe(
      inSession,
      Effect.provide(exact({ ...small, summarise, tools: { read: tool(() => Effect.succeed("contents")) } }))
    )
  })

  it.effect("that was interrupted nothing is compacted; the next one does it [A95]", () => {
    const answered = Deferred.unsafeMake<void>(FiberId.none)
    const tools = {
      quick: tool(() => Effect.as(Deferred.succeed(answered, undefined), text(1_500))),
      hangs: tool(() => Effect.never)
    }
    return Effect.gen(function* () {
      yield* filled
      yield* script(call({ id: "a", name: "quick" }, { id: "b", name: "hangs" }), say("done"))
      const turn = yield* Effect.fork(AgentLoop.run("use them"))
      yield* Deferred.await(answered)
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      yield* Fiber.interrupt(turn)
      assert.isFalse((yield* logLines).some((line) => line.startsWith("compaction/")))
      assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Planned" })
      yield* AgentLoop.run("And now?")
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(exact({ ...small, tools })))
  })
})
