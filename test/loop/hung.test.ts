import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Testing from "../../src/testing/index.ts"
import { layerSession, words } from "./world.ts"

const summariser = Summarizer.layerWith(() => Effect.succeed("what matters of it"))

/** A session whose ladder begins with a lie that takes all the time there is. */
const behind = (lie: Testing.Lie) =>
  layerSession(CompactService.layerWith({ rungs: (defaults) => [Testing.lyingRung(lie), ...defaults] })).pipe(
    Layer.provideMerge(Layer.mergeAll(Testing.layerScript(), LogStore.layerMemory, ToolRunner.layerNone, summariser))
  )

/** Runs a prompt for as long as a run and its grace may take. */
const prompted = (prompt: string) =>
  Effect.gen(function* () {
    const turn = yield* Effect.fork(Effect.either(AgentLoop.run(prompt)))
    yield* TestClock.adjust("5 minutes")
    yield* TestClock.adjust("6 seconds")
    return yield* Fiber.join(turn)
  })

describe("a rung that took the time of a whole run", () => {
  for (const lie of ["hangs", "hangs-uninterruptibly", "lands-late"] as const) {
    it.effect(`${lie}: the next run goes past it, so that the session is not stuck behind it`, () =>
      Effect.gen(function* () {
        const { next } = yield* Testing.Script
        yield* next(Testing.say(words(2_000)), Testing.overflow(), Testing.overflow(), Testing.say("done"))
        yield* AgentLoop.run("first")
        const refused = yield* prompted("second")
        assert.strictEqual(refused._tag, "Left")
        assert.strictEqual(yield* Surface.generation, 0)
        const planned = yield* CompactService.plan("context-overflow")
        assert.deepInclude(planned, { _tag: "Planned", rung: "summarise" })
        const rescued = yield* prompted("third")
        assert.deepInclude(rescued, { _tag: "Right" })
        assert.isAbove(yield* Surface.generation, 0)
      }).pipe(Effect.provide(behind(lie)))
    )
  }

  it.effect("one that its caller interrupts at once had no time of its own, and is tried again", () =>
    Effect.gen(function* () {
      const { next } = yield* Testing.Script
      yield* next(Testing.say(words(2_000)), Testing.overflow())
      yield* AgentLoop.run("first")
      const turn = yield* Effect.fork(AgentLoop.run("second"))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(turn)
      const planned = yield* CompactService.plan("context-overflow")
      assert.deepInclude(planned, { _tag: "Planned", rung: "hangs" })
    }).pipe(Effect.provide(behind("hangs")))
  )
})
