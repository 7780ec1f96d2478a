import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { LogStore } from "../../src/index.ts"
import { runs, worlds } from "./conversation.ts"
import { ClientError, failure, others, overflow, send } from "./failing.ts"
import { layerSession, makeModel, play } from "./play.ts"

/** The very value that came out: an error inside a span is easily a proxy of itself. */
const cameOut = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isSuccess(exit)
    ? "success"
    : Option.match(Cause.failureOption(exit.cause), {
        onNone: () => Cause.pretty(exit.cause),
        onSome: (error) => error
      })

describe("I4 the original error survives", () => {
  it.effect.prop(
    "I4 a turn whose last request was refused fails with the provider's error of that request, the same value",
    [worlds],
    ([world]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const turns = yield* play(world, model).pipe(
          Effect.provide(layerSession(world, yield* LogStore.makeMemory, model))
        )
        for (const [number, { exit }] of turns.entries()) {
          const last = model.seen.filter(({ turn }) => turn === number).at(-1)
          if (last?.error === undefined) assert.isTrue(Exit.isSuccess(exit), String(cameOut(exit)))
          else assert.isTrue(cameOut(exit) === last.error, `another value: ${String(cameOut(exit))}`)
        }
      }),
    runs
  )

  it.effect.prop(
    "I4 so does a client's own error, of the last attempt, through the combinator",
    [worlds, FastCheck.nat(3), FastCheck.option(failure, { nil: undefined })],
    ([world, refusals, last]) =>
      Effect.gen(function* () {
        const model = makeModel(world)
        const errors = [
          ...Array.from({ length: refusals }, () => overflow),
          ...(last === undefined ? [] : [others[last]!])
        ]
        const { exit, thrown } = yield* send(world, errors).pipe(
          Effect.provide(layerSession(world, yield* LogStore.makeMemory, model))
        )
        if (Exit.isSuccess(exit)) {
          assert.strictEqual(thrown.length, errors.length)
          return
        }
        const error = cameOut(exit)
        assert.isTrue(error === thrown.at(-1), `another value: ${String(error)}`)
        if (error instanceof ClientError) assert.strictEqual(error.secret, 1)
      }),
    runs
  )
})
