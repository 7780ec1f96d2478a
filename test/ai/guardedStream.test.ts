import type * as AiError from "@effect/ai/AiError"
import * as Chat from "@effect/ai/Chat"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as countingModel from "./countingModel.ts"
import { text, words } from "./countingModel.ts"

const guarded = (
  model: Layer.Layer<LanguageModel.LanguageModel>,
  options: Parameters<typeof Guarded.make>[0] = { window: 8_000 }
) => Layer.provide(Guarded.layer(options), model)

type Part = Response.StreamPartEncoded

const metadata = { type: "response-metadata", id: "r", modelId: "m", timestamp: undefined } as unknown as Part
const said = (delta: string): ReadonlyArray<Part> => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta },
  { type: "text-end", id: "0" }
]
const finish = (input: number | undefined): Part => ({
  type: "finish",
  reason: "stop",
  usage: {
    inputTokens: input,
    outputTokens: input === undefined ? undefined : Math.min(input, 5),
    totalTokens: input ?? 0
  }
})

/** A model that streams what it is told, one answer after the other, and counts how its connections open and close. */
const streaming = (...answers: ReadonlyArray<Stream.Stream<Part, AiError.AiError>>) => {
  const connections: Array<string> = []
  let count = 0
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () =>
        Effect.succeed([{ type: "text", text: "in short" }, finish(10)] as Array<Response.PartEncoded>),
      streamText: () => {
        const own = count++
        return Stream.acquireRelease(
          Effect.sync(() => connections.push(`open ${own}`)),
          () => Effect.sync(() => connections.push(`close ${own}`))
        ).pipe(Stream.flatMap(() => answers[own] ?? Stream.dieMessage("nothing is left to answer")))
      }
    })
  )
  return { layer, connections }
}

const long = Prompt.fromMessages(
  Array.from({ length: 61 }, (_, i) =>
    i % 2 === 0
      ? Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: `${i}: ${words(20)}` })] })
      : Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text: words(130) })] })
  )
)

const collect = (prompt: Prompt.RawInput = long) =>
  LanguageModel.streamText({ prompt }).pipe(Stream.runCollect, Effect.map(Chunk.toReadonlyArray))
const types = (parts: ReadonlyArray<{ readonly type: string }>) => parts.map(({ type }) => type)

const refused = Stream.fail(countingModel.refusal(9_000, 8_000))

