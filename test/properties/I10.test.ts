import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { CompactService, LogStore, Message, Surface } from "../../src/index.ts"
import { layerFaultyLog } from "../../src/testing/index.ts"
import { atOnce, runs, textOf, type World } from "./conversation.ts"
import { awaitEnd, drive, layerSession, makeModel, route } from "./play.ts"
import { type Event, foldLog, readLog, unsettled } from "./reading.ts"

const world: World = {
  turns: [],
  window: 100_000,
  told: 600,
  states: { limit: false, requested: false },
  reports: false,
  policy: { threshold: 0.5, prune: { over: 300, head: 60, tail: 20 } },
  backend: { is: "a ladder", rungs: ["prune", "summarise"] },
  summary: "honest",
  takes: { ...atOnce, summary: 100 }
}

/** Enough for several compactions. */
const fill = Effect.gen(function* () {
  const surface = yield* Surface.Surface
  yield* surface.commit(() => [{ type: "request/envelope", data: { envelope: { route } } }])
  for (let seed = 0; seed < 4; seed++) {
    yield* surface.append(
      Message.user(textOf({ script: "latin", count: 150, seed })),
      Message.assistant([Message.toolCall("a", "tool", {})]),
      Message.toolResult({ id: "a", name: "tool", content: textOf({ script: "code", count: 80, seed }) }),
      Message.assistant("done")
    )
  }
})

const caller = FastCheck.record({
  trigger: FastCheck.constantFrom("pressure" as const, "context-overflow" as const, "manual" as const),
  after: FastCheck.nat(30),
  appends: FastCheck.boolean(),
  interruptedAfter: FastCheck.option(FastCheck.nat(30), { nil: undefined })
})

describe("I10 one compaction a session at a time", () => {
  it.effect.prop(
    "I10 callers of any trigger, at any time, never have two under way, and each leaves one record of its end [A142 P53]",
    [FastCheck.array(caller, { minLength: 2, maxLength: 5 })],
    ([callers]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        yield* Effect.gen(function* () {
          yield* fill
          const fibers = yield* Effect.forEach(callers, ({ after, appends, interruptedAfter, trigger }) =>
            Effect.gen(function* () {
              yield* Effect.repeatN(Effect.yieldNow(), after)
              if (appends) yield* Surface.append(Message.user("meanwhile"))
              const run = yield* Effect.fork(CompactService.compactIfNeeded(trigger))
              if (interruptedAfter !== undefined) {
                yield* Effect.repeatN(Effect.yieldNow(), interruptedAfter)
                yield* Fiber.interrupt(run)
              }
              return yield* Fiber.await(run)
            }).pipe(Effect.fork)
          )
          for (const fiber of fibers) {
            const exit = yield* yield* awaitEnd(fiber)
            if (Exit.isFailure(exit)) assert.notStrictEqual(exit.cause._tag, "Die", String(exit))
          }
        }).pipe(Effect.provide(layerSession(world, store, makeModel(world))))
        const events = yield* readLog(store, "s")
        assert.isUndefined(unsettled(events))
        for (const { stood } of foldLog(events).landings) assert.isTrue(stood)
      }),
    runs
  )

  it.effect.prop(
    "I10 a crash inside one is seen by the next open, which closes it and carries on [A131 P55]",
    [FastCheck.constantFrom("compaction/start", "compaction/call", "compaction/prune"), FastCheck.boolean()],
    ([type, overflow]) =>
      Effect.gen(function* () {
        const store = yield* LogStore.makeMemory
        const trigger = overflow ? "context-overflow" : "pressure"
        yield* Effect.gen(function* () {
          const dying = yield* LogStore.LogStore
          yield* drive(
            Effect.zipRight(fill, CompactService.compactIfNeeded(trigger)).pipe(
              Effect.provide(layerSession(world, dying, makeModel(world)))
            )
          )
        }).pipe(
          Effect.provide(
            Layer.provide(
              layerFaultyLog([
                {
                  at: ({ events }) => (events as ReadonlyArray<Event>).some((event) => event.type === type),
                  does: "crashes"
                }
              ]),
              Layer.succeed(LogStore.LogStore, store)
            )
          )
        )
        const dead = yield* readLog(store, "s")
        assert.strictEqual(dead.at(-1)?.type === "message/tool-result", type === "compaction/prune")
        const outcome = yield* yield* drive(
          Effect.zipRight(Surface.append(Message.user("go on")), CompactService.compactNow).pipe(
            Effect.provide(layerSession(world, store, makeModel(world)))
          )
        )
        assert.strictEqual(outcome._tag, "Reduced")
        const events = yield* readLog(store, "s")
        assert.isUndefined(unsettled(events))
        const ends = events.flatMap((event) => (event.type === "compaction/end" ? [event.data.outcome] : []))
        assert.deepStrictEqual(ends, type === "compaction/prune" ? ["landed"] : ["interrupted", "landed"])
      }),
    runs
  )
})
