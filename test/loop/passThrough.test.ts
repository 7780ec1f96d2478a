import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ContextWindowExceeded } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as ToolRunner from "../../src/layers/ToolRunner.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, Failures, history, inSession, long, next, route, sent, tool, turnLines, world } from "./world.ts"

const { call, cut, drop, end, rateLimited, say, status } = SimulatedProvider

const words = "This model's maximum context length is 4000 tokens. However, you requested 5000 tokens."

/** What a provider may answer, and what it is called here. None of it is an overflow of this request (I12). */
const passing: ReadonlyArray<readonly [what: string, reply: SimulatedProvider.Reply, tag: string]> = [
  ["a rate limit", rateLimited("60"), "RateLimited"],
  ["a rate limit without a word [CLASSIFY-3]", status(429), "RateLimited"],
  [
    "a rate limit in an overflow's words [CLASSIFY-4 CLASSIFY-9]",
    status(429, { error: { message: words } }),
    "RateLimited"
  ],
  ["a wrong key", status(401, { error: { message: "Incorrect API key provided" } }), "AuthenticationFailed"],
  ["a wrong key in an overflow's words", status(401, { error: { message: words } }), "AuthenticationFailed"],
  ["no credit", status(402, { error: { message: "Insufficient Balance" } }), "QuotaExceeded"],
  ["a failing server", status(500, { error: { message: "internal server error" } }), "ProviderUnavailable"],
  ["a dropped connection", drop, "ProviderUnavailable"],
  ["a stream that breaks off", cut("half a thought"), "ProviderUnavailable"],
  ["a stream that just ends", end("half a thought"), "MalformedResponse"],
  [
    "a model that does not exist [CLASSIFY-7]",
    status(404, { error: { message: "The model `m` with a context length of 4000 tokens does not exist" } }),
    "InvalidRequest"
  ],
  ["an invalid request [LOOP-8]", status(400, { error: { message: "temperature must be a number" } }), "InvalidRequest"]
]

describe("what is not this request's overflow passes through unchanged, with nothing compacted", () => {
  for (const [what, reply, tag] of passing) {
    it.live(what, () =>
      Effect.gen(function* () {
        yield* next(say(long(1_500)), reply, say("never said"))
        yield* AgentLoop.run("first")
        const error = yield* Effect.flip(AgentLoop.run("second"))
        assert.isTrue(error === (yield* Failures)[0])
        assert.strictEqual(error._tag, tag)
        assert.lengthOf(yield* asked, 2)
        assert.strictEqual(yield* Surface.generation, 0)
        const lines = (yield* turnLines).filter((line) => line !== "message/assistant")
        assert.deepStrictEqual(lines.slice(-3), ["step/start 0", "step/end 0 failed", "turn/end 1 failed"])
        const ended = (yield* history).at(-1)
        assert.deepInclude(ended?.type === "turn/end" ? ended.data : {}, { error: { tag, message: error.message } })
      }).pipe(inSession, Effect.provide(world()))
    )
  }

  const overflowOf = (of: typeof route) => new ContextWindowExceeded({ route: of, detail: "the tool's own", limit: 10 })
  const tools = {
    other: tool(() => Effect.fail(overflowOf({ provider: "other", model: "small" }))),
    same: tool(() => Effect.fail(overflowOf(route))),
    dies: tool(() => Effect.die(overflowOf(route)))
  }

  for (const name of Object.keys(tools)) {
    it.live(`an overflow of a tool's own model call (${name}) [A112 P7]`, () =>
      Effect.gen(function* () {
        yield* next(say(long(1_500)), call(Message.toolCall("c1", name, {})), say("done"))
        yield* AgentLoop.run("first")
        assert.strictEqual((yield* AgentLoop.run("Use it")).text, "done")
        assert.deepStrictEqual(
          yield* asked,
          Array.from({ length: 3 }, () => "conversation answered")
        )
        assert.strictEqual(yield* Surface.generation, 0)
        assert.include(yield* turnLines, "message/tool-result c1 error")
        assert.include(yield* sent(2), "the tool's own")
        const { routes } = yield* (yield* Surface.Surface).state
        assert.isTrue([...routes.values()].every(({ limit }) => limit === undefined))
      }).pipe(inSession, Effect.provide(world({ tools })))
    )
  }

  it.live("a tool runner that breaks its word and fails with an overflow is an error result too", () =>
    Effect.gen(function* () {
      yield* next(call(Message.toolCall("c1", "any", {})), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Use it")).text, "done")
      assert.include(yield* turnLines, "message/tool-result c1 error")
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(
      inSession,
      Effect.provideService(ToolRunner.ToolRunner, {
        tools: [],
        run: () => Effect.fail(overflowOf(route)) as unknown as Effect.Effect<string>
      }),
      Effect.provide(world())
    )
  )

  it.live(
    "a limit per minute that this one request goes over becomes a ceiling for pressure, not a window [CLASSIFY-5]",
    () =>
      Effect.gen(function* () {
        const message = "Request too large for model on tokens per min (TPM): Limit 2000, Requested 2500."
        yield* next(say(long(1_500)), status(429, { error: { message, code: "rate_limit_exceeded" } }))
        yield* AgentLoop.run("first")
        assert.strictEqual((yield* Effect.flip(AgentLoop.run("second")))._tag, "RateLimited")
        const { routes } = yield* (yield* Surface.Surface).state
        assert.deepStrictEqual(
          [...routes.values()].map(({ ceiling, limit }) => [ceiling, limit]),
          [[2_000, undefined]]
        )
        assert.lengthOf(yield* asked, 2)
      }).pipe(inSession, Effect.provide(world()))
  )
})
