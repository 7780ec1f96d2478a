import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import type { Trigger } from "../../src/session/SessionEvent.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, script, text } from "./scripted.ts"
import { history, inSession, layerSession, logLines } from "./world.ts"

const { say } = Testing

const envelope = Effect.flatMap(Surface.Surface, (surface) =>
  surface.commit(() => [{ type: "request/envelope", data: { envelope: { route: Testing.route } } }])
)

/** 9,000 tokens of a window of 10,000, of which a result of 4,000 can be pruned. */
const filled = Effect.zipRight(
  envelope,
  Surface.append(
    Message.user(text(3_000)),
    Message.assistant([Message.toolCall("a", "read", {})]),
    Message.toolResult({ id: "a", name: "read", content: text(4_000) }),
    Message.assistant(text(1_900)),
    Message.user("newest")
  )
)

/** A refused request, as the overflow ladder finds it. */
const refused = Effect.flatMap(Surface.Surface, (surface) =>
  Effect.zipRight(
    surface.commit(() => [{ type: "step/start", data: { turn: null, step: 0, generation: 0 } }]),
    surface.commit(() => [{ type: "step/end", data: { turn: null, step: 0, outcome: "refused" } }])
  )
)

describe("a plan", () => {
  const prune = { over: 1_000, head: 300, tail: 100 }
  const cases: ReadonlyArray<readonly [Trigger, object, string]> = [
    ["pressure", { prune }, "prune"],
    ["pressure", { prune: false }, "summarise"],
    ["context-overflow", { prune }, "prune"],
    ["context-overflow", { prune: false }, "summarise"],
    ["manual", { prune }, "summarise"]
  ]
  for (const [trigger, policy, rung] of cases) {
    it.effect(`of ${trigger} is what its run does first: ${rung}, on that span, at that price [P63]`, () =>
      Effect.gen(function* () {
        yield* filled
        if (trigger === "context-overflow") yield* refused
        const before = yield* history
        const plan = yield* CompactService.plan(trigger)
        assert.deepStrictEqual(yield* history, before)
        if (plan._tag !== "Planned") return assert.fail(plan.reason)
        assert.strictEqual(plan.rung, rung)
        const outcome = yield* CompactService.compactIfNeeded(trigger)
        assert.isTrue(outcome._tag === "Reduced" && outcome.rungs[0] === rung)
        const done = (yield* history).find(
          (event) => event.type === "compaction/prune" || event.type === "compaction/summary"
        )
        if (done?.type !== "compaction/prune" && done?.type !== "compaction/summary") return assert.fail("nothing done")
        const { price, shadowed } = done.data
        assert.deepStrictEqual(
          [done.data.rung, shadowed[0], shadowed.at(-1), price.before],
          [plan.rung, plan.first, plan.last, plan.price]
        )
      }).pipe(inSession, Effect.provide(exact({ window: 10_000, policy })))
    )
  }
})

describe("a rung of one's own", () => {
  it.effect(
    "is told the trigger, and one that does not want to costs nothing and ends no run [SETTING-2 SETTING-4]",
    () => {
      const told: Array<Trigger> = []
      const own: CompactService.Rung = {
        name: "mine",
        paid: true,
        propose: ({ trigger }) => {
          told.push(trigger)
          return undefined
        }
      }
      const session = layerSession(CompactService.layerWith({ rungs: (defaults) => [own, ...defaults] }))
      return Effect.gen(function* () {
        yield* filled
        for (const trigger of ["pressure", "manual"] as const) {
          assert.deepInclude(yield* CompactService.compactIfNeeded(trigger), { _tag: "Reduced", rungs: ["summarise"] })
          yield* Surface.append(Message.assistant(text(8_000)), Message.user("and?"))
        }
        assert.includeMembers([...new Set(told)], ["pressure", "manual"])
        assert.notInclude(yield* logLines, "compaction/end failed")
      }).pipe(Effect.provide(session), Effect.provide(exact({ window: 10_000, policy: { prune: false } })))
    }
  )
})

describe("settings", () => {
  it.effect("none at all: a session opens, works, closes, and opens again [A1]", () =>
    Effect.gen(function* () {
      yield* script(say("one"), say("two"))
      const session = () => Layer.fresh(Session.layerOne("s"))
      assert.strictEqual((yield* Effect.provide(AgentLoop.run("go"), session())).text, "one")
      assert.strictEqual((yield* Effect.provide(AgentLoop.run("go"), session())).text, "two")
      assert.deepStrictEqual((yield* inSession(history)).filter(({ type }) => type === "session/opened").length, 3)
    }).pipe(Effect.provide(exact()))
  )

  it.effect("the same envelope again is not written, and nothing is compacted for it [SETTING-1]", () =>
    Effect.gen(function* () {
      yield* script(say("one"), say("two"))
      yield* AgentLoop.run("go")
      yield* AgentLoop.run("go")
      assert.lengthOf(
        (yield* logLines).filter((line) => line === "request/envelope"),
        1
      )
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(exact({ system: "You are terse." })))
  )

  it.effect("without pressure the rescue and work by hand are left; without both, work by hand [OPPOSITES-8b]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(Testing.overflow(), say("done"))
      assert.strictEqual((yield* AgentLoop.run("go on")).text, "done")
      assert.notInclude(yield* logLines, "compaction/start pressure")
      assert.strictEqual(yield* Surface.generation, 1)
      yield* Surface.append(Message.user(text(3_000)), Message.user("newest"))
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
    }).pipe(inSession, Effect.provide(exact({ window: 10_000, policy: { auto: { pressure: false }, prune: false } })))
  )

  it.effect("auto: false leaves work by hand, and nothing else, whoever asks [SETTING-5 OPPOSITES-8a]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* refused
      for (const trigger of ["pressure", "context-overflow"] as const) {
        assert.deepInclude(yield* CompactService.compactIfNeeded(trigger), { _tag: "Declined", reason: "off" })
      }
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
    }).pipe(inSession, Effect.provide(exact({ window: 10_000, policy: { auto: false } })))
  )
})
