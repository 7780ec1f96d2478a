import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { LogStore, Message, OverflowRescue, Session, Summarizer, Surface } from "../../src/index.ts"
import * as Testing from "../../src/testing/index.ts"

const long = (word: string) => Message.user(`${word} `.repeat(2_000))

const session = (summarise: Effect.Effect<string>) =>
  Session.layerWithoutLoop.pipe(
    Layer.provide(Layer.succeed(Session.SessionId, "s")),
    Layer.provideMerge(Testing.layerScript({ window: 4_000 })),
    Layer.provide([LogStore.layerMemory, Summarizer.layerWith(() => summarise)])
  )

describe("what comes to a session while a compaction of it runs", () => {
  it.effect(
    "a message of another fiber waits until an automatic run ends, and is in the request [P54 RACE-3 USAGE-4]",
    () =>
      Effect.gen(function* () {
        const began = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const summarise = Effect.as(
          Effect.zipRight(Deferred.succeed(began, undefined), Deferred.await(go)),
          "a summary"
        )
        yield* Effect.gen(function* () {
          yield* Surface.append(
            long("old"),
            Message.assistant("ok"),
            long("older"),
            Message.assistant("ok"),
            long("new")
          )
          const sent = yield* Effect.fork(
            OverflowRescue.retry({
              envelope: { route: Testing.route },
              send: ({ messages }) => Effect.succeed(messages.map(Message.text))
            })
          )
          yield* Deferred.await(began)
          const appended = yield* Effect.fork(Surface.append(Message.user("meanwhile")))
          yield* TestClock.adjust("1 second")
          assert.isFalse((yield* Surface.messages).some((message) => Message.text(message) === "meanwhile"))
          yield* Deferred.succeed(go, undefined)
          yield* Fiber.join(appended)
          assert.isFalse((yield* Fiber.join(sent)).some((text) => text.startsWith("old ")))
          assert.strictEqual(Message.text((yield* Surface.messages).at(-1)!), "meanwhile")
          assert.strictEqual(yield* Surface.generation, 1)
        }).pipe(Effect.provide(session(summarise)))
      })
  )

  it.effect("giving up one run does not void the ticket of another [RACE-2]", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.Surface
      yield* surface.withTicket("manual", "fail", (ticket) =>
        Effect.gen(function* () {
          yield* surface.voidTicket({})
          assert.strictEqual(yield* surface.openTicket, ticket)
        })
      )
      assert.isUndefined(yield* surface.openTicket)
    }).pipe(Effect.provide(session(Effect.succeed("a summary"))))
  )
})
