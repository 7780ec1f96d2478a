import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { AgentLoop, LogStore, Session, Summarizer, ToolRunner } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"

const session = Session.layerOne("t").pipe(
  Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
  Layer.provide([LogStore.layerMemory, ToolRunner.layerNone, Summarizer.layerWith(() => Effect.succeed("summary"))])
)

describe("telemetry", () => {
  it.effect("the span of a request has the route and the usage under the names of gen_ai", () => {
    const spans: Array<Tracer.Span> = []
    const tracer = Effect.map(Effect.tracer, (own) =>
      Tracer.make({
        context: own.context,
        span: (...made) => {
          const span = own.span(...made)
          spans.push(span)
          return span
        }
      })
    )
    return Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next({ message: Testing.say("done"), usage: { inputTokens: 12, outputTokens: 3 } })
      yield* Effect.withTracer(AgentLoop.run("go"), yield* tracer)
      const request = spans.find(({ name }) => name === "effect-compaction.request")
      assert.deepStrictEqual(Object.fromEntries(request?.attributes ?? []), {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "script",
        "gen_ai.request.model": "script",
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3
      })
    }).pipe(Effect.provide(session))
  })
})
