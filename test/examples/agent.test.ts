import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { AgentLoop, LogStore, Message, Sessions, Summarizer, Surface, ToolRunner } from "effect-compaction"
import * as Testing from "effect-compaction/testing"
import { ask, Live, program, serve } from "../../examples/agent.ts"
import { logged } from "./simulated.ts"

const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()).pipe(
  Effect.provide(NodeFileSystem.layer)
)

describe("examples/agent.ts", () => {
  it.scopedLive("answers with tools until the window is nearly full, and compacts before it is", () =>
    Effect.gen(function* () {
      const lines = yield* logged(Effect.provide(program, Live(yield* folder)))
      assert.strictEqual(lines.length, 4)
      assert.strictEqual(lines[0], "Which Effect do we need? Done. (replaced 0 times so far)")
      assert.match(lines[3] ?? "", /^Is that all\? Done\. \(replaced [1-9] times so far\)$/)
    })
  )

  it.scopedLive("goes on where an earlier process stopped", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* ask("t42", "remember the word apple").pipe(Effect.provide(Live(directory)))
      const before = yield* Sessions.use("t42", Surface.messages).pipe(Effect.provide(Live(directory)))
      assert.deepStrictEqual(before.map(Message.text), ["remember the word apple", "", "", "Done."])
      const { text } = yield* ask("t42", "which word?").pipe(Effect.provide(Live(directory)))
      assert.strictEqual(text, "Done.")
    })
  )

  it.scopedLive("is called from a promise, and an abort interrupts the turn", () =>
    Effect.gen(function* () {
      const App = Layer.mergeAll(
        Testing.layerScript({ window: 8_000 }),
        LogStore.layerMemory,
        ToolRunner.layerNone,
        Summarizer.layerWith(() => Effect.succeed("summary"))
      )
      const runtime = yield* Effect.acquireRelease(
        Effect.sync(() => ManagedRuntime.make(Layer.provideMerge(Sessions.layer(), App))),
        (runtime) => runtime.disposeEffect
      )
      const asked = yield* Deferred.make<void>()
      yield* Effect.flatMap(Testing.Script, (script) =>
        script.next(() => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never), Testing.say("here again"))
      ).pipe(Effect.provide(runtime))
      const post = serve(runtime)

      const controller = new AbortController()
      const first = post(new Request("http://app", { method: "POST", body: "one", signal: controller.signal }))
      yield* Deferred.await(asked)
      controller.abort()
      const outcome = yield* Effect.promise(() => first.then(() => "answered", String))
      assert.include(outcome, "interrupted")

      const second = yield* Effect.promise(() => post(new Request("http://app", { method: "POST", body: "two" })))
      assert.strictEqual(yield* Effect.promise(() => second.text()), "here again")
      const ends = yield* Effect.provide(
        Sessions.use(
          "t42",
          Effect.flatMap(Surface.Surface, (surface) =>
            Stream.runFold(surface.history(0), [] as ReadonlyArray<unknown>, (all, event) =>
              event.type === "turn/end" ? [...all, event.data] : all
            )
          )
        ),
        runtime
      )
      assert.deepStrictEqual(ends, [
        { turn: 0, outcome: "interrupted" },
        { turn: 1, outcome: "completed" }
      ])
      assert.deepStrictEqual(yield* Effect.provide(Sessions.use("t42", AgentLoop.state), runtime), { _tag: "Idle" })
    })
  )
})
