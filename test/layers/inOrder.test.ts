import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as inOrder from "../../src/layers/inOrder.ts"

describe("inOrder", () => {
  it.effect("one at a time, in the order they came, however each of them ends", () =>
    Effect.gen(function* () {
      const ordered = inOrder.make()
      const log: Array<string> = []
      const open = yield* Deferred.make<void>()
      const ending = (name: string, end: Effect.Effect<void, string>) =>
        ordered(() => {
          log.push(`${name} begins`)
          return Effect.ensuring(
            Effect.zipRight(Deferred.await(open), end),
            Effect.sync(() => log.push(`${name} ends`))
          )
        })
      const throwing = ordered((): Effect.Effect<void> => {
        log.push("thrower begins")
        throw new Error("thrown")
      })
      const fibers = yield* Effect.forEach(
        [
          ending("first", Effect.void),
          ending("failing", Effect.fail("no")),
          throwing,
          ending("dying", Effect.die("bug")),
          ordered(() => Exit.succeed(log.push("at once"))),
          ending("last", Effect.void)
        ],
        (effect) => Effect.fork(effect)
      )
      yield* Effect.yieldNow()
      assert.deepStrictEqual(log, ["first begins"])
      yield* Deferred.succeed(open, undefined)
      const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber as Fiber.RuntimeFiber<unknown, unknown>))
      assert.deepStrictEqual(
        exits.map((exit) => exit._tag),
        ["Success", "Failure", "Failure", "Failure", "Success", "Success"]
      )
      assert.deepStrictEqual(log, [
        "first begins",
        "first ends",
        "failing begins",
        "failing ends",
        "thrower begins",
        "dying begins",
        "dying ends",
        "at once",
        "last begins",
        "last ends"
      ])
      assert.strictEqual(yield* ordered(() => Exit.succeed("free again")), "free again")
    })
  )

  it.effect("an interrupt cuts neither the one that runs nor the one that waits", () =>
    Effect.gen(function* () {
      const ordered = inOrder.make()
      const open = yield* Deferred.make<void>()
      let ran = 0
      const slow = ordered(() =>
        Effect.zipRight(
          Deferred.await(open),
          Effect.sync(() => ran++)
        )
      )
      const fibers = [yield* Effect.fork(slow), yield* Effect.fork(slow)]
      yield* Effect.yieldNow()
      for (const fiber of fibers) yield* Fiber.interruptFork(fiber)
      yield* Deferred.succeed(open, undefined)
      for (const fiber of fibers) yield* Fiber.await(fiber)
      assert.strictEqual(ran, 2)
    })
  )
})
