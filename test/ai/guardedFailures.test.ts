import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Guarded from "../../src/ai/Guarded.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import { words } from "./countingModel.ts"
import { ok, plantedKey, type Provider, shapes, type Wire, wired } from "./failureShapes.ts"

const conversation = Prompt.fromMessages(
  Array.from({ length: 21 }, (_, i) =>
    i % 2 === 0
      ? Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: `${i}: ${words(20)}` })] })
      : Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text: words(130) })] })
  )
)

type Method = "generateText" | "generateObject" | "streamText"

const schema = Schema.Struct({ a: Schema.String })

/** The text that a call comes to. */
const ask = (method: Method): Effect.Effect<string, AiError.AiError, LanguageModel.LanguageModel> => {
  switch (method) {
    case "generateText":
      return Effect.map(LanguageModel.generateText({ prompt: conversation }), ({ text }) => text)
    case "generateObject":
      return Effect.map(
        LanguageModel.generateObject({ prompt: conversation, schema, objectName: "object" }),
        ({ value }) => value.a
      )
    case "streamText":
      return Stream.runFold(LanguageModel.streamText({ prompt: conversation }), "", (text, part) =>
        part.type === "text-delta" ? text + part.delta : part.type === "error" ? `${text}error part` : text
      )
  }
}

const good = (provider: Provider, method: Method): Wire => {
  if (method !== "generateObject")
    return ok[provider === "openai" ? "openAi" : "anthropic"]("fine", method === "streamText")
  return provider === "openai"
    ? ok.openAi(JSON.stringify({ a: "fine" }), false)
    : ok.anthropicObject("object", { a: "fine" })
}

/** One guarded call against a server that first fails in this way, and then answers. */
const call = Effect.fnUntraced(function* (shape: keyof typeof shapes, method: Method, evidence = true) {
  const provider = shape.startsWith("openAi") ? "openai" : "anthropic"
  const { model, requests } = yield* wired(provider, [shapes[shape], good(provider, method)], { evidence })
  const result = yield* ask(method).pipe(
    Effect.either,
    Effect.provide(
      Guarded.layer({
        window: 100_000,
        route: { provider, model: "m" },
        summarizer: Summarizer.layerWith(() => Effect.succeed("in short"))
      }).pipe(Layer.provide(model))
    )
  )
  return { result, sent: requests.map(({ body }) => body.length) }
})

const all: ReadonlyArray<Method> = ["generateText", "generateObject", "streamText"]

const rescued: ReadonlyArray<readonly [keyof typeof shapes, ReadonlyArray<Method>]> = [
  ["openAi400", all],
  ["openAi400Figures", all],
  ["openAiSseError", ["streamText"]],
  ["openAiSseFailed", ["streamText"]],
  ["openAiFailedWholeTooLong", ["generateText", "generateObject"]],
  ["anthropic400", all],
  ["anthropic400Output", all],
  ["anthropicSseError", ["streamText"]],
  ["anthropicWindow", ["generateText", "generateObject"]],
  ["anthropicSseWindow", ["streamText"]],
  // the package loses the text with the event that it cannot read: none of it came out
  ["anthropicSseWindowAfterText", ["streamText"]]
]

/** Asked once, and failed with what is said here. */
const failed: ReadonlyArray<readonly [keyof typeof shapes, ReadonlyArray<Method>, AiError.AiError["_tag"], RegExp]> = [
  ["openAi429", all, "HttpResponseError", /tokens per min/],
  ["openAi413Html", all, "HttpResponseError", /413/],
  ["openAiSseFailedServer", ["streamText"], "UnknownError", /had an error/],
  ["openAiFailedWhole", ["generateText"], "UnknownError", /had an error/],
  ["openAiCut", ["streamText"], "MalformedOutput", /without a finish part/],
  ["anthropic413", ["streamText"], "HttpResponseError", /413/],
  ["anthropic413", ["generateText", "generateObject"], "MalformedOutput", /./],
  ["anthropic529", all, "HttpResponseError", /Overloaded/]
]

describe("the failures of the providers' packages, under the guard", () => {
  for (const [shape, methods] of rescued) {
    for (const method of methods) {
      it.scopedLive(`${shape}, ${method}: rescued`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* call(shape, method)
          assert.deepStrictEqual(result, Either.right("fine"))
          assert.strictEqual(sent.length, 2)
          assert.isBelow(sent[1]!, sent[0]! / 2)
        })
      )
    }
  }

  for (const [shape, methods, tag, words] of failed) {
    for (const method of methods) {
      it.scopedLive(`${shape}, ${method}: the failure comes out, and nothing is sent again`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* call(shape, method)
          assert.strictEqual(sent.length, 1)
          const failure = Either.getOrElse(Either.flip(result), (text) => assert.fail(`answered: ${text}`))
          assert.strictEqual(failure._tag, tag)
          assert.match(`${failure.message} ${"description" in failure ? failure.description : ""}`, words)
          // it is there already
          assert.notInclude(failure.message, "HttpEvidence")
          // that of a package shows its request: it is passed on as it is
          if (failure.module === "Guarded") assert.notInclude(JSON.stringify(failure), plantedKey)
        })
      )
    }
  }

  it.scopedLive("without HttpEvidence, what the package hides is a failure all the same, and no empty success", () =>
    Effect.gen(function* () {
      for (const [shape, method] of [
        ["openAiSseFailed", "streamText"],
        ["openAiSseFailedServer", "streamText"],
        ["openAiFailedWhole", "generateText"]
      ] as const) {
        const { result, sent } = yield* call(shape, method, false)
        assert.strictEqual(sent.length, 1)
        const failure = Either.getOrThrow(Either.flip(result))
        assert.strictEqual(failure._tag, "MalformedOutput")
        assert.match(failure.message, /HttpEvidence/)
      }
    })
  )

  it.scopedLive("parallel calls do not read each other's notes", () =>
    Effect.gen(function* () {
      const { model, requests } = yield* wired("openai", [shapes.openAi400, shapes.openAi429, ok.openAi("fine", false)])
      const results = yield* Effect.all(
        Array.from({ length: 6 }, (_, i) =>
          Effect.either(LanguageModel.generateText({ prompt: Prompt.merge(conversation, `question ${i}`) }))
        ),
        { concurrency: "unbounded" }
      ).pipe(
        Effect.provide(
          Guarded.layer({
            window: 100_000,
            summarizer: Summarizer.layerWith(() => Effect.succeed("in short"))
          }).pipe(Layer.provide(model))
        )
      )
      // the one that was too long was sent again, the one that was too many was not
      assert.strictEqual(requests.length, 7)
      assert.strictEqual(results.filter(Either.isLeft).length, 1)
    })
  )
})
