import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
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

  it.effect("what the client acquires belongs to the caller's scope: it is still open when the answer is read", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const connection: Array<string> = []
      const send = () =>
        Effect.acquireRelease(
          Effect.sync(() => connection.push("open")),
          () => Effect.sync(() => connection.push("close"))
        )
      yield* Effect.scoped(
        Effect.map(OverflowRescue.retry({ envelope, send }), () => assert.deepStrictEqual(connection, ["open"]))
      )
      assert.deepStrictEqual(connection, ["open", "close"])
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

  const inlineImage = (letter: string, bytes: number) =>
    Message.user([{ type: "image", source: { type: "base64", base64: letter.repeat(bytes) } }])

  it.effect("a refusal for bytes, as `overflow` or the error itself says: images go, and one retry is earned", () =>
    Effect.gen(function* () {
      for (const [theirs, overflow] of [
        [new TheirError("other"), { overflow: () => Option.some({ unit: "bytes", limit: 5 } as const) }],
        [Object.assign(new Error("Request Entity Too Large"), { status: 413 }), {}]
      ] as const) {
        yield* Surface.append(inlineImage("A", 9_000), Message.assistant("seen"), inlineImage("B", 2_000))
        yield* Surface.append(Message.assistant("seen"), Message.user("Go on"))
        const requests: Array<ModelRequest> = []
        const error = yield* OverflowRescue.retry({
          envelope,
          send: (request) => {
            requests.push(request)
            return Effect.fail(theirs)
          },
          ...overflow
        }).pipe(Effect.flip)
        assert.isTrue(error === theirs)
        assert.lengthOf(requests, 2)
        const [refused, again] = requests.map(({ messages }) => JSON.stringify(messages))
        assert.include(refused, "A".repeat(9_000))
        assert.notInclude(again, "A".repeat(9_000))
        assert.include(again, "B".repeat(2_000))
        const state = yield* (yield* Surface.Surface).state
        // giving up closed the chain, and a figure in bytes is no window
        assert.deepInclude(state, { refusals: 0, byteRefusals: 0 })
        assert.isTrue([...state.routes.values()].every(({ limit }) => limit === undefined))
        yield* Surface.append(Message.assistant(words(20)))
      }
      assert.notInclude(yield* logLines, "compaction/start context-overflow")
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

  it.effect("a crash does not refill it", () =>
    Effect.gen(function* () {
      const store = yield* LogStore.makeMemory
      const app = (log: Layer.Layer<LogStore.LogStore>) =>
        scripted({ log, policy: { maxOverflowRetries: 1, summary: { quoteTokens: 0 } } })
      const log = Layer.succeed(LogStore.LogStore, store)
      yield* parts.pipe(inSession, Effect.provide(app(log)))
      // dies when the first refusal is written down, and the rescue has landed
      const dying = Layer.provide(
        Testing.layerFaultyLog([{ at: (batch) => JSON.stringify(batch.events).includes('"landed"'), does: "crashes" }]),
        log
      )
      const died = makeClient(Effect.fail(tooLong), answered)
      assert.deepInclude(yield* Effect.flip(ask(died).pipe(inSession, Effect.provide(app(dying)))), {
        _tag: "LogWriteFailed"
      })
      assert.lengthOf(died.requests, 1)
      yield* Effect.gen(function* () {
        yield* parts
        const after = makeClient(Effect.fail(tooLong), answered)
        assert.isTrue((yield* Effect.flip(ask(after))) === tooLong)
        assert.lengthOf(after.requests, 1)
      }).pipe(inSession, Effect.provide(app(log)))
    })
  )

  for (const maxOverflowRetries of [0, 3]) {
    it.effect(`maxOverflowRetries ${maxOverflowRetries}: so often it is sent again, as long as there is evidence`, () =>
      Effect.gen(function* () {
        yield* parts
        const generations: Array<number> = []
        const error = yield* OverflowRescue.retry({
          envelope,
          // there is always more to be replaced
          send: ({ generation }) => {
            generations.push(generation)
            return Effect.zipRight(Effect.orDie(parts), Effect.fail(tooLong))
          },
          overflow
        }).pipe(Effect.flip)
        assert.isTrue(error === tooLong)
        assert.deepStrictEqual(
          generations,
          Array.from({ length: maxOverflowRetries + 1 }, (_, i) => i)
        )
      }).pipe(inSession, Effect.provide(scripted({ policy: { maxOverflowRetries } })))
    )
  }

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

  it.effect("pressure comes before it, and whatever fails there the request goes out", () =>
    Effect.gen(function* () {
      yield* parts
      const client = makeClient(answered)
      assert.strictEqual((yield* ask(client)).text, "done")
      assert.deepInclude(client.requests[0], { generation: 1 })
      assert.include(yield* logLines, "compaction/start pressure")
    }).pipe(inSession, Effect.provide(scripted({ window: 2_000 })))
  )

  it.effect(
    "a summariser that fails or dies fails neither the request under pressure nor the rescue of a refused one",
    () => {
      let summaries = 0
      const summarise = () =>
        Effect.suspend(() => {
          summaries++
          return summaries % 2 === 0
            ? Effect.die(new Error("a bug"))
            : Effect.fail(new SummaryFailed({ reason: "model", detail: "down" }))
        })
      return Effect.gen(function* () {
        yield* parts
        const client = makeClient(answered, Effect.fail(tooLong), answered)
        assert.strictEqual((yield* ask(client)).text, "done")
        assert.strictEqual(yield* Surface.generation, 0)
        assert.strictEqual((yield* ask(client)).text, "done")
        assert.lengthOf(client.requests, 3)
        assert.isAbove(summaries, 1)
        // what was made without a model
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(inSession, Effect.provide(scripted({ window: 2_000, summarise })))
    }
  )

  it.effect("what somebody else compacted while it was out is evidence too", () =>
    Effect.gen(function* () {
      yield* parts
      let sent = 0
      const text = yield* OverflowRescue.retry({
        envelope,
        send: () =>
          sent++ === 0
            ? Effect.zipRight(Effect.orDie(CompactService.compactNow), Effect.fail(tooLong))
            : Effect.succeed("done"),
        overflow
      })
      assert.strictEqual(text, "done")
      // nothing else was paid for
      assert.lengthOf(
        (yield* logLines).filter((line) => line.startsWith("compaction/call")),
        1
      )
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a limit that the refusal states is learned, and what surely exceeds it is not sent again", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("old"), Message.assistant(words(300)), Message.user(words(900)))
      const client = makeClient(Effect.fail(tooLong), answered)
      const error = yield* Effect.flip(
        OverflowRescue.retry({ envelope, send: client.send, overflow: () => Option.some({ limit: 20 }) })
      )
      assert.isTrue(error === tooLong)
      assert.lengthOf(client.requests, 1)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("the envelope is recorded when it changed, and only then", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      for (const system of ["one", "one", "two"]) {
        yield* OverflowRescue.retry({ envelope: { ...envelope, system }, send: () => Effect.void })
      }
      assert.lengthOf(
        (yield* logLines).filter((line) => line === "request/envelope"),
        2
      )
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("functions that read answers and errors cannot cost either, whatever they do", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      const throwing = (): never => {
        throw new Error("a bug of the reader")
      }
      assert.strictEqual(
        yield* OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer"), usage: throwing }),
        "answer"
      )
      const usage = () => ({ inputTokens: NaN, outputTokens: -1 })
      yield* OverflowRescue.retry({ envelope, send: () => Effect.succeed("answer"), usage })
      assert.deepInclude(yield* TokenMeter.measure, { baseline: "estimated" })
      const error = yield* Effect.flip(
        OverflowRescue.retry({ envelope, send: () => Effect.fail(tooLong), overflow: throwing })
      )
      assert.isTrue(error === tooLong)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("the answer is the caller's to append, and calls that wait for results are a bug that is named", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("question"))
      yield* ask(makeClient(answered))
      assert.lengthOf(yield* Surface.messages, 1)
      yield* Surface.append(Message.assistant([Message.toolCall("call_7", "read", {})]))
      const client = makeClient(answered)
      const cause = yield* Effect.flip(Effect.sandbox(ask(client)))
      assert.include(Cause.pretty(cause), "call_7")
      assert.isTrue(Cause.isDie(cause))
      assert.lengthOf(client.requests, 0)
      yield* Surface.append(Message.toolResult({ id: "call_7", name: "read", content: "contents" }))
      assert.strictEqual((yield* ask(client)).text, "done")
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a log that cannot be written: nothing is sent", () =>
    Effect.gen(function* () {
      const client = makeClient(answered)
      assert.deepInclude(yield* Effect.flip(ask(client)), { _tag: "LogWriteFailed" })
      assert.lengthOf(client.requests, 0)
    }).pipe(
      inSession,
      Effect.provide(
        scripted({
          log: Layer.provide(
            Testing.layerFaultyLog([{ at: ({ seq }) => seq > 0, does: "fails" }]),
            LogStore.layerMemory
          )
        })
      )
    )
  )
})
