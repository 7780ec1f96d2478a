// A test of an agent: another model, another log, another summariser, and nothing else changes. What the model says is
// written down, and what it was asked can be looked at.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { AgentLoop, Errors, LogStore, Session, Summarizer, Surface, ToolRunner } from "effect-compaction"
import * as Testing from "effect-compaction/testing"

const session = (summary: Layer.Layer<Summarizer.Summarizer>) =>
  Session.layerOne("t").pipe(
    Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
    Layer.provide([LogStore.layerMemory, ToolRunner.layerNone, summary])
  )

describe("an agent whose model refuses", () => {
  it.effect("is rescued once, by a summary", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next(Testing.say("word ".repeat(5_000)), Testing.overflow({ limit: 4_000 }), Testing.say("done"))
      yield* AgentLoop.run("first")
      assert.strictEqual((yield* AgentLoop.run("second")).text, "done")
      assert.strictEqual(yield* Surface.generation, 1)
      const requests = yield* script.requests
      assert.include(JSON.stringify(requests.at(-1)?.messages), "summary")
    }).pipe(Effect.provide(session(Summarizer.layerWith(() => Effect.succeed("summary")))))
  )

  it.effect("gives the caller the provider's own error where nothing helps", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      const refusal = Testing.overflow()
      yield* script.next(refusal)
      const error = yield* Effect.flip(AgentLoop.run("a short question"))
      assert.strictEqual(error, refusal)
      assert.strictEqual((yield* script.requests).length, 1)
    }).pipe(
      Effect.provide(
        session(
          Summarizer.layerWith(() => Effect.fail(new Errors.SummaryFailed({ reason: "model", detail: "it is down" })))
        )
      )
    )
  )

  it.effect("stops when it is told to, also while it is rescued", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next(Testing.say("word ".repeat(5_000)), Testing.overflow({ limit: 4_000 }), Testing.say("never"))
      yield* AgentLoop.run("first")
      const turn = yield* Effect.fork(AgentLoop.run("second"))
      yield* Deferred.await(summarising)
      yield* Fiber.interrupt(turn)
      assert.strictEqual((yield* script.requests).length, 2)
      assert.strictEqual((yield* AgentLoop.state)._tag, "Idle")
    }).pipe(
      Effect.provide(
        session(Summarizer.layerWith(() => Effect.zipRight(Deferred.succeed(summarising, undefined), Effect.never)))
      )
    )
  )
})

const summarising = Effect.runSync(Deferred.make<void>())
