import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type AgentLoop, LogStore, Sessions, Summarizer, Surface, ToolRunner } from "effect-compaction"
import * as Testing from "effect-compaction/testing"
import { router } from "../../examples/stream.ts"

// no session stays open but for as long as somebody uses it
const Live = HttpServer.serve(router).pipe(
  Layer.provideMerge(Sessions.layer({ idleTimeToLive: 0 })),
  Layer.provideMerge(
    Layer.mergeAll(
      Testing.layerScript({ window: 8_000 }),
      LogStore.layerMemory,
      ToolRunner.layerNone,
      Summarizer.layerWith(() => Effect.succeed("summary"))
    )
  ),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

const events = (prompt: string) =>
  Stream.unwrap(Effect.map(HttpClient.get(`/sessions/t42?prompt=${prompt}`), (response) => response.stream)).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("data: ")),
    Stream.map((line) => JSON.parse(line.slice(6)) as AgentLoop.TurnEvent)
  )

const turnEnds = Sessions.use(
  "t42",
  Effect.flatMap(Surface.Surface, (surface) =>
    Stream.runFold(surface.history(0), [] as ReadonlyArray<unknown>, (all, event) =>
      event.type === "turn/end" ? [...all, event.data] : all
    )
  )
)

describe("examples/stream.ts", () => {
  it.scopedLive("streams a turn as server-sent events", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      yield* script.next(Testing.say("Hello you"))
      const all = yield* Stream.runFold(events("Hello"), [] as ReadonlyArray<string>, (tags, { _tag }) => [
        ...tags,
        _tag
      ])
      assert.deepStrictEqual(all, ["StepStarted", "TextDelta", "TurnEnd"])
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("interrupts the turn when the tab is closed, and lets the session go", () =>
    Effect.gen(function* () {
      const script = yield* Testing.Script
      const stopped = yield* Deferred.make<void>()
      yield* script.next(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)))
      const first = yield* Stream.runHead(events("Hello"))
      assert.strictEqual(first._tag, "Some")
      yield* Deferred.await(stopped)
      // the next one waits until the session is closed, and opens it anew
      yield* script.next(Testing.say("again"))
      const last = yield* Stream.runLast(events("Again"))
      assert.deepInclude(last._tag === "Some" ? last.value : {}, { _tag: "TurnEnd", text: "again" })
      assert.deepStrictEqual(yield* turnEnds, [
        { turn: 0, outcome: "interrupted" },
        { turn: 1, outcome: "completed" }
      ])
    }).pipe(Effect.provide(Live))
  )
})
