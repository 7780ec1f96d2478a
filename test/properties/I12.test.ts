import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LogStore, Message, Surface } from "../../src/index.ts"
import { runs, worlds } from "./conversation.ts"
import { failure, others, send } from "./failing.ts"
import { layerSession, makeModel, play } from "./play.ts"
import { readLog } from "./reading.ts"

describe("I12 only the request's own overflow is rescued", () => {
  it.effect.prop(
    "I12 any other error passes through unchanged: one request, no compaction for it [A107 P7 LOOP-8]",
    [worlds, failure],
    ([given, name]) =>
      Effect.gen(function* () {
        // no pressure, so that whatever is compacted is compacted for the error
        const world = { ...given, told: undefined }
        const store = yield* LogStore.makeMemory
        const { exit, generation, thrown } = yield* Effect.gen(function* () {
          const sent = yield* send(world, [others[name]!])
          return { ...sent, generation: yield* Surface.generation }
        }).pipe(Effect.provide(layerSession(world, store, makeModel(world))))
        assert.strictEqual(thrown.length, 1)
        assert.isTrue(Exit.isFailure(exit))
        assert.isTrue(
          Exit.isFailure(exit) && Cause.originalError(Cause.squash(exit.cause)) === thrown[0],
          "it came out as another value"
        )
        assert.strictEqual(generation, 0)
        const events = yield* readLog(store, "s")
        assert.deepStrictEqual(
          events.filter(({ type }) => type.startsWith("compaction/") || type === "rescue/end").map(({ type }) => type),
          []
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event.type === "step/end" ? [event.data.outcome] : [])),
          ["failed"]
        )
      }),
    runs
  )

  it.effect.prop(
    "I12 an overflow inside a tool is that tool's result, and nothing is rescued",
    [worlds],
    ([given]) =>
      Effect.gen(function* () {
        const world = {
          ...given,
          told: undefined,
          window: 1_000_000,
          turns: given.turns.map((turn) => ({
            ...turn,
            answers: turn.answers.map((answer) =>
              answer.does === "calls"
                ? { ...answer, tools: answer.tools.map((tool) => ({ ...tool, answers: "overflows" as const })) }
                : answer
            )
          }))
        }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        const messages = yield* Effect.gen(function* () {
          for (const { exit } of yield* play(world, model)) assert.isTrue(Exit.isSuccess(exit))
          return yield* Surface.messages
        }).pipe(Effect.provide(layerSession(world, store, model)))
        for (const result of messages.flatMap(Message.toolResults)) {
          assert.isTrue(result.isError)
          assert.include(JSON.stringify(result.content), "the tool's own request was too long")
        }
        const events = yield* readLog(store, "s")
        assert.isFalse(events.some(({ type }) => type === "rescue/end" || type.startsWith("compaction/")))
      }),
    runs
  )
})
