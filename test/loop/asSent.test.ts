import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as ModelAdapter from "../../src/layers/ModelAdapter.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import type { Sends } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { scripted, script, text } from "./scripted.ts"

const thought = { type: "reasoning", text: text(4_000, "hm, ") } as const
const answered = Message.assistant([thought, Message.textBlock("yes")])

/** Reads how large the next request is after an answer with reasoning in it. */
const sizeWith = (sends: Sends | undefined) =>
  Effect.gen(function* () {
    yield* script(Testing.say("ok"))
    yield* AgentLoop.run("first")
    const before = yield* TokenMeter.measure
    yield* Surface.append(answered)
    const after = yield* TokenMeter.measure
    const { price } = yield* TokenMeter.TokenMeter
    return { grown: after.totalTokens - before.totalTokens, price: yield* price(answered) }
  }).pipe(
    Effect.provide(
      Session.layerOne("s").pipe(
        Layer.provideMerge(
          Layer.effect(
            ModelAdapter.ModelAdapter,
            Effect.map(ModelAdapter.ModelAdapter, (adapter) => ({
              ...adapter,
              ...(sends === undefined ? {} : { sends: () => sends })
            }))
          )
        ),
        Layer.provideMerge(scripted())
      )
    )
  )

const omits: Sends = { reasoning: "omit", opaque: false, carries: () => false }

describe("a session prices what its adapter sends", () => {
  it.effect("reasoning that stays here costs nothing [REASON-4]", () =>
    Effect.gen(function* () {
      const { grown, price } = yield* sizeWith(omits)
      assert.isBelow(grown, 20)
      assert.isBelow(price, 20)
    })
  )

  it.effect("reasoning that goes back costs its text, and so it does where the adapter does not say", () =>
    Effect.gen(function* () {
      for (const sends of [{ ...omits, reasoning: "always" } as const, undefined]) {
        const { grown, price } = yield* sizeWith(sends)
        assert.isAbove(grown, 1_000)
        assert.isAbove(price, 1_000)
      }
    })
  )
})
