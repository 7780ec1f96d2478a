import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { RateLimited } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import { routeFacts } from "../../src/compaction/SessionState.ts"
import * as Message from "../../src/session/Message.ts"
import * as Route from "../../src/session/Route.ts"
import type { Usage } from "../../src/session/Usage.ts"
import * as Testing from "../../src/testing/index.ts"
import { scripted } from "./scripted.ts"
import { inSession, logLines, onSurface, words } from "./world.ts"

const script = (...lines: ReadonlyArray<Testing.Line>) =>
  Effect.flatMap(Testing.Script, (model) => model.next(...lines))
const rescued = (refusal: Testing.Line) =>
  script(Testing.say(words(5_000)), refusal, Testing.say("done")).pipe(
    Effect.zipRight(AgentLoop.run("first")),
    Effect.zipRight(AgentLoop.run("second"))
  )

describe("figures that are none", () => {
  for (const figure of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -1]) {
    it.effect(`a refusal that states ${figure} is rescued, and its log is read again`, () =>
      Effect.gen(function* () {
        for (const refusal of [{ limit: figure }, { limit: 4_000, requested: figure }]) {
          const id = JSON.stringify(Object.keys(refusal))
          assert.strictEqual((yield* inSession(rescued(Testing.overflow(refusal)), id)).text, "done")
          assert.include(yield* inSession(onSurface, id), "done")
        }
      }).pipe(Effect.provide(scripted()))
    )
  }

  for (const figure of [Number.NaN, 0, -5]) {
    it.effect(`an adapter that says its window is ${figure} knows none, and rescue works without it [A10]`, () =>
      inSession(
        Effect.gen(function* () {
          assert.strictEqual((yield* rescued(Testing.overflow())).text, "done")
        })
      ).pipe(Effect.provide(scripted({ window: figure })))
    )
  }

  it.effect("a usage that is no count costs no answer, whoever reports it", () =>
    inSession(
      Effect.gen(function* () {
        const wrong: ReadonlyArray<Usage> = [
          { inputTokens: Number.NaN, outputTokens: 1 },
          { inputTokens: 1e300, outputTokens: 1 },
          { inputTokens: 10, outputTokens: -1 },
          { inputTokens: 10.5, outputTokens: 1, cachedTokens: Number.POSITIVE_INFINITY }
        ]
        for (const usage of wrong) {
          yield* script({ message: Testing.say("said"), usage })
          assert.strictEqual((yield* AgentLoop.run("asked")).text, "said")
          const envelope = { route: Testing.route }
          const send = () => Effect.succeed("mine")
          assert.strictEqual(yield* OverflowRescue.retry({ envelope, send, usage: () => usage }), "mine")
          const meter = yield* TokenMeter.TokenMeter
          yield* meter.report(0, usage)
        }
        assert.isAbove((yield* TokenMeter.measure).totalTokens, 0)
      })
    ).pipe(Effect.provide(scripted()))
  )

  it.effect("only a limit that the request alone goes over becomes a ceiling for pressure", () =>
    inSession(
      Effect.gen(function* () {
        const refuse = (fields: { readonly limit: number; readonly requested: number; readonly neverFits?: true }) =>
          new RateLimited({ route: Testing.route, detail: "", ...fields })
        const ceiling = Effect.map(
          Effect.flatMap(Surface.Surface, (surface) => surface.state),
          (state) => routeFacts(state, Route.key(Testing.route)).ceiling
        )
        yield* script(refuse({ limit: 3, requested: 1 }), refuse({ limit: 500, requested: 900, neverFits: true }))
        yield* Effect.flip(AgentLoop.run("three requests a minute"))
        assert.isUndefined(yield* ceiling)
        yield* Effect.flip(AgentLoop.run("five hundred tokens a minute"))
        assert.strictEqual(yield* ceiling, 500)
      })
    ).pipe(Effect.provide(scripted()))
  )
})

describe("errors that are hard to read", () => {
  const hard: ReadonlyArray<readonly [string, unknown]> = [
    ["an object without a prototype", Object.create(null)],
    ["an Error whose message is no text", Object.assign(new Error("x"), { message: { toString: () => 7 } })],
    ["a getter that throws", Object.defineProperty({}, "status", { get: () => assert.fail("asked") })],
    ["nothing", undefined]
  ]
  for (const [what, error] of hard) {
    it.effect(`${what}: comes out as the same value, and its step is closed`, () =>
      inSession(
        Effect.gen(function* () {
          const envelope = { route: Testing.route }
          const failed = yield* Effect.flip(OverflowRescue.retry({ envelope, send: () => Effect.fail(error) }))
          assert.strictEqual(failed, error)
          assert.strictEqual((yield* logLines).at(-1), "step/end 0 failed")
        })
      ).pipe(Effect.provide(scripted()))
    )
  }

  it.effect("an `overflow` or `usage` of the caller's that throws costs neither the error nor the answer", () =>
    inSession(
      Effect.gen(function* () {
        const envelope = { route: Testing.route }
        const broken = (): never => assert.fail("it threw")
        const failed = yield* Effect.flip(
          OverflowRescue.retry<string, string, never>({ envelope, send: () => Effect.fail("theirs"), overflow: broken })
        )
        assert.strictEqual(failed, "theirs")
        const send = () => Effect.succeed("answered")
        assert.strictEqual(yield* OverflowRescue.retry({ envelope, send, usage: broken }), "answered")
        assert.deepStrictEqual((yield* logLines).slice(-2), ["step/start 1", "step/end 1 completed"])
      })
    ).pipe(Effect.provide(scripted()))
  )

  it.effect("a refusal of the caller's own kind may state what is no figure", () =>
    Effect.gen(function* () {
      const turns = Array.from({ length: 6 }, () => [Message.user("Go on"), Message.assistant(words(300))]).flat()
      let refused = 0
      const ask = OverflowRescue.retry({
        envelope: { route: Testing.route },
        send: () => (refused++ === 0 ? Effect.fail("too long") : Effect.succeed("answered")),
        overflow: () => Option.some({ limit: Number.NaN, requested: Number.POSITIVE_INFINITY })
      })
      assert.strictEqual(yield* inSession(Effect.zipRight(Surface.append(...turns), ask)), "answered")
      assert.include(yield* inSession(onSurface), "Checkpoint")
    }).pipe(Effect.provide(scripted()))
  )
})
