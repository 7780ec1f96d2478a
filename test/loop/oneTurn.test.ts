import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import {
  arrived,
  asked,
  Failures,
  inSession,
  logLines,
  next,
  onSurface,
  sent,
  tool,
  turnEvents,
  turnLines,
  world
} from "./world.ts"

const { call, empty, message, say, stall } = SimulatedProvider

describe("one turn at a time, through the loop and over HTTP", () => {
  it.live("a second prompt while a turn runs is refused at once, and disturbs nothing", () =>
    Effect.gen(function* () {
      yield* next(stall())
      const turn = yield* Effect.fork(AgentLoop.run("first"))
      yield* arrived(0)
      assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Running", turn: 0 })
      const before = yield* logLines
      const busy = yield* Effect.flip(AgentLoop.run("second"))
      assert.deepInclude(busy, { _tag: "SessionBusy", turn: 0, state: "running" })
      assert.deepStrictEqual(yield* logLines, before)
      assert.lengthOf(yield* asked, 1)
      yield* Fiber.interrupt(turn)
      assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Idle" })
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("of two prompts at the same moment one runs", () =>
    Effect.gen(function* () {
      yield* next(say("one"), say("two"))
      const exits = yield* Effect.all([Effect.either(AgentLoop.run("a")), Effect.either(AgentLoop.run("b"))], {
        concurrency: 2
      })
      assert.deepStrictEqual(exits.map(({ _tag }) => _tag).sort(), ["Left", "Right"])
      assert.lengthOf(yield* asked, 1)
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("context joins at the step boundary, behind the results, exactly once", () =>
    Effect.gen(function* () {
      yield* next(call(Message.toolCall("a", "notify", {})), say("done"))
      yield* AgentLoop.run("Go")
      const { messages } = JSON.parse(yield* sent(1)) as {
        messages: ReadonlyArray<{ role: string; content: string | null }>
      }
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["user", "assistant", "tool", "user"]
      )
      assert.strictEqual(messages[3]?.content, "CI is red")
      assert.lengthOf(
        (yield* logLines).filter((line) => line === "message/user context"),
        1
      )
    }).pipe((effect) =>
      Effect.gen(function* () {
        const ready: Array<Effect.Effect<void>> = []
        yield* Effect.gen(function* () {
          const loop = yield* AgentLoop.AgentLoop
          ready.push(Effect.orDie(loop.inject(Message.user("CI is red"))))
          yield* effect
        }).pipe(
          inSession,
          Effect.provide(
            world({
              tools: {
                notify: tool(() =>
                  Effect.as(
                    Effect.suspend(() => ready[0]!),
                    "notified"
                  )
                )
              }
            })
          )
        )
      })
    )
  )

  it.live("context for an idle session is written at once", () =>
    Effect.gen(function* () {
      yield* AgentLoop.inject(Message.user("CI is red"))
      assert.deepStrictEqual(yield* logLines, ["message/user context"])
      yield* next(say("done"))
      yield* AgentLoop.run("Go")
      assert.include(yield* sent(0), "CI is red")
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("context that comes while the last request is out is written when the turn ends", () =>
    Effect.gen(function* () {
      yield* next(stall())
      const turn = yield* Effect.fork(AgentLoop.run("first"))
      yield* arrived(0)
      yield* AgentLoop.inject(Message.user("CI is red"))
      assert.notInclude(yield* logLines, "message/user context")
      yield* Fiber.interrupt(turn)
      assert.deepStrictEqual((yield* turnLines).slice(-3), [
        "step/end 0 interrupted",
        "message/user context",
        "turn/end 0 interrupted"
      ])
    }).pipe(inSession, Effect.provide(world()))
  )

  it.live("an answer cut at the output limit ends the turn as such, and its calls are dropped", () =>
    Effect.gen(function* () {
      yield* next(
        message(Message.assistant([Message.textBlock("I will"), Message.toolCall("a", "notify", {})]), {
          finish: "length"
        })
      )
      const events = yield* turnEvents("Go")
      assert.deepInclude(events.at(-1), { outcome: "output-limit", text: "I will" })
      assert.notInclude(
        events.map(({ _tag }) => _tag),
        "ToolCalled"
      )
      assert.notInclude(yield* onSurface, "tool-call")
      assert.deepStrictEqual((yield* turnLines).slice(-3), [
        "message/assistant",
        "step/end 0 completed",
        "turn/end 0 output-limit"
      ])
      assert.lengthOf(yield* asked, 1)
    }).pipe(inSession, Effect.provide(world({ tools: { notify: tool(() => Effect.die("never called")) } })))
  )

  it.live("an empty answer is an error, and no message [A123]", () =>
    Effect.gen(function* () {
      yield* next(empty)
      const error = yield* Effect.flip(AgentLoop.run("Go"))
      assert.isTrue(error === (yield* Failures)[0])
      assert.strictEqual(error._tag, "EmptyResponse")
      assert.deepStrictEqual((yield* turnLines).slice(-3), ["step/start 0", "step/end 0 failed", "turn/end 0 failed"])
    }).pipe(inSession, Effect.provide(world()))
  )
})
