import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { AgentLoop, LogStore, Message, Session, Summarizer, Surface, ToolRunner } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"
import { runs, worlds } from "./conversation.ts"
import { died, layerSurface, operations, perform } from "./operations.ts"
import { layerSession, makeModel, play } from "./play.ts"
import { brokenPair } from "./reading.ts"

const calls = ["a", "b", "c"]

/** A model that calls three tools, then talks; the tools that are named here wait for an answer from elsewhere. */
const layerSuspending = (waiting: ReadonlyArray<string>) =>
  Session.layerOne("s").pipe(
    Layer.provideMerge(Testing.layerScript({ window: 8_000 })),
    Layer.provide([
      LogStore.layerMemory,
      ToolRunner.layer({
        tool: {
          schema: { parameters: {} },
          run: (_, { id }) => Effect.succeed(waiting.includes(id) ? { suspend: "ask" } : `result ${id}`)
        }
      }),
      Summarizer.layerWith(() => Effect.succeed("summary"))
    ])
  )

const action = FastCheck.oneof(
  FastCheck.record({ does: FastCheck.constant("inject" as const), text: FastCheck.constantFrom("news", "more") }),
  FastCheck.record({ does: FastCheck.constant("prompt" as const), text: FastCheck.constantFrom("and now?", "well?") }),
  FastCheck.record({ does: FastCheck.constant("append" as const), text: FastCheck.constantFrom("by hand", "again") }),
  FastCheck.record({ does: FastCheck.constant("resume" as const), answers: FastCheck.subarray([...calls, "unknown"]) })
)

type Action = typeof action extends FastCheck.Arbitrary<infer A> ? A : never

const act = (given: Action): Effect.Effect<unknown, unknown, AgentLoop.AgentLoop | Surface.Surface> => {
  switch (given.does) {
    case "inject":
      return AgentLoop.inject(Message.user(given.text))
    case "prompt":
      return AgentLoop.run(given.text)
    case "append":
      return Surface.append(Message.user(given.text))
    case "resume":
      return AgentLoop.resume(Object.fromEntries(given.answers.map((id) => [id, `late ${id}`])))
  }
}

describe("I6 pairs stay together", () => {
  it.effect.prop(
    "I6 in every request that the model saw each call has its result behind it, whatever was compacted [PAIR-1 PAIR-12]",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        yield* play(world, model).pipe(Effect.provide(layerSession(world, yield* LogStore.makeMemory, model)))
        for (const { request } of model.seen) assert.isUndefined(brokenPair(request.messages))
        for (const span of model.summarised) assert.isUndefined(brokenPair(span))
      }),
    runs
  )

  it.effect.prop(
    "I6 no operation on a surface parts a pair, nor puts half of one there [P26]",
    [operations],
    ([given]) =>
      Effect.gen(function* () {
        const surface = yield* Surface.Surface
        for (const operation of given) {
          const exit = yield* perform(surface, operation)
          assert.isFalse(died(exit), String(exit))
          // calls at the very end may wait, and only there
          const state = yield* surface.state
          const waiting = state.surface.unanswered.map(({ id }) =>
            Message.toolResult({ id, name: "tool", content: "" })
          )
          assert.isUndefined(brokenPair([...(yield* surface.messages), ...waiting]))
        }
        yield* surface.append(Message.user("go on"))
        assert.isUndefined(brokenPair(yield* surface.messages))
      }).pipe(Effect.provide(Layer.unwrapEffect(Effect.map(LogStore.makeMemory, (store) => layerSurface(store))))),
    runs
  )

  it.effect.prop(
    "I6 no request is built while a suspended turn's calls wait, and none with half of them",
    [FastCheck.subarray(calls, { minLength: 1 }), FastCheck.array(action, { maxLength: 6 })],
    ([waiting, actions]) =>
      Effect.gen(function* () {
        const script = yield* Testing.Script
        yield* script.next(
          Testing.call(...calls.map((id) => ({ id, name: "tool" }))),
          ...Array.from({ length: 10 }, () => Testing.say("fine"))
        )
        yield* AgentLoop.run("begin")
        for (const given of actions) {
          yield* Effect.exit(act(given))
        }
        for (const { messages } of yield* script.requests) assert.isUndefined(brokenPair(messages))
        const { _tag } = yield* AgentLoop.state
        if (_tag === "Suspended") assert.strictEqual((yield* script.requests).length, 1)
      }).pipe(Effect.provide(layerSuspending(waiting))),
    runs
  )
})
