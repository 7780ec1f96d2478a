import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as OpenAiChat from "../../src/layers/adapters/OpenAiChat.ts"
import * as ErrorClassifier from "../../src/layers/ErrorClassifier.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import { overflowSign } from "../../src/layers/overflowSign.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Errors from "../../src/errors/ModelError.ts"
import { scripted } from "../loop/scripted.ts"
import { inSession, words } from "../loop/world.ts"
import { rawServer } from "./adapters/rawServer.ts"

const route = { provider: "house-gateway", model: "m" }
const row: ErrorClassifier.Row = {
  id: "house-gateway",
  tag: "ContextWindowExceeded",
  // with the flags of somebody who searches a whole text
  wording: /zu gro(?:ss|ß) \((?<input>\d+) statt (?<limit>\d+)\)/gi,
  limitCounts: "input"
}
const coded: ErrorClassifier.Row = { id: "house-code", tag: "ContextWindowExceeded", code: ["E_TOO_BIG"] }
const said = { error: { message: "Zu groß (950 statt 900)" } }

const asked = (model: OpenAiChat.ModelAdapter["Type"]) =>
  model
    .stream({ id: "s/1", generation: 0, envelope: { route }, messages: [Message.user("Hello")] })
    .pipe(Stream.runDrain, Effect.flip)

const adapter = (baseUrl: string, rows: Layer.Layer<never>) =>
  Effect.flatMap(OpenAiChat.ModelAdapter, asked).pipe(
    Effect.provide(
      OpenAiChat.layer({ provider: route.provider, baseUrl, retry: false }).pipe(
        Layer.provide(rows),
        Layer.provide(FetchHttpClient.layer)
      )
    )
  )

describe("rows of the application's own", () => {
  it.scopedLive("judge what an adapter is answered: a refusal, an error in the stream, a finish reason", () =>
    Effect.gen(function* () {
      const chunk = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`
      const answers = [
        () => ({ status: 400, type: "application/json", text: JSON.stringify(said) }),
        () => ({ status: 200, type: "text/event-stream", text: chunk(said) }),
        () => ({
          status: 200,
          type: "text/event-stream",
          text: chunk({ choices: [{ index: 0, delta: {}, finish_reason: "e_too_big" }] })
        })
      ]
      const { baseUrl } = yield* rawServer((response, number) => {
        const { status, text, type } = answers[number % answers.length]!()
        response.writeHead(status, { "content-type": type }).end(text)
      })
      const rows = ErrorClassifier.layerRows([row, coded])
      for (const figures of [[900, 950], [900, 950], []]) {
        const error = yield* adapter(baseUrl, rows)
        assert.instanceOf(error, Errors.ContextWindowExceeded)
        assert.deepStrictEqual([error.limit, error.requested], [figures[0], figures[1]])
      }
      // and without them nothing is known
      for (const tag of ["InvalidRequest", "ProviderError"]) {
        assert.strictEqual((yield* adapter(baseUrl, Layer.empty))._tag, tag)
      }
    })
  )

  it.effect("judge what a client of one's own fails with", () =>
    Effect.gen(function* () {
      yield* Surface.append(
        ...Array.from({ length: 6 }, (_, i) => [Message.user(`Question ${i}`), Message.assistant(words(300))]).flat()
      )
      const outcomes = [Effect.fail({ status: 400, body: JSON.stringify(said) }), Effect.succeed("done")]
      const answer = yield* OverflowRescue.retry({
        envelope: { route },
        send: () => Effect.suspend(() => outcomes.shift() ?? Effect.dieMessage("asked too often"))
      })
      assert.strictEqual(answer, "done")
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(Layer.merge(scripted(), ErrorClassifier.layerRows([row]))))
  )

  it.effect("are added to those that stand further out, and asked before them", () =>
    Effect.gen(function* () {
      const { rows } = yield* ErrorClassifier.ErrorClassifier
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["house-gateway", "house-code"]
      )
    }).pipe(Effect.provide(ErrorClassifier.layerRows([row]).pipe(Layer.provide(ErrorClassifier.layerRows([coded])))))
  )

  it("find again what they found before, and overrule no status", () => {
    for (const status of [400, 400, 413, 422]) {
      const verdict = ErrorClassifier.judge({ route, status, body: said, delivery: "http", rows: [row] })
      assert.deepInclude(verdict, { tag: "ContextWindowExceeded", row: "house-gateway", limit: 900, input: 950 })
    }
    // anything else they may say
    const missing: ErrorClassifier.Row = { id: "house-missing", tag: "ProviderUnavailable", status: [404] }
    const gone = ErrorClassifier.judge({ route, status: 404, body: "gone", delivery: "http", rows: [missing] })
    assert.deepInclude(gone, { tag: "ProviderUnavailable", row: "house-missing" })
    for (const status of [401, 402, 403, 404, 408, 429]) {
      const verdict = ErrorClassifier.judge({ route, status, body: said, delivery: "http", rows: [row] })
      assert.notStrictEqual(verdict.tag, "ContextWindowExceeded")
    }
  })
})

describe("what an adapter has judged", () => {
  it("is not judged again by the excerpt that its error holds", () => {
    const detail = "prompt is too long: 31 tokens > 30 maximum"
    for (const error of [
      new Errors.InvalidRequest({ route, detail }),
      new Errors.ProviderError({ route, detail }),
      new Errors.RateLimited({ route, detail })
    ]) {
      assert.isTrue(Option.isNone(overflowSign(error, route, [])))
    }
    assert.isTrue(Option.isSome(overflowSign(new Error(detail), route, [])))
  })
})
