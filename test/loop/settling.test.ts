import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogStore, Surface } from "../../src/index.ts"
import { layerFaultyLog, LogWatch } from "../../src/testing/index.ts"
import { atOnce, type TurnPlan, type Words, type World } from "../properties/conversation.ts"
import { layerSession, makeModel, playTurn } from "../properties/play.ts"
import { type Event, foldLog, readLog, unsettled } from "../properties/reading.ts"

const words = (count: number, seed: number): Words => ({ script: "latin", count, seed })

const turn = (seed: number): TurnPlan => ({
  prompt: words(150, seed),
  image: false,
  answers: [
    { does: "calls", words: words(5, seed), tools: [{ answers: "text", words: words(150, seed) }] },
    { does: "says", words: words(60, seed) }
  ]
})

/** Nobody tells its window before it refuses: both a rescue and runs under pressure are in its log. */
const world: World = {
  turns: [turn(1), turn(2), turn(3), turn(4)],
  window: 900,
  told: undefined,
  states: { limit: true, requested: false },
  reports: true,
  policy: { prune: { over: 600, head: 100, tail: 50 } },
  backend: { is: "a ladder", rungs: ["reuse", "prune", "summarise"] },
  summary: "honest",
  takes: atOnce
}

type Store = typeof LogStore.LogStore.Service

const play = (store: Store) => {
  const model = makeModel(world)
  return Effect.provide(
    Effect.forEach(world.turns, (plan) => playTurn(model, plan)),
    layerSession(world, store, model)
  )
}

const open = (store: Store) =>
  Effect.provide(
    Effect.flatMap(Surface.Surface, (surface) => surface.state),
    layerSession(world, store, makeModel(world))
  )

/** The effect over a store that fails as told. */
const over = <A, E>(
  store: Store,
  faults: Parameters<typeof layerFaultyLog>[0],
  use: (store: Store) => Effect.Effect<A, E>
) =>
  Effect.flatMap(LogStore.LogStore, use).pipe(
    Effect.provide(Layer.provide(layerFaultyLog(faults), Layer.succeed(LogStore.LogStore, store)))
  )

/** A log whose writer died behind append `at`, and whether it got that far. */
const deadAfter = Effect.fnUntraced(function* (at: number) {
  const store = yield* LogStore.makeMemory
  const appends = yield* Effect.gen(function* () {
    const dying = yield* LogStore.LogStore
    yield* Effect.exit(play(dying))
    return yield* (yield* LogWatch).appends
  }).pipe(
    Effect.provide(
      Layer.provideMerge(layerFaultyLog([{ at, does: "crashes" }]), Layer.succeed(LogStore.LogStore, store))
    )
  )
  return { store, reached: appends > at }
})

const closings = ["compaction/end", "step/end", "turn/end"]

const settled = (events: ReadonlyArray<Event>) =>
  events.filter((event) => "settled" in event.data && event.data.settled === true).map(({ type }) => type)

describe("what a dead writer left open", () => {
  it.effect(
    "is closed by the next open after a death behind any write: newest first, once, whatever becomes of that open [P55 P56]",
    () =>
      Effect.gen(function* () {
        const kinds = new Set<string>()
        let at = 0
        for (; ; at++) {
          const { reached, store } = yield* deadAfter(at)
          if (!reached) break
          const dead = yield* readLog(store, "s")
          // the settling dies with nothing of it written, then the next one behind its write
          assert.strictEqual((yield* Effect.exit(over(store, [{ at: 0, does: "fails" }], open)))._tag, "Failure")
          assert.deepStrictEqual(yield* readLog(store, "s"), dead)
          yield* over(store, [{ at: 0, does: "crashes" }], open)
          const events = yield* readLog(store, "s")
          const added = events.slice(dead.length)
          assert.deepStrictEqual(events.slice(0, dead.length), dead)
          assert.strictEqual(added[0]?.type, "session/opened")
          assert.isUndefined(unsettled(events))
          const places = settled(added).map((type) => closings.indexOf(type))
          assert.deepStrictEqual(places, [...new Set(places)].sort(), `behind write ${at}`)
          kinds.add(settled(added).join(" "))
          // a committed checkpoint stands as it stood
          const before = foldLog(dead)
          const after = foldLog(events)
          assert.strictEqual(after.generation, before.generation)
          assert.deepStrictEqual(after.surface.slice(0, before.surface.length), before.surface)
          // and nothing is left to do for whoever comes now
          yield* open(store)
          yield* open(store)
          assert.deepStrictEqual(
            (yield* readLog(store, "s")).slice(events.length).map(({ type }) => type),
            ["session/opened", "session/opened"]
          )
        }
        assert.isAbove(at, 30)
        for (const kind of [
          "",
          "turn/end",
          "step/end turn/end",
          "compaction/end turn/end",
          "compaction/end step/end turn/end"
        ]) {
          assert.isTrue(kinds.has(kind), `no death left open: ${kind}`)
        }
      })
  )
})
