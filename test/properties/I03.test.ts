import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LogStore } from "../../src/index.ts"
import { runs, worlds } from "./conversation.ts"
import { layerSession, makeModel, play, type Seen } from "./play.ts"

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
    "I3 a refused request is sent again at a higher generation, smaller, within the bound; and then it is sent",
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
})
