import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import { scripted } from "./scripted.ts"
import { inSession, logLines, words } from "./world.ts"

class TooLong {
  readonly _tag = "TooLong"
}
type Part = { readonly is: "begin" | "text" | "overflow"; readonly of: string }

const envelope = { route: { provider: "theirs", model: "m" } }
const part = (is: Part["is"], of: string): Part => ({ is, of })
const begin = (of: string) => part("begin", of)
const text = (of: string) => part("text", of)

/** A client that streams what it is told, and writes down when its connections open and close. */
const makeClient = (...answers: ReadonlyArray<Stream.Stream<Part, TooLong>>) => {
  const connections: Array<string> = []
  let count = 0
  const send = () =>
    Stream.suspend(() => {
      const own = count++
      return Stream.acquireRelease(
        Effect.sync(() => connections.push(`open ${own}`)),
        () => Effect.sync(() => connections.push(`close ${own}`))
      ).pipe(Stream.flatMap(() => answers[own] ?? Stream.dieMessage("nothing is left to answer")))
    })
  const stream = OverflowRescue.retryStream({
    envelope,
    send,
    overflow: (error: TooLong) => (error instanceof TooLong ? Option.some({}) : Option.none()),
    inBand: (part) => (part.is === "overflow" ? Option.some({ limit: 1_500 }) : Option.none()),
    isContent: (part) => part.is === "text"
  })
  return { connections, stream }
}

