import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import * as Testing from "../../src/testing/index.ts"
import { scripted } from "./scripted.ts"
import { inSession, logLines, tool, words } from "./world.ts"

const script = (...lines: ReadonlyArray<Testing.Line>) =>
  Effect.flatMap(Testing.Script, (model) => model.next(...lines))
const sent = Effect.flatMap(Testing.Script, (model) =>
  Effect.map(model.requests, (requests) => requests.map((request) => request.messages.map(Message.text)))
)

describe("a turn after one that did not end as it should", () => {
  it.effect("the end that could not be written is made up for, once, before the next turn", () => {
    const writesEnd = Testing.layerFaultyLog([
      { at: ({ events }) => JSON.stringify(events).includes('"turn/end","data":{"turn":0,"outcome":"c'), does: "fails" }
    ]).pipe(Layer.provide(LogStore.layerMemory))
    return inSession(
      Effect.gen(function* () {
        yield* script(Testing.say("one"), Testing.say("two"))
        assert.strictEqual((yield* Effect.flip(AgentLoop.run("first")))._tag, "LogWriteFailed")
        assert.strictEqual((yield* AgentLoop.run("second")).text, "two")
        assert.deepStrictEqual(
          (yield* logLines).filter((line) => line.startsWith("turn/")),
          ["turn/start 0", "turn/end 0 interrupted settled", "turn/start 1", "turn/end 1 completed"]
        )
      })
    ).pipe(Effect.provide(scripted({ log: writesEnd })))
  })

  it.effect("context for a turn that was interrupted before it began is in the next one's first request", () => {
    const asked = Deferred.unsafeMake<void>(FiberId.none)
    const summarise = () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
    return inSession(
      Effect.gen(function* () {
        yield* script(Testing.say(words(500)), Testing.say("done"))
        yield* AgentLoop.run("first")
        yield* Surface.append(Message.user("a newer unit"))
        const manual = yield* Effect.fork(CompactService.compactNow)
        yield* Deferred.await(asked)
        const turn = yield* Effect.fork(AgentLoop.run("never begins"))
        yield* Effect.yieldNow().pipe(Effect.repeatN(20))
        yield* AgentLoop.inject(Message.user("the context"))
        yield* Fiber.interrupt(turn)
        yield* Fiber.interrupt(manual)
        yield* AgentLoop.run("second")
        assert.deepStrictEqual((yield* sent).at(-1)?.slice(-2), ["the context", "second"])
      })
    ).pipe(Effect.provide(scripted({ summarise })))
  })
})

it.effect("a region that holds a waiting call is refused, and the suspended turn goes on [PAIR-9]", () =>
  inSession(
    Effect.gen(function* () {
      yield* script(Testing.say(words(500)), Testing.call({ id: "a", name: "ask" }), Testing.say("done"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run("second")
      const nodes = yield* Effect.map(
        Effect.flatMap(Surface.Surface, (surface) => surface.state),
        ({ surface }) => SurfaceState.nodes(surface)
      )
      const refused = yield* Effect.flip(CompactService.compactRegion(nodes[0]!.seq, nodes.at(-1)!.seq))
      assert.deepInclude(refused, { _tag: "InvalidReplacement", reason: "splits-a-pair" })
      assert.strictEqual((yield* CompactService.compactNow)._tag, "Reduced")
      assert.strictEqual((yield* AgentLoop.resume({ a: "yes" })).text, "done")
    })
  ).pipe(Effect.provide(scripted({ tools: { ask: tool(() => Effect.succeed({ suspend: "ask" })) } })))
)
