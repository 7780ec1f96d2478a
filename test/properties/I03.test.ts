import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { LogStore, Message, OverflowRescue, Surface } from "../../src/index.ts"
import { layerFaultyLog } from "../../src/testing/index.ts"
import { runs, textOf, type World, worlds } from "./conversation.ts"
import { overflow } from "./failing.ts"
import { perform } from "./operations.ts"
import { drive, layerSession, makeModel, play, playTurn, promptOf, route, type Seen } from "./play.ts"
import { readLog } from "./reading.ts"

/** The requests of a turn in chains: each ends with an answer, or with the last refusal. */
const chainsOf = (seen: ReadonlyArray<Seen>): ReadonlyArray<ReadonlyArray<Seen>> => {
  const chains: Array<Array<Seen>> = []
  let open: Array<Seen> | undefined
  for (const one of seen) {
    if (open === undefined || open[0]!.turn !== one.turn) chains.push((open = []))
    open.push(one)
    if (one.error === undefined) open = undefined
  }
  return chains
}

describe("I3 no retry without evidence", () => {
  it.effect.prop(
    "I3 a refused request is sent again at a higher generation, smaller, within the bound; and then it is sent [A100]",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const turns = yield* play(world, model).pipe(
          Effect.provide(layerSession(world, yield* LogStore.makeMemory, model))
        )
        const retries = world.policy.maxOverflowRetries!
        for (const chain of chainsOf(model.seen)) {
          assert.isAtMost(chain.length, 1 + retries)
          for (const [i, one] of chain.entries()) {
            const before = chain[i - 1]
            if (before === undefined) continue
            assert.isAbove(one.request.generation, before.request.generation)
            assert.isBelow(one.size, before.size)
          }
        }
        for (const [number, { exit, generation, lower }] of turns.entries()) {
          const chain = chainsOf(model.seen.filter(({ turn }) => turn === number)).at(-1) ?? []
          const last = chain.at(-1)
          if (last?.error === undefined) continue
          assert.isTrue(Exit.isFailure(exit), "a turn ends with the refusal that was not tried again")
          const evidence = generation > last.request.generation
          const excluded = world.states.limit && lower > world.window
          assert.isFalse(evidence && chain.length <= retries && !excluded, "it should have been sent again")
        }
      }),
    runs
  )

  it.effect.prop(
    "I3 what somebody else compacted meanwhile is the evidence: it is sent again, and no ladder is climbed",
    [worlds, FastCheck.boolean()],
    ([given, lands]) =>
      Effect.gen(function* () {
        const world: World = {
          ...given,
          told: undefined,
          policy: { ...given.policy, auto: true, maxOverflowRetries: 1 },
          backend: { is: "a liar", lie: "nothing-changed" }
        }
        const store = yield* LogStore.makeMemory
        const generations: Array<number> = []
        const exit = yield* Effect.gen(function* () {
          const surface = yield* Surface.Surface
          yield* surface.append(
            ...world.turns.map(promptOf),
            Message.user("a long story. ".repeat(50)),
            Message.user("go on")
          )
          return yield* drive(
            OverflowRescue.retry({
              envelope: { route },
              send: ({ generation }) =>
                Effect.gen(function* () {
                  generations.push(generation)
                  if (generations.length > 1) return "an answer"
                  if (lands) {
                    yield* Effect.orDie(
                      perform(surface, {
                        does: "replaces",
                        from: world.turns.length,
                        to: world.turns.length,
                        by: "text",
                        text: "short",
                        under: "the ticket"
                      })
                    )
                  }
                  return yield* overflow()
                })
            })
          )
        }).pipe(Effect.provide(layerSession(world, store, makeModel(world))))
        assert.deepStrictEqual(generations, lands ? [0, 1] : [0])
        assert.strictEqual(Exit.isSuccess(exit), lands)
      }),
    runs
  )

  it.effect.prop(
    "I3 a crash does not refill the attempts of a chain [P40]",
    [worlds, FastCheck.integer({ min: 1, max: 3 }), FastCheck.nat(30)],
    ([given, retries, at]) =>
      Effect.gen(function* () {
        const long = { script: "latin" as const, count: 400, seed: 1 }
        const turn = { prompt: long, image: false, answers: [] }
        // whatever is sent is refused, so that nothing but the count ends the chain
        const world: World = {
          ...given,
          turns: [turn],
          window: 0,
          told: undefined,
          states: { limit: false, requested: false },
          policy: { ...given.policy, auto: true, maxOverflowRetries: retries },
          backend: { is: "a ladder", rungs: ["prune", "summarise"] },
          summary: "honest"
        }
        const model = makeModel(world)
        const store = yield* LogStore.makeMemory
        const live = (over: typeof store) => layerSession(world, over, model)
        yield* drive(
          Surface.append(...[2, 3, 4, 5].map((seed) => Message.user(textOf({ ...long, seed })))).pipe(
            Effect.provide(live(store))
          )
        )
        for (let crash = 0; crash < 4; crash++) {
          yield* Effect.gen(function* () {
            const dying = yield* LogStore.LogStore
            yield* drive(Effect.provide(playTurn(model, turn), live(dying)))
          }).pipe(
            Effect.provide(
              Layer.provide(layerFaultyLog([{ at: at + 3, does: "crashes" }]), Layer.succeed(LogStore.LogStore, store))
            )
          )
          const events = yield* readLog(store, "s")
          if (events.some((event) => event.type === "turn/end" && event.data.settled !== true)) break
        }
        const sentAgain = chainsOf(model.seen).reduce((sum, chain) => sum + chain.length - 1, 0)
        assert.isAtMost(sentAgain, retries)
      }),
    runs
  )
})
