import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import { scripted } from "./scripted.ts"
import { inSession, words } from "./world.ts"

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
})
