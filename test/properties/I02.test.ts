import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LogStore, Surface, SurfaceState, TokenEstimator } from "../../src/index.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import { InvalidReplacement } from "../../src/errors/CompactionError.ts"
import type { Message } from "../../src/index.ts"
import { runs } from "./conversation.ts"
import { layerSurface, operations, perform } from "./operations.ts"
import { foldLog, readLog } from "./reading.ts"

const weights = runEstimator.weights({ provider: "unknown", model: "unknown" })

/** Before any report the price of a message is the estimate of what it holds. */
const priceOf = (message: Message.Message) =>
  runEstimator.message(message).reduce((sum, count, k) => sum + count * weights[k]!, 0)

const failureOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && exit.cause._tag === "Fail" ? exit.cause.error : undefined

describe("I2 a replacement shrinks", () => {
  it.effect.prop(
    "I2 what lands weighs less than what it shadows, and what is refused as not smaller does not [A68 A93 STALE-6]",
    [operations],
    ([given]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        const messages = yield* Effect.gen(function* () {
          const surface = yield* Surface.Surface
          for (const operation of given) {
            const before = (yield* surface.state).surface
            const exit = yield* perform(surface, operation)
            const after = (yield* surface.state).surface
            if (operation.does === "appends") continue
            const total = (state: typeof before) =>
              SurfaceState.messages(state).reduce((sum, message) => sum + priceOf(message), 0)
            if (Exit.isSuccess(exit)) {
              assert.isBelow(total(after), total(before))
            } else {
              assert.strictEqual(after, before)
              const error = failureOf(exit)
              if (!(error instanceof InvalidReplacement) || error.reason !== "not-smaller") continue
              const from = operation.from % before.length
              const shadowed = SurfaceState.nodes(before, from, (operation.to % before.length) + 1)
              const least = priceOf({ role: "user", content: [{ type: "text", text: operation.text }] })
              // a result has a frame of its own, and costs no less than its text
              assert.isAtLeast(
                least + (operation.by === "text" ? 0 : 40),
                shadowed.reduce((sum, { message }) => sum + priceOf(message), 0)
              )
            }
          }
          return yield* surface.messages
        }).pipe(Effect.provide(layerSurface(store)))

        const events = yield* readLog(store, "s")
        const seqs = new Map(events.map((event) => [event.seq, event]))
        for (const { seq, sources } of foldLog(events).landings) {
          const stored = (at: number) => {
            const data = seqs.get(at)?.data
            assert.isTrue(data !== undefined && "counts" in data)
            const { values } = (data as { readonly counts: { readonly values: ReadonlyArray<number> } }).counts
            return values.reduce((sum, count, k) => sum + count * weights[k]!, 0)
          }
          assert.isBelow(
            stored(seq),
            sources.reduce((sum, source) => sum + stored(source), 0)
          )
        }

        // decided once: an estimator to which everything weighs the same reads the same surface
        const replayed = yield* Surface.messages.pipe(
          Effect.provide(layerSurface(store)),
          Effect.provideService(TokenEstimator.TokenEstimator, {
            ...runEstimator,
            id: "all-alike",
            message: () => runEstimator.message({ role: "user", content: [] })
          })
        )
        assert.deepStrictEqual(replayed, messages)
      }),
    runs
  )
})