describe("Guarded.layer and streams", () => {
  it.effect("a refusal before any content is rescued, and nothing of the refused attempt comes out", () => {
    const model = streaming(
      Stream.concat(Stream.make(metadata), refused),
      Stream.make(metadata, ...said("hi"), finish(700))
    )
    return Effect.gen(function* () {
      const parts = yield* collect()
      assert.deepStrictEqual(types(parts), ["response-metadata", "text-start", "text-delta", "text-end", "finish"])
      assert.deepStrictEqual(model.connections, ["open 0", "close 0", "open 1", "close 1"])
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect(
    "an overflow that comes as an error part is rescued; another error part comes out, and no failure beside it",
    () => {
      const part = (message: string): Part => ({ type: "error", error: { type: "invalid_request_error", message } })
      const model = streaming(
        Stream.make(metadata, part("prompt is too long: 9000 tokens > 8000 maximum")),
        Stream.make(metadata, ...said("hi"), finish(700)),
        Stream.make(metadata, part("Overloaded"))
      )
      return Effect.gen(function* () {
        assert.include(types(yield* collect()), "text-delta")
        assert.deepStrictEqual(types(yield* collect("short")), ["response-metadata", "error"])
      }).pipe(Effect.provide(guarded(model.layer)))
    }
  )

  it.effect("after content there is no second attempt: the provider's error comes out, the same value", () => {
    const error = countingModel.refusal(9_000, 8_000)
    const model = streaming(Stream.concat(Stream.make(metadata, ...said("hi")), Stream.fail(error)))
    return Effect.gen(function* () {
      const seen: Array<string> = []
      const failure = yield* LanguageModel.streamText({ prompt: long }).pipe(
        Stream.runForEach((part) => Effect.sync(() => seen.push(part.type))),
        Effect.flip
      )
      assert.strictEqual(failure, error)
      assert.include(seen, "text-delta")
      assert.deepStrictEqual(model.connections, ["open 0", "close 0"])
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("a stream without a finish part is a failure, before content and after it", () => {
    const model = streaming(Stream.make(metadata), Stream.make(metadata, ...said("hi")), Stream.empty)
    return Effect.gen(function* () {
      for (let i = 0; i < 3; i++) {
        const failure = yield* Effect.flip(collect("short"))
        assert.strictEqual(failure._tag, "MalformedOutput")
        assert.include(failure.description ?? "", "without a finish part")
      }
      assert.strictEqual(model.connections.length, 6)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("an empty answer that nothing was counted for is a failure; one that was counted is an answer", () => {
    const model = streaming(
      Stream.make(metadata, finish(undefined)),
      Stream.make(metadata, finish(0)),
      Stream.make(metadata, finish(700))
    )
    return Effect.gen(function* () {
      for (let i = 0; i < 2; i++) assert.strictEqual((yield* Effect.flip(collect("short")))._tag, "MalformedOutput")
      assert.deepStrictEqual(types(yield* collect("short")), ["response-metadata", "finish"])
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("a stream that is left early closes its connection, and the memory can be used", () => {
    const model = streaming(
      Stream.concat(Stream.make(metadata, ...said("hi")), Stream.never),
      Stream.make(metadata, ...said("hi"), finish(700))
    )
    return Effect.gen(function* () {
      const first = yield* LanguageModel.streamText({ prompt: "short" }).pipe(
        Stream.takeUntil((part) => part.type === "text-delta"),
        Stream.runCollect
      )
      assert.strictEqual(Chunk.size(first), 3)
      assert.deepStrictEqual(model.connections, ["open 0", "close 0"])
      assert.include(types(yield* collect("short")), "finish")
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("an interrupted reader ends the stream, before its content too", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const model = streaming(
        Stream.concat(
          Stream.make(metadata),
          Stream.fromEffect(Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
        ),
        Stream.make(metadata, ...said("hi"), finish(700))
      )
      yield* Effect.gen(function* () {
        const reader = yield* Effect.fork(collect("short"))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(reader)
        assert.deepStrictEqual(model.connections, ["open 0", "close 0"])
        assert.include(types(yield* collect("short")), "finish")
      }).pipe(Effect.provide(guarded(model.layer)))
    })
  )

  it.effect("two streams of one conversation at once", () => {
    const model = streaming(...[0, 1].map(() => Stream.make(metadata, ...said("hi"), finish(700))))
    return Effect.gen(function* () {
      const pair = yield* Stream.zip(
        LanguageModel.streamText({ prompt: "a" }),
        LanguageModel.streamText({ prompt: "a" })
      ).pipe(Stream.runCollect)
      assert.strictEqual(Chunk.size(pair), 5)
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("120 streamed turns of a chat live in a window of 8,000, by what the provider counted", () => {
    const model = countingModel.make({ window: 8_000, answers: () => text(words(130)) })
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      for (let turn = 0; turn < 120; turn++) {
        yield* Stream.runDrain(chat.streamText({ prompt: `Turn ${turn}: ${words(15)}` }))
      }
      assert.strictEqual(model.refusals(), 0)
      assert.isAbove(model.summaries(), 0)
      assert.isAtMost(model.summaries(), Math.ceil(1 + (120 * 156 - 6_400) / 4_000))
    }).pipe(Effect.provide(guarded(model.layer)))
  })

  it.effect("a server that drops what does not fit is found by what it counts of streams, and told once", () => {
    const model = countingModel.make({ window: 8_000, truncates: true, answers: () => text(words(130)) })
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => told.push(String(message)))
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      for (let turn = 0; turn < 60; turn++) {
        yield* Stream.runDrain(chat.streamText({ prompt: `Turn ${turn}: ${words(250)}` }))
      }
      assert.isAbove(model.summaries(), 0)
      assert.isBelow(Math.max(...model.asked.map(({ tokens }) => tokens)), 10_000)
      assert.strictEqual(told.filter((line) => line.includes("drops what does not fit")).length, 1)
    }).pipe(
      Effect.provide(guarded(model.layer, { window: 32_000 })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  })
})
