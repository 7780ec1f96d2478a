import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import { scripted } from "./scripted.ts"
import { inSession, logLines, words } from "./world.ts"

/** An error of a client that this library has never heard of. */
class TheirError extends Error {
  readonly kind: "too-long" | "other"
  constructor(kind: "too-long" | "other") {
    super(`their client failed: ${kind}`)
    this.kind = kind
  }
}

interface Reply {
  readonly text: string
  readonly tokens: number
}

const envelope = { route: { provider: "theirs", model: "m" }, system: "You are terse." }

/** A client that answers what it is told, in order. */
const makeClient = <A>(...answers: ReadonlyArray<Effect.Effect<A, TheirError>>) => {
  const left = [...answers]
  const requests: Array<ModelRequest> = []
  const send = (request: ModelRequest) =>
    Effect.suspend(() => {
      requests.push(request)
      return left.shift() ?? Effect.dieMessage("nothing is left to answer")
    })
  return { requests, send }
}

const overflow = (error: TheirError) => (error.kind === "too-long" ? Option.some({}) : Option.none())
const tooLong = new TheirError("too-long")
const answered = Effect.succeed<Reply>({ text: "done", tokens: 1_700 })

const ask = (client: { readonly send: (request: ModelRequest) => Effect.Effect<Reply, TheirError> }) =>
  OverflowRescue.retry({
    envelope,
    send: client.send,
    overflow,
    usage: ({ tokens }) => ({ inputTokens: tokens, outputTokens: 1 })
  })

const parts = Surface.append(
  ...Array.from({ length: 6 }, (_, i) => [
    Message.user(`Question ${i}`),
    Message.assistant(words(300, "ancient"))
  ]).flat()
)

describe("OverflowRescue.retry, around a client that is not ours", () => {
  it.effect("sends again on evidence: a newer generation, and less in it", () =>
    Effect.gen(function* () {
      yield* parts
      const client = makeClient(Effect.fail(tooLong), answered)
      assert.strictEqual((yield* ask(client)).text, "done")
      const [refused, again] = client.requests
      assert.deepStrictEqual([refused?.generation, again?.generation], [0, 1])
      assert.isBelow(JSON.stringify(again?.messages).length, JSON.stringify(refused?.messages).length / 2)
      assert.deepStrictEqual(again?.envelope, envelope)
      assert.notStrictEqual(again?.id, refused?.id)
      assert.deepStrictEqual((yield* logLines).slice(13), [
        "step/start 0",
        "step/end 0 refused",
        "compaction/start context-overflow",
        "compaction/call completed",
        "compaction/summary",
        "message/user checkpoint",
        "compaction/end landed",
        "rescue/end retry",
        "step/start 1",
        "step/end 1 completed"
      ])
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("an error comes out as the very value that the client failed with, also inside spans", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("short"))
      for (const error of [tooLong, new TheirError("other")]) {
        const client = makeClient(Effect.withSpan(Effect.fail(error), "theirs"))
        const cause = yield* ask(client).pipe(Effect.sandbox, Effect.flip)
        const failure = Option.getOrThrow(Cause.failureOption(cause))
        assert.isTrue(failure === error)
        assert.lengthOf(client.requests, 1)
      }
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("another failure and a defect of the client are not rescued [A107 A112]", () =>
    Effect.gen(function* () {
      yield* parts
      const bug = new Error("a bug")
      const other = new TheirError("other")
      for (const [answer, expected] of [
        [Effect.fail(other), other],
        [Effect.die(bug), bug]
      ] as const) {
        const client = makeClient<Reply>(answer)
        const cause = yield* Effect.flip(Effect.sandbox(ask(client)))
        assert.isTrue(Cause.originalError(Cause.squash(cause)) === expected)
        assert.lengthOf(client.requests, 1)
      }
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("without `overflow` the error's status and words are read", () =>
    Effect.gen(function* () {
      yield* parts
      const said = "This model's maximum context length is 1500 tokens. However, your messages resulted in 1900 tokens."
      const theirs = Object.assign(new Error(said), { status: 400 })
      const requests: Array<ModelRequest> = []
      const text = yield* OverflowRescue.retry({
        envelope,
        send: (request) => {
          requests.push(request)
          return requests.length === 1 ? Effect.fail(theirs) : Effect.succeed("done")
        }
      })
      assert.strictEqual(text, "done")
      const limited = Object.assign(new Error(said), { status: 429 })
      const error = yield* Effect.flip(OverflowRescue.retry({ envelope, send: () => Effect.fail(limited) }))
      assert.isTrue(error === limited)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("what the client counted is what the meter goes on from", () =>
    Effect.gen(function* () {
      yield* parts
      assert.deepInclude(yield* TokenMeter.measure, { baseline: "none" })
      yield* ask(makeClient(answered))
      assert.deepInclude(yield* TokenMeter.measure, { baseline: "usage", totalTokens: 1_700 })
      yield* Surface.append(Message.assistant("done"))
      assert.isAbove((yield* TokenMeter.measure).totalTokens, 1_700)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("the budget is of one chain: an answer refills it, and so does giving up", () =>
    Effect.gen(function* () {
      const refused = Effect.fail(tooLong)
      yield* parts
      // refused, sent again, refused: given up
      const first = makeClient(refused, refused, answered)
      assert.isTrue((yield* Effect.flip(ask(first))) === tooLong)
      assert.lengthOf(first.requests, 2)
      // a chain of its own
      yield* parts
      const second = makeClient(refused, answered)
      assert.strictEqual((yield* ask(second)).text, "done")
      // and after the answer again
      yield* parts
      const third = makeClient(refused, answered)
      assert.strictEqual((yield* ask(third)).text, "done")
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a chain that was interrupted is over too", () =>
    Effect.gen(function* () {
      yield* parts
      const out = yield* Deferred.make<void>()
      const hanging = Effect.zipRight(Deferred.succeed(out, undefined), Effect.never)
      const chain = yield* Effect.fork(ask(makeClient(Effect.fail(tooLong), hanging)))
      yield* Deferred.await(out)
      yield* Fiber.interrupt(chain)
      assert.include(yield* logLines, "step/end 1 interrupted")
      yield* parts
      assert.strictEqual((yield* ask(makeClient(Effect.fail(tooLong), answered))).text, "done")
    }).pipe(inSession, Effect.provide(scripted()))
  )
})
