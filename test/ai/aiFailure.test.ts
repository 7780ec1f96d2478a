import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as aiFailure from "../../src/ai/aiFailure.ts"
import * as HttpEvidence from "../../src/ai/HttpEvidence.ts"
import { ok, plantedKey, type Provider, shapes, wired } from "./failureShapes.ts"

const by = (provider: Provider) => ({ route: { provider, model: "m" }, rows: [] })

type Method = "generateText" | "generateObject" | "streamText"

/** What one call shows: the sign in its error, or in a part. */
const look = Effect.fnUntraced(function* (
  shape: keyof typeof shapes,
  method: Method,
  evidence: boolean,
  client: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer
) {
  const provider = shape.startsWith("openAi") ? "openai" : "anthropic"
  const { model } = yield* wired(provider, [shapes[shape]], { client, evidence })
  const notes = HttpEvidence.makeNotes()
  const prompt = "words of a user: prompt is too long"
  const called: Effect.Effect<
    ReadonlyArray<Response.AnyPart>,
    AiError.AiError,
    LanguageModel.LanguageModel
  > = method === "streamText"
    ? LanguageModel.streamText({ prompt }).pipe(Stream.runCollect, Effect.map(Chunk.toReadonlyArray))
    : Effect.map(
        method === "generateText"
          ? LanguageModel.generateText({ prompt })
          : LanguageModel.generateObject({ prompt, schema: Schema.Struct({ a: Schema.String }), objectName: "a" }),
        ({ content }) => content
      )
  const result = yield* called.pipe(
    Effect.either,
    Effect.provide(model),
    Effect.provideService(HttpEvidence.CurrentNotes, notes)
  )
  const sign = Either.isLeft(result)
    ? aiFailure.overflowOf(result.left, notes.newest, by(provider))
    : Option.firstSomeOf(result.right.map((part) => aiFailure.overflowIn(part, notes.newest, by(provider))))
  return { result, notes, sign }
})

const figures = { limit: 9000, limitCounts: "input", requested: 9411 }

/** What is to be read of each: a sign, or none. `seen`: only with the evidence of HTTP. */
const expected: ReadonlyArray<
  readonly [keyof typeof shapes, ReadonlyArray<Method>, Option.Option<object>, { readonly seen?: boolean }?]
> = [
  ["openAi400", ["generateText", "generateObject", "streamText"], Option.some({})],
  ["openAi400Figures", ["generateText", "generateObject", "streamText"], Option.some(figures)],
  ["openAi429", ["generateText", "generateObject", "streamText"], Option.none()],
  ["openAi413Html", ["generateText", "generateObject", "streamText"], Option.some({ unit: "bytes" })],
  ["openAiSseError", ["streamText"], Option.some({})],
  ["openAiFailedWhole", ["generateText", "generateObject"], Option.none()],
  ["openAiFailedWholeTooLong", ["generateText", "generateObject"], Option.some({})],
  ["anthropic400", ["generateText", "generateObject", "streamText"], Option.some(figures)],
  ["anthropic413", ["generateText", "generateObject", "streamText"], Option.some({ unit: "bytes" })],
  ["anthropic529", ["generateText", "generateObject", "streamText"], Option.none()],
  ["anthropicSseError", ["streamText"], Option.some(figures)],
  ["anthropicWindow", ["generateText"], Option.some({})],
  ["anthropicWindow", ["generateObject"], Option.some({}), { seen: true }],
  ["anthropicSseWindow", ["streamText"], Option.some({})],
  ["anthropicSseWindowAfterText", ["streamText"], Option.some({})]
]

describe("what a provider's package fails with", () => {
  for (const [shape, methods, sign, { seen = false } = {}] of expected) {
    for (const method of methods) {
      it.scopedLive(`${shape}, ${method}`, () =>
        Effect.gen(function* () {
          const noted = yield* look(shape, method, true)
          assert.deepStrictEqual(noted.sign, sign)
          const alone = yield* look(shape, method, false)
          assert.deepStrictEqual(alone.sign, seen ? Option.none() : sign)
          assert.isUndefined(alone.notes.newest)
        })
      )
    }
  }

  it.scopedLive("input and output together: both figures are read", () =>
    Effect.gen(function* () {
      const { sign } = yield* look("anthropic400Output", "generateText", true)
      assert.deepStrictEqual(sign, Option.some({ limit: 9000, limitCounts: "input-and-output", requested: 7411 }))
    })
  )

  it.scopedLive("a failed response that the package leaves out is noted, with its words", () =>
    Effect.gen(function* () {
      for (const [shape, tooLong] of [
        ["openAiSseFailed", true],
        ["openAiSseFailedServer", false]
      ] as const) {
        const { notes, result } = yield* look(shape, "streamText", true)
        const types = Either.getOrThrow(result).map(({ type }) => type)
        // this is all that the package makes of it
        assert.deepStrictEqual(types, tooLong ? ["response-metadata"] : ["response-metadata", "finish"])
        const failure = aiFailure.endedSilently("streamText", "no-finish", notes)
        assert.strictEqual(failure._tag, "UnknownError")
        assert.match(failure.message, tooLong ? /longer than the context window/ : /had an error/)
        assert.strictEqual(Option.isSome(aiFailure.overflowOf(failure, notes.newest, by("openai"))), tooLong)
      }
    })
  )

  it.scopedLive("Node's own client is read as well, streamed and whole", () =>
    Effect.gen(function* () {
      for (const [shape, method] of [
        ["anthropic413", "generateText"],
        ["openAiSseFailed", "streamText"],
        ["openAiFailedWhole", "generateText"]
      ] as const) {
        const fetched = yield* look(shape, method, true)
        const { notes, result } = yield* look(shape, method, true, NodeHttpClient.layerUndici)
        assert.isDefined(notes.newest)
        assert.deepStrictEqual(notes, fetched.notes)
        assert.strictEqual(Either.isLeft(result), Either.isLeft(fetched.result))
      }
    })
  )

  it.scopedLive("what is noted holds neither key nor header", () =>
    Effect.gen(function* () {
      for (const shape of ["openAi400", "anthropic413", "openAiSseFailed"] as const) {
        const { notes } = yield* look(shape, shape === "openAiSseFailed" ? "streamText" : "generateText", true)
        const written = JSON.stringify(notes)
        assert.isDefined(notes.newest)
        assert.notInclude(written, plantedKey)
        assert.notInclude(written, "x-request-id")
      }
    })
  )

  it.scopedLive("a refusal is forgotten when the client has overcome it by itself", () =>
    Effect.gen(function* () {
      const { model } = yield* wired("openai", [ok.openAi("hi", false)])
      const notes = HttpEvidence.makeNotes()
      notes.newest = { status: 400, body: "context_length_exceeded", delivery: "http" }
      yield* LanguageModel.generateText({ prompt: "x" }).pipe(
        Effect.provide(model),
        Effect.provideService(HttpEvidence.CurrentNotes, notes)
      )
      assert.isUndefined(notes.newest)
    })
  )
})
