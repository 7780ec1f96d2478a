import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, inSession, long, next, provider, turnEvents, world } from "./world.ts"

const { say } = SimulatedProvider

describe("a window that is smaller than the adapter was told, through the loop and over HTTP", () => {
  it.live("one refusal teaches it: pressure works with 16k from then on, and nothing overflows again [P9]", () =>
    Effect.gen(function* () {
      const triggers: Array<string> = []
      for (let i = 0; i < 24; i++) {
        yield* next(say(long(1_200, `answer${i}`)))
        const events = yield* turnEvents(`Question ${i}. ${long(300, "detail")}`)
        for (const event of events) if (event._tag === "Compacted") triggers.push(event.trigger)
      }
      assert.lengthOf(
        (yield* asked).filter((entry) => entry === "conversation refused"),
        1
      )
      assert.strictEqual(triggers[0], "context-overflow")
      assert.isAtLeast(triggers.length, 3)
      assert.isTrue(triggers.slice(1).every((trigger) => trigger === "pressure"))
      // below the threshold of 16k from the first refusal on
      const requests = yield* (yield* provider).requests
      const refusedAt = requests.findIndex(({ outcome }) => outcome === "refused")
      for (const { inputTokens, kind } of requests.slice(refusedAt + 2)) {
        if (kind === "conversation") assert.isBelow(inputTokens, 0.8 * 16_000 * 1.1)
      }
    }).pipe(inSession, Effect.provide(world({ told: 24_000, window: 16_000 })))
  )

  it.live("it is still known after the session was reopened [WINDOW-4]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say("done"))
      yield* Effect.zipRight(AgentLoop.run("first"), AgentLoop.run(long(2_600))).pipe(inSession)
      yield* next(say(long(1_000)), say("done"))
      const events = yield* Effect.zipRight(AgentLoop.run("more"), turnEvents("again")).pipe(inSession)
      assert.notInclude(
        events.map(({ _tag }) => _tag),
        "StepDiscarded"
      )
      assert.lengthOf(
        (yield* asked).filter((entry) => entry === "conversation refused"),
        1
      )
    }).pipe(Effect.provide(world({ told: 24_000 })))
  )
})
