import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { LogStore } from "../../src/index.ts"
import { type Fault, layerFaultyLog } from "../../src/testing/index.ts"
import { runs, textOf, type World, worlds } from "./conversation.ts"
import { layerSession, makeModel, play } from "./play.ts"

/** Everything is pressure, and nothing is refused. */
const pressed = (world: World): World => ({
  ...world,
  window: 1_000_000,
  told: Math.min(world.told ?? 300, 900),
  policy: { ...world.policy, auto: true, threshold: 0.5 }
})

const isCompaction = (batch: { readonly events: ReadonlyArray<unknown> }) =>
  batch.events.some((event) => (event as { readonly type: string }).type.startsWith("compaction/"))

const faults = FastCheck.constantFrom<Array<ReadonlyArray<Fault>>>(
  [],
  [],
  // the records of compaction cannot be written, and nothing else is wrong with the log
  [{ at: isCompaction, does: "fails" }]
)

describe("I5 prevention never fails a turn", () => {
  it.effect.prop(
    "I5 every turn ends with the model's answer, whatever the backend and the summariser do under pressure [A96 CONTINUE-2]",
    [worlds, faults],
    ([given, faults]) =>
      Effect.gen(function* () {
        const world = pressed(given)
        const model = makeModel(world)
        const memory = Layer.effect(LogStore.LogStore, LogStore.makeMemory)
        const turns = yield* Effect.gen(function* () {
          return yield* play(world, model).pipe(Effect.provide(layerSession(world, yield* LogStore.LogStore, model)))
        }).pipe(Effect.provide(Layer.provide(layerFaultyLog(faults), memory)))
        for (const [number, { exit }] of turns.entries()) {
          assert.isTrue(Exit.isSuccess(exit), Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
          const { answers } = world.turns[number]!
          const end = answers.findIndex(({ does }) => does !== "calls")
          const requests = model.seen.filter(({ turn }) => turn === number).length
          assert.strictEqual(requests, end < 0 ? answers.length + 1 : end + 1, "each request was sent once")
          const last = answers[end]
          if (Exit.isSuccess(exit) && last !== undefined) {
            assert.strictEqual(exit.value.text, "words" in last ? textOf(last.words) : "")
          }
        }
      }),
    runs
  )
})
