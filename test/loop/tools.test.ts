import { assert, describe, it } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Stream from "effect/Stream"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, history, inSession, next, sent, tool, turnEvents, turnLines, world } from "./world.ts"

const { call, say } = SimulatedProvider

class NotFound extends Data.TaggedError("NotFound")<{ readonly path: string }> {}

const callOf = (id: string, name = id) => Message.toolCall(id, name, { id })

/** The results in the log, as call id, error mark and text. */
const results = Effect.map(history, (events) =>
  events.flatMap((event) =>
    event.type === "message/tool-result"
      ? [
          `${event.data.callId}${event.data.isError === true ? "!" : ""} ${event.data.content.map((block) => (block.type === "text" ? block.text : "")).join("")}`
        ]
      : []
  )
)

describe("tool calls, through the loop and over HTTP", () => {
  it.live("run side by side, and their results stand in call order", () => {
    const both = Deferred.unsafeMake<void>(FiberId.none)
    const tools = {
      // ends only after the other one has begun and ended
      slow: tool(() => Effect.as(Deferred.await(both), "slow answer")),
      quick: tool(() => Effect.as(Deferred.succeed(both, undefined), "quick answer"))
    }
    return Effect.gen(function* () {
      yield* next(call(callOf("a", "slow"), callOf("b", "quick")), say("done"))
      const events = yield* turnEvents("Go")
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "ToolAnswered" ? [event.id] : [])),
        ["b", "a"]
      )
      assert.deepStrictEqual(yield* results, ["a slow answer", "b quick answer"])
      const { messages } = JSON.parse(yield* sent(1)) as {
        messages: ReadonlyArray<{ role: string; tool_call_id?: string }>
      }
      assert.deepStrictEqual(
        messages.map(({ role, tool_call_id }) => tool_call_id ?? role),
        ["user", "assistant", "a", "b"]
      )
    }).pipe(inSession, Effect.provide(world({ tools })))
  })

  it.live("one that fails, one that dies, one that nobody knows: results that the model reads", () =>
    Effect.gen(function* () {
      yield* next(
        call(
          callOf("fails"),
          callOf("refuses"),
          callOf("misses"),
          callOf("mute"),
          callOf("dies"),
          callOf("throws"),
          callOf("unknown"),
          callOf("interrupts"),
          callOf("ok")
        ),
        say("done")
      )
      const events = yield* turnEvents("Go")
      assert.deepInclude(events.at(-1), { outcome: "completed", text: "done" })
      assert.deepStrictEqual(yield* results, [
        "fails! no such file",
        // their words and fields, and neither a stack nor what lies deeper
        'refuses! {"code":"EACCES","path":"/etc/shadow"}',
        'misses! {"path":"a.txt","_tag":"NotFound"}',
        "mute! an error without a message",
        "dies! a bug",
        "throws! thrown",
        'unknown! there is no tool named "unknown"',
        "interrupts! the tool stopped without an answer",
        "ok fine"
      ])
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "ToolAnswered" && !event.isError ? [event.id] : [])),
        ["ok"]
      )
      assert.include(yield* sent(1), "no such file")
    }).pipe(
      inSession,
      Effect.provide(
        world({
          tools: {
            fails: tool(() => Effect.fail("no such file")),
            refuses: tool(() =>
              Effect.fail({ code: "EACCES", path: "/etc/shadow", request: { authorization: "key" } })
            ),
            misses: tool(() => Effect.fail(new NotFound({ path: "a.txt" }))),
            mute: tool(() => Effect.fail(Object.create(null))),
            dies: tool(() => Effect.die(new Error("a bug"))),
            throws: tool(() => {
              throw new Error("thrown")
            }),
            interrupts: tool(() => Effect.interrupt),
            ok: tool(() => Effect.succeed("fine"))
          }
        })
      )
    )
  )

  it.live("interrupted while they run: what is in hand is kept, the others are aborted, in one batch", () => {
    const hanging = Deferred.unsafeMake<void>(FiberId.none)
    const tools = {
      quick: tool(() => Effect.succeed("in hand")),
      hangs: tool(() => Effect.zipRight(Deferred.succeed(hanging, undefined), Effect.never))
    }
    return Effect.gen(function* () {
      yield* next(call(callOf("a", "hangs"), callOf("b", "quick"), callOf("c", "hangs")), say("never said"))
      const answered = yield* Deferred.make<void>()
      const turn = yield* AgentLoop.prompt("Go").pipe(
        Stream.runForEach(({ _tag }) =>
          _tag === "ToolAnswered" ? Deferred.succeed(answered, undefined) : Effect.void
        ),
        Effect.fork
      )
      yield* Deferred.await(answered)
      yield* Deferred.await(hanging)
      const before = (yield* history).length
      yield* Fiber.interrupt(turn)
      const aborted = "[no result: the call was aborted]"
      assert.deepStrictEqual(yield* results, [`a! ${aborted}`, "b in hand", `c! ${aborted}`])
      assert.deepStrictEqual((yield* turnLines).slice(-5), [
        "message/tool-result a error",
        "message/tool-result b",
        "message/tool-result c error",
        "step/end 0 interrupted",
        "turn/end 0 interrupted"
      ])
      // nothing of the five was there before the interruption
      assert.lengthOf(yield* history, before + 5)
      assert.strictEqual((yield* (yield* Surface.Surface).state).surface.unanswered.length, 0)
      assert.lengthOf(yield* asked, 1)
      assert.strictEqual((yield* AgentLoop.run("And now?")).text, "never said")
    }).pipe(inSession, Effect.provide(world({ tools })))
  })
})
