import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import { Agent } from "../../src/services/Agent.ts"
import { ModelAdapter } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { history, inSession, logLines } from "./world.ts"

const { say } = Testing

/** Windows by model; an agent whose model the test chooses. */
const models = (windows: Readonly<Record<string, number>>, options: Parameters<typeof exact>[0] = {}) => {
  const chosen = { model: "large" }
  const agent = Layer.succeed(Agent, {
    envelope: Effect.sync(() => ({ route: { provider: "p", model: chosen.model } }))
  })
  const adapter = Layer.effect(
    ModelAdapter,
    Effect.map(ModelAdapter, (scripted) => ({
      ...scripted,
      modelInfo: ({ model }) =>
        Effect.succeed(
          Option.map(Option.fromNullable(windows[model]), (window) => ({ window, source: "explicit" as const }))
        )
    }))
  )
  return { chosen, layer: Layer.merge(Layer.provideMerge(adapter, exact(options)), agent) }
}

/** 30,000 tokens. */
const filled = Surface.append(
  ...Array.from({ length: 10 }, () => [Message.user(text(1_000)), Message.assistant(text(2_000))]).flat()
)
const sizes = Effect.map(requests, (sent) =>
  sent.map(({ messages }) => messages.reduce((sum, message) => sum + Message.text(message).length, 0))
)

describe("a switch to a model with a smaller window", () => {
  it.effect("is checked before the first request to it, by its own window [P14 WINDOW-6 WINDOW-7]", () => {
    const { chosen, layer } = models({ large: 100_000, small: 20_000 })
    return Effect.gen(function* () {
      yield* filled
      yield* script(say("one"), say("two"))
      yield* AgentLoop.run("to the large one")
      assert.strictEqual(yield* Surface.generation, 0)
      chosen.model = "small"
      yield* AgentLoop.run("to the small one")
      const [first, second] = yield* sizes
      assert.isAbove(first!, 30_000)
      assert.isBelow(second!, 16_000)
      assert.isFalse((yield* logLines).includes("step/end 0 refused"))
    }).pipe(inSession, Effect.provide(layer))
  })

  it.effect("after a restart too [WINDOW-9]", () => {
    const { chosen, layer } = models({ large: 100_000, small: 20_000 })
    return Effect.gen(function* () {
      yield* script(say("one"), say("two"))
      yield* Effect.zipRight(filled, AgentLoop.run("to the large one")).pipe(inSession)
      chosen.model = "small"
      yield* AgentLoop.run("to the small one").pipe(inSession)
      assert.isBelow((yield* sizes)[1]!, 16_000)
    }).pipe(Effect.provide(layer))
  })
})

describe("a session with a window of its own", () => {
  it.effect("compacts by that, beside one with a larger window [SUBAGENT-1]", () => {
    const { chosen, layer } = models({ large: 100_000, small: 6_000 }, { policy: { prune: false } })
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* script(say("the parent's"))
        yield* filled
        yield* AgentLoop.run("parent")
        chosen.model = "small"
        yield* Effect.gen(function* () {
          for (let step = 0; step < 8; step++) {
            yield* Surface.append(Message.user(text(1_500)))
            yield* script(say("ok"))
            yield* AgentLoop.run("next")
          }
          assert.isAtLeast(yield* Surface.generation, 2)
        }).pipe((effect) => inSession(effect, "child"))
        assert.strictEqual(yield* Surface.generation, 0)
      }).pipe(inSession)
      for (const size of (yield* sizes).slice(1)) assert.isBelow(size, 6_000)
    }).pipe(Effect.provide(layer))
  })
})

describe("an unknown window", () => {
  it.effect("is unknown until a refusal states it, and pressure works by that from then on [WINDOW-1]", () => {
    const { layer } = models({})
    return Effect.gen(function* () {
      yield* filled
      yield* script(say("one"))
      yield* AgentLoop.run("go on")
      assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Declined", reason: "unknown-window" })
      yield* script(Testing.overflow({ limit: 20_000, route: { provider: "p", model: "large" } }), say("two"))
      yield* AgentLoop.run("and on")
      assert.strictEqual(yield* Surface.generation, 1)
      yield* filled
      assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Planned", rung: "summarise" })
    }).pipe(inSession, Effect.provide(layer))
  })
})

describe("a compaction under pressure", () => {
  it.effect("ends below the window less the reserve, and its two sizes are the meter's [HEADROOM-3 STALE-9]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(say("one"))
      const before = yield* TokenMeter.measure
      const outcome = yield* Effect.flatMap(
        Effect.zipRight(
          (yield* Surface.Surface).commit(() => [
            {
              type: "request/envelope",
              data: { envelope: { route: Testing.route, system: text(500), maxOutputTokens: 8_000 } }
            }
          ]),
          CompactService.compactIfNeeded("pressure")
        ),
        (outcome) => (outcome._tag === "Reduced" ? Effect.succeed(outcome) : Effect.dieMessage(outcome.reason))
      )
      assert.strictEqual(outcome.before, before.totalTokens + 500)
      const after = yield* TokenMeter.measure
      assert.strictEqual(outcome.after, after.totalTokens)
      assert.isTrue(outcome.targetMet)
      assert.isBelow(after.totalTokens, 32_000 - 8_000)
      assert.isAtMost(after.upperTokens, 32_000 - 8_000)
    }).pipe(inSession, Effect.provide(exact({ window: 32_000 })))
  )

  it.effect("that has to keep nothing leaves a user's message first, and the newest unit [SHAPE-1 SHAPE-4]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* Surface.append(
        Message.assistant([Message.toolCall("a", "read", {})]),
        Message.toolResult({ id: "a", name: "read", content: "contents" })
      )
      yield* (yield* Surface.Surface).commit(() => [
        { type: "request/envelope", data: { envelope: { route: Testing.route } } }
      ])
      assert.deepInclude(yield* CompactService.compactIfNeeded("pressure"), { _tag: "Reduced" })
      assert.deepStrictEqual(
        (yield* Surface.messages).map(({ role }) => role),
        ["user", "assistant", "tool"]
      )
      const checkpoint = (yield* history).findLast((event) => event.type === "message/user")
      assert.strictEqual(checkpoint?.type === "message/user" ? checkpoint.data.source : "", "checkpoint")
    }).pipe(inSession, Effect.provide(exact({ window: 32_000, policy: { retain: 0 } })))
  )
})
