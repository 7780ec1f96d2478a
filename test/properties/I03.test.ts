import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { LogStore } from "../../src/index.ts"
import { runs, worlds, type World } from "./conversation.ts"
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

const contextOverflow = ({ auto }: World["policy"]) => typeof auto === "object" && auto.contextOverflow === true

describe("I3 no retry without evidence", () => {
  it.effect.prop(
    "I3 a refused request is sent again only at a higher generation and smaller, within the policy's bound",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        yield* play(world, model).pipe(Effect.provide(layerSession(world, yield* LogStore.makeMemory, model)))
        for (const chain of chainsOf(model.seen)) {
          assert.isAtMost(chain.length, 1 + world.policy.maxOverflowRetries!)
          for (const [i, one] of chain.entries()) {
            const before = chain[i - 1]
            if (before === undefined) continue
            assert.isAbove(one.request.generation, before.request.generation)
            assert.isBelow(one.size, before.size)
          }
        }
      }),
    runs
  )

  it.effect.prop(
    "I3 on evidence, with an attempt left and nothing known against it, it is sent again",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const turns = yield* play(world, model).pipe(
          Effect.provide(layerSession(world, yield* LogStore.makeMemory, model))
        )
        for (const [number, { exit, generation, lower }] of turns.entries()) {
          const chain = chainsOf(model.seen.filter(({ turn }) => turn === number)).at(-1) ?? []
          const last = chain.at(-1)
          if (last?.error === undefined) continue
          assert.isTrue(Exit.isFailure(exit), "a refused request without a retry fails the turn")
          const evidence = generation > last.request.generation
          const left = chain.length <= world.policy.maxOverflowRetries!
          const excluded = world.states.limit && lower > world.window
          assert.isFalse(
            evidence && left && !excluded && contextOverflow(world.policy),
            "it should have been sent again"
          )
        }
      }),
    runs
  )

  it.effect.prop(
    "I3 what a backend does never changes how a turn without an overflow ends",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const roomy = { ...world, window: 1_000_000 }
        const model = makeModel(roomy)
        const turns = yield* play(roomy, model).pipe(
          Effect.provide(layerSession(roomy, yield* LogStore.makeMemory, model))
        )
        for (const { exit } of turns) {
          assert.isTrue(Exit.isSuccess(exit), Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
        }
        assert.isTrue(Option.isNone(Option.fromNullable(model.seen.find(({ error }) => error !== undefined))))
      }),
    runs
  )
})
