import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import { CompactService, type Outcome, type Plan } from "../../src/services/CompactService.ts"
import * as Message from "../../src/session/Message.ts"
import type { Trigger } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import * as Usage from "../../src/session/Usage.ts"
import * as Testing from "../../src/testing/index.ts"
import { asked, Failures, layerSession, next, turnLines, words, world } from "./world.ts"

type Backend = (trigger: Trigger) => ReturnType<(typeof CompactService.Service)["compactIfNeeded"]>

const serviceOf = (compactIfNeeded: Backend) =>
  CompactService.of({
    compactIfNeeded,
    plan: () => Effect.die("nobody asks for a plan") as Effect.Effect<Plan>,
    compactRegion: () => Effect.die("nobody asks for a region"),
    progress: Stream.empty
  })

const lie = (trigger: Trigger): Outcome => ({
  _tag: "Reduced",
  trigger,
  rungs: ["miracle"],
  landed: [],
  before: 5_000,
  after: 1,
  generation: 99,
  spent: Usage.zero,
  targetMet: true,
  duration: 0
})

const failure = new SummaryFailed({ reason: "model", detail: "no" })

const backends: { readonly [what: string]: Backend } = {
  "reports success with nothing done": (trigger) => Effect.succeed(lie(trigger)),
  fails: () => Effect.fail(failure),
  dies: () => Effect.die(new Error("a bug")),
  throws: () => {
    throw new Error("a bug before any effect")
  },
  "interrupts itself": () => Effect.interrupt,
  hangs: () => Effect.never
}

describe("a compaction backend that cannot be trusted, through the loop and over HTTP", () => {
  for (const [what, backend] of Object.entries(backends)) {
    it.live(`${what}: the provider's own error comes out, and nothing more is sent [A100 A105 A115]`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(AgentLoop.run(words(5_000)))
        const [original, ...others] = yield* Failures
        assert.strictEqual(error, original)
        assert.strictEqual(error._tag, "ContextWindowExceeded")
        assert.lengthOf(others, 0)
        assert.deepStrictEqual(yield* asked, ["conversation refused"])
        assert.deepStrictEqual((yield* turnLines).slice(-3), [
          "step/end 0 refused",
          "rescue/end declined",
          "turn/end 0 failed"
        ])
      }).pipe(
        Effect.provide(layerSession(Layer.succeed(CompactService, serviceOf(backend)))),
        Effect.provide(world({ policy: { runTimeLimit: "30 millis", summary: { timeLimit: "30 millis" } } }))
      )
    )
  }

  it.live("makes it smaller and then fails: the surface is the judge, and the request goes out again [A100]", () =>
    Effect.gen(function* () {
      yield* next(Testing.SimulatedProvider.say("done"))
      assert.strictEqual((yield* AgentLoop.run(words(5_000))).text, "done")
      assert.deepStrictEqual(yield* asked, ["conversation refused", "conversation answered"])
    }).pipe(
      Effect.provide(
        layerSession(
          Layer.effect(
            CompactService,
            Effect.map(Surface.Surface, (surface) =>
              serviceOf((trigger) =>
                trigger === "pressure" ? Effect.fail(failure) : Effect.zipRight(shorten(surface), Effect.fail(failure))
              )
            )
          )
        )
      ),
      Effect.provide(world())
    )
  )

  it.effect(
    "hangs and does not let itself be interrupted: given up after the run's limit and a grace [TRANSIENT-6]",
    () =>
      Effect.gen(function* () {
        const script = yield* Testing.Script
        const refusal = Testing.overflow()
        yield* script.next(refusal)
        const turn = yield* Effect.fork(Effect.flip(AgentLoop.run("first")))
        // pressure and rescue each have their time
        for (let i = 0; i < 2; i++) {
          yield* TestClock.adjust("5 minutes")
          yield* TestClock.adjust("5 seconds")
        }
        assert.strictEqual(yield* Fiber.join(turn), refusal)
        assert.lengthOf(yield* script.requests, 1)
      }).pipe(
        Effect.provide(
          layerSession(
            Layer.succeed(
              CompactService,
              serviceOf(() => Effect.uninterruptible(Effect.never))
            )
          )
        ),
        Effect.provide([
          Testing.layerScript(),
          LogStore.layerMemory,
          ToolRunner.layerNone,
          Summarizer.layerWith(() => Effect.succeed("summary"))
        ])
      )
  )
})

/** Replaces the newest message by a short one. */
const shorten = (surface: typeof Surface.Surface.Service) =>
  surface.withTicket("context-overflow", "wait", (ticket) =>
    Effect.flatMap(surface.state, ({ surface: state }) => {
      const node = SurfaceState.nodeAt(state, state.length - 1)!
      return surface.replace(ticket, {
        expected: { nodes: [node] },
        spans: [
          {
            first: node.seq,
            last: node.seq,
            by: { type: "message/user", data: { message: Message.user("short"), source: "prompt" } }
          }
        ],
        records: () => ({ before: [], after: [] })
      })
    })
  )
