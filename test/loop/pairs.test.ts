import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { brokenPair } from "../properties/reading.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { inSession, tool } from "./world.ts"

const { call, say } = Testing

const calls = (...ids: ReadonlyArray<string>) =>
  Message.assistant(ids.map((id) => Message.toolCall(id, "read", { id })))
const result = (id: string) => Message.toolResult({ id, name: "read", content: `result ${id}` })

/** Something to compact, and a route to do it by. */
const old = Effect.gen(function* () {
  yield* Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)))
  yield* (yield* Surface.Surface).commit(() => [
    { type: "request/envelope", data: { envelope: { route: Testing.route } } }
  ])
})

/** Roles, with the ids of calls and results. */
const shape = Effect.map(Surface.messages, (messages) =>
  messages.map(({ content, role }) =>
    [role, ...content.flatMap((block) => ("id" in block ? [block.id] : []))].join(" ")
  )
)

describe("pairs of calls and results", () => {
  it.effect("a result whose call is gone becomes a text of the user's side, with its words [PAIR-2]", () =>
    Effect.gen(function* () {
      yield* Surface.append(calls("a"), result("a"), result("gone"))
      assert.deepStrictEqual(yield* shape, ["assistant a", "tool a", "user"])
      assert.include(Message.text((yield* Surface.messages)[2]!), "result gone")
    }).pipe(inSession, Effect.provide(exact()))
  )

  it.effect(
    "compacted between the results of parallel calls: each call has one result in the end [PAIR-4 PAIR-7]",
    () =>
      Effect.gen(function* () {
        yield* old
        yield* Surface.append(calls("a", "b", "c"), result("a"))
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
        assert.deepStrictEqual(yield* shape, ["user", "assistant a b c", "tool a"])
        yield* Surface.append(result("b"), result("c"), result("a"))
        assert.deepStrictEqual(yield* shape, ["user", "assistant a b c", "tool a", "tool b", "tool c", "user"])
        assert.isUndefined(brokenPair(yield* Surface.messages))
      }).pipe(inSession, Effect.provide(exact()))
  )

  it.effect("compacted with a call open: a message with its result and a text is taken apart [PAIR-6 PAIR-10]", () =>
    Effect.gen(function* () {
      yield* old
      yield* Surface.append(calls("a"))
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
      const both: Message.Message = { role: "user", content: [...result("a").content, Message.textBlock("and go on")] }
      yield* Surface.append(both)
      assert.deepStrictEqual(yield* shape, ["user", "assistant a", "tool a", "user"])
      assert.strictEqual(Message.text((yield* Surface.messages)[3]!), "and go on")
      assert.isUndefined(brokenPair(yield* Surface.messages))
    }).pipe(inSession, Effect.provide(exact()))
  )

  it.effect("made whole after an interruption, they stay so in a compaction behind it [PAIR-5]", () => {
    const begun = Deferred.unsafeMake<void>(FiberId.none)
    const hangs = tool(() => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
    return Effect.gen(function* () {
      yield* old
      yield* script(call({ id: "a", name: "hangs" }, { id: "b", name: "hangs" }), say("done"))
      const turn = yield* Effect.fork(AgentLoop.run("use them"))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(turn)
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
      assert.isUndefined(brokenPair(yield* Surface.messages))
      assert.strictEqual((yield* AgentLoop.run("and now?")).text, "done")
      for (const { messages } of yield* requests) assert.isUndefined(brokenPair(messages))
    }).pipe(inSession, Effect.provide(exact({ tools: { hangs } })))
  })
})
