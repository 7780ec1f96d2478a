import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentLoop, LogStore, Session, Summarizer, Surface, ToolRunner } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"

const session = Session.layerOne("t").pipe(
  Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
  Layer.provide([LogStore.layerMemory, ToolRunner.layerNone, Summarizer.layerWith(() => Effect.succeed("summary"))])
)

describe("AgentLoop", () => {
  it.effect("rescues once", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next(Testing.say("word ".repeat(5_000)), Testing.overflow({ limit: 4_000 }), Testing.say("done"))
      yield* AgentLoop.run("first")
      assert.strictEqual((yield* AgentLoop.run("second")).text, "done")
      assert.strictEqual(yield* Surface.generation, 1)
      const requests = yield* script.requests
      assert.strictEqual(requests.length, 3)
      assert.isFalse(JSON.stringify(requests[2]?.messages).includes("word word"))
    }).pipe(Effect.provide(session))
  )
})
