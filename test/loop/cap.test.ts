import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { Crash, layerCrashing } from "./crash.ts"
import { arrivedOf, asked, inSession, layerSession, long, next, tool, turnLines, words, world } from "./world.ts"

const { call, on, say, stall, status } = SimulatedProvider

/** Refuses the next request of the conversation, and names no figure that would exclude another try. */
const tooLong = on("conversation", status(400, { error: { message: "too long", code: "context_length_exceeded" } }))

const turns = Effect.gen(function* () {
  for (let i = 0; i < 4; i++) {
    yield* next(say(long(1_200, `old${i}`)))
    yield* AgentLoop.run(`Question ${i}`)
  }
})

/** Makes one message smaller a run, so that each rescue has evidence of its own. */
const oneAtATime: CompactService.Rung = {
  name: "one-at-a-time",
  paid: false,
  propose: ({ state }) => {
    const node = SurfaceState.nodes(state.surface).find(({ message }) => Message.text(message).length > 100)
    if (node === undefined) return undefined
    const { seq } = node
    return {
      first: seq,
      last: seq,
      price: 1,
      why: "",
      attempt: ({ ticket }) =>
        Effect.flatMap(Surface.Surface, (surface) =>
          surface.replace(ticket, {
            expected: { nodes: [node] },
            spans: [
              {
                first: seq,
                last: seq,
                by: { type: "message/assistant", data: { message: Message.assistant("short") } }
              }
            ],
            records: () => ({ before: [], after: [] })
          })
        )
    }
  }
}
const steadily = layerSession(CompactService.layerWith({ rungs: () => [oneAtATime] }))

const unknownWindow = { told: null, window: 30_000 }

describe("the cap of retries, through the loop and over HTTP", () => {
  for (const cap of [0, 1, 3]) {
    it.live(
      `maxOverflowRetries ${cap}: sent ${cap + 1} times, and nothing is compacted after the last refusal [A108]`,
      () =>
        Effect.gen(function* () {
          yield* turns
          yield* next(...Array.from({ length: 6 }, () => tooLong))
          assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, "ContextWindowExceeded")
          const lines = yield* turnLines
          assert.lengthOf(
            lines.filter((line) => line.startsWith("step/start")),
            cap + 1
          )
          // the ladder had four messages to shorten
          assert.strictEqual(yield* Surface.generation, cap)
          assert.lengthOf(
            lines.filter((line) => line === "rescue/end retry"),
            cap
          )
          assert.notInclude(lines, "rescue/end declined")
        }).pipe(
          Effect.provide(steadily),
          Effect.provide(world({ ...unknownWindow, policy: { maxOverflowRetries: cap, summary: { attempts: 1 } } }))
        )
    )
  }

  it.live("a completed answer refills it, within one turn [A109]", () =>
    Effect.gen(function* () {
      const read = (id: string) => call(Message.toolCall(id, "read", {}))
      yield* next(read("a"), read("b"), read("c"), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Read")).text, "done")
      assert.deepStrictEqual(yield* asked, [
        "conversation answered",
        "conversation refused",
        "conversation answered",
        "conversation refused",
        "conversation answered",
        "conversation refused",
        "conversation answered"
      ])
    }).pipe(
      inSession,
      Effect.provide(
        world({
          window: 5_000,
          tools: { read: tool(() => Effect.succeed(words(5_000))) },
          policy: { auto: { pressure: false } }
        })
      )
    )
  )

  it.live("the end of a turn that failed refills it [A109]", () =>
    Effect.gen(function* () {
      yield* turns
      yield* next(tooLong, tooLong)
      assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, "ContextWindowExceeded")
      assert.strictEqual(yield* Surface.generation, 1)
      yield* next(tooLong, say("done"))
      assert.strictEqual((yield* AgentLoop.run("Go on")).text, "done")
    }).pipe(Effect.provide(steadily), Effect.provide(world({ ...unknownWindow, policy: { summary: { attempts: 1 } } })))
  )

  it.live("a crash does not refill it, and neither does reopening [P40]", () => {
    const log = layerCrashing()
    return Effect.gen(function* () {
      const turn = yield* Effect.gen(function* () {
        yield* turns
        yield* next(tooLong, on("conversation", stall()))
        yield* AgentLoop.run("Go on")
      }).pipe(inSession, Effect.forkDaemon)
      // the retry is out: after four answers and a refusal
      yield* arrivedOf("conversation", 5)
      yield* Effect.flatten(Crash)
      yield* Fiber.interrupt(turn)
      yield* Effect.gen(function* () {
        const lines = yield* turnLines
        assert.deepStrictEqual(lines.slice(-2), ["step/end 1 interrupted settled", "turn/end 4 interrupted settled"])
        assert.strictEqual((yield* (yield* Surface.Surface).state).refusals, 1)
      }).pipe(inSession)
      yield* Effect.gen(function* () {
        // there is enough that could be taken away
        yield* Surface.append(...Array.from({ length: 4 }, () => Message.assistant(long(1_200))))
        const before = (yield* asked).length
        yield* next(tooLong)
        assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, "ContextWindowExceeded")
        // no attempt is left, so nothing was tried
        assert.deepStrictEqual((yield* asked).slice(before), ["conversation faulted"])
        assert.strictEqual((yield* (yield* Surface.Surface).state).refusals, 0)
      }).pipe(inSession)
    }).pipe(Effect.provide(Layer.merge(world({ ...unknownWindow, log }), log)))
  })
})
