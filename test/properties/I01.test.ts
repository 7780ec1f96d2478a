import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { LogStore, Surface } from "../../src/index.ts"
import { type Fault, layerFaultyLog, LogWatch } from "../../src/testing/index.ts"
import { runs } from "./conversation.ts"
import { died, layerSurface, operations, perform } from "./operations.ts"
import { drive } from "./play.ts"
import { type Event, foldLog, readLog } from "./reading.ts"

const faults: FastCheck.Arbitrary<ReadonlyArray<Fault>> = FastCheck.array(
  FastCheck.record({
    at: FastCheck.integer({ min: 1, max: 12 }),
    does: FastCheck.constantFrom(
      "fails" as const,
      "fails" as const,
      "doubts" as const,
      "hangs" as const,
      "crashes" as const
    ),
    lands: FastCheck.boolean()
  }),
  { maxLength: 3 }
)

const replacements = (events: ReadonlyArray<unknown>) =>
  (events as ReadonlyArray<Event>).filter((event) => "replaces" in event.data).length

describe("I1 the generation only moves forward", () => {
  it.effect.prop(
    "I1 at every moment it is the number of replacements that the log has acknowledged [A64]",
    [operations, faults],
    ([given, faults]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        let watched: typeof Surface.Surface.Service | undefined
        const early: Array<string> = []
        let acknowledged = 0
        // looks at the surface from inside the store, where a write is under way
        const look = (when: string) =>
          Effect.flatMap(watched?.generation ?? Effect.succeed(0), (generation) =>
            Effect.sync(
              () => void (generation === acknowledged || early.push(`${when}: ${generation}, not ${acknowledged}`))
            )
          )
        yield* Effect.gen(function* () {
          const faulty = yield* LogStore.LogStore
          const looking: typeof faulty = {
            ...faulty,
            open: (id) =>
              Effect.map(faulty.open(id), (log) => ({
                ...log,
                append: (batch, options) =>
                  Effect.zipRight(look("before the write"), log.append(batch, options)).pipe(
                    Effect.tap(() => look("before the answer")),
                    Effect.tap(() => Effect.sync(() => (acknowledged += replacements(batch.events))))
                  )
              }))
          }
          yield* Effect.gen(function* () {
            const surface = yield* Surface.Surface
            watched = surface
            for (const operation of given) {
              const exit = yield* yield* drive(perform(surface, operation))
              assert.isFalse(died(exit), String(exit))
              yield* look(`after it ${operation.does}`)
            }
            const { acknowledged: batches } = yield* LogWatch
            assert.strictEqual(replacements((yield* batches).flatMap(({ events }) => events)), acknowledged)
          }).pipe(Effect.provide(layerSurface(looking)))
        }).pipe(Effect.provide(layerFaultyLog(faults).pipe(Layer.provide(Layer.succeed(LogStore.LogStore, store)))))
        assert.deepStrictEqual(early, [])

        // a session never goes back, whatever of the writes in doubt is there
        const after = yield* Effect.provide(Surface.generation, layerSurface(store))
        assert.isAtLeast(after, acknowledged)
        assert.strictEqual(after, foldLog(yield* readLog(store, "s")).generation)
      }),
    runs
  )
})