const parts = Surface.append(
  ...Array.from({ length: 6 }, (_, i) => [
    Message.user(`Question ${i}`),
    Message.assistant(words(300, "ancient"))
  ]).flat()
)
const collect = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("OverflowRescue.retryStream, around a client that is not ours", () => {
  it.effect("a refusal before the first content part: nothing of it comes out, and nothing comes twice", () =>
    Effect.gen(function* () {
      yield* parts
      const { connections, stream } = makeClient(
        Stream.concat(Stream.make(begin("0")), Stream.fail(new TooLong())),
        Stream.make(begin("1"), text("a"), text("b"))
      )
      assert.deepStrictEqual(yield* collect(stream), [begin("1"), text("a"), text("b")])
      // the refused connection is closed before the next one opens
      assert.deepStrictEqual(connections, ["open 0", "close 0", "open 1", "close 1"])
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("parts that come one by one are handed over once each, in order", () =>
    Effect.gen(function* () {
      yield* parts
      const slowly = Stream.rechunk(Stream.make(begin("0"), text("a"), text("b"), text("c")), 1)
      assert.deepStrictEqual(yield* collect(makeClient(slowly).stream), [begin("0"), text("a"), text("b"), text("c")])
      assert.deepStrictEqual(yield* collect(makeClient(Stream.empty).stream), [])
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a refusal after content cannot be taken back: it comes out, the same value [P6]", () =>
    Effect.gen(function* () {
      yield* parts
      const error = new TooLong()
      const { connections, stream } = makeClient(Stream.concat(Stream.make(text("a")), Stream.fail(error)))
      const seen: Array<Part> = []
      const failure = yield* Effect.flip(Stream.runForEach(stream, (part) => Effect.sync(() => seen.push(part))))
      assert.isTrue(failure === error)
      assert.deepStrictEqual(seen, [text("a")])
      assert.deepStrictEqual(connections, ["open 0", "close 0"])
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("a refusal that comes as a part is rescued, and given up it comes out as that part", () =>
    Effect.gen(function* () {
      yield* parts
      const refused = part("overflow", "x")
      const rescued = makeClient(Stream.make(begin("0"), refused), Stream.make(text("a")))
      assert.deepStrictEqual(yield* collect(rescued.stream), [text("a")])
      const hopeless = makeClient(Stream.make(refused), Stream.make(refused))
      assert.deepStrictEqual(yield* collect(hopeless.stream), [refused])
      assert.deepStrictEqual(rescued.connections, ["open 0", "close 0", "open 1", "close 1"])
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("given up, the error is the client's, the same value", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("short"))
      const error = new TooLong()
      const { connections, stream } = makeClient(Stream.fail(error))
      assert.isTrue((yield* Effect.flip(collect(stream))) === error)
      assert.deepStrictEqual(connections, ["open 0", "close 0"])
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("whoever leaves closes the connection", () =>
    Effect.gen(function* () {
      yield* parts
      const { connections, stream } = makeClient(Stream.concat(Stream.make(text("a")), Stream.never))
      assert.deepStrictEqual(yield* collect(Stream.take(stream, 1)), [text("a")])
      assert.deepStrictEqual(connections, ["open 0", "close 0"])
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("the request is as `retry` sends it: pressure before, the messages of the surface, an id of its own", () =>
    Effect.gen(function* () {
      yield* parts
      const requests: Array<ModelRequest> = []
      const stream = OverflowRescue.retryStream({
        envelope,
        send: (request) => Stream.suspend(() => (requests.push(request), Stream.make(text("a")))),
        isContent: () => true
      })
      // each run of the stream is a request
      yield* collect(stream)
      yield* collect(stream)
      const [first, second] = requests
      assert.deepInclude(first, { generation: 1, envelope })
      assert.notStrictEqual(first?.id, second?.id)
      assert.deepStrictEqual(first?.messages, yield* Surface.messages)
      assert.deepStrictEqual((yield* logLines).slice(-4), [
        "step/start 0",
        "step/end 0 completed",
        "step/start 1",
        "step/end 1 completed"
      ])
    }).pipe(inSession, Effect.provide(scripted({ window: 2_000 })))
  )

  it.effect("what the provider counted is told afterwards, with the generation of its request", () =>
    Effect.gen(function* () {
      yield* parts
      const meter = yield* TokenMeter.TokenMeter
      let generation = -1
      const stream = OverflowRescue.retryStream({
        envelope,
        send: (request) => Stream.suspend(() => ((generation = request.generation), Stream.make(text("a")))),
        isContent: () => true
      })
      yield* collect(stream)
      yield* meter.report(generation, { inputTokens: 1_700, outputTokens: 1 })
      assert.deepInclude(yield* TokenMeter.measure, { baseline: "usage", totalTokens: 1_700 })
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("an overflow part behind content, in the same chunk too, is a part like others", () =>
    Effect.gen(function* () {
      yield* parts
      const said = [text("a"), part("overflow", "late"), text("b")]
      const { connections, stream } = makeClient(Stream.fromIterable(said))
      assert.deepStrictEqual(yield* collect(stream), said)
      assert.deepStrictEqual(connections, ["open 0", "close 0"])
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect(
    "interrupted before the first content part: the connection is closed, the step is on record, nothing follows",
    () =>
      Effect.gen(function* () {
        yield* parts
        const begun = yield* Deferred.make<void>()
        const { connections, stream } = makeClient(
          Stream.concat(
            Stream.make(begin("0")),
            Stream.drain(Stream.fromEffect(Deferred.succeed(begun, undefined)))
          ).pipe(Stream.concat(Stream.never))
        )
        const reading = yield* Effect.fork(collect(stream))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(reading)
        assert.deepStrictEqual(connections, ["open 0", "close 0"])
        assert.deepStrictEqual((yield* logLines).slice(-2), ["step/start 0", "step/end 0 interrupted"])
      }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("without `overflow` the error's status and words are read", () =>
    Effect.gen(function* () {
      yield* parts
      const said = "This model's maximum context length is 1500 tokens. However, your messages resulted in 1900 tokens."
      let sent = 0
      const stream = OverflowRescue.retryStream({
        envelope,
        send: () =>
          Stream.suspend(() =>
            sent++ === 0 ? Stream.fail(Object.assign(new Error(said), { status: 400 })) : Stream.make("done")
          ),
        isContent: () => true
      })
      assert.deepStrictEqual(yield* collect(stream), ["done"])
    }).pipe(inSession, Effect.provide(scripted()))
  )
})
