import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import * as ExactTokenizer from "../../src/compaction/exactTokenizer.ts"
import { families } from "../../src/compaction/estimator/families.ts"
import { framing } from "../../src/compaction/requestPrice.ts"
import { countText, estimate, runEstimator } from "../../src/compaction/RunEstimator.ts"
import * as TokenEstimator from "../../src/layers/TokenEstimator.ts"
import * as Message from "../../src/session/Message.ts"
import { anyText, runUnits, texts } from "./texts.ts"

const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

describe("guarded", () => {
  it.prop("changes nothing where no run is long", [anyText], ([text]) => {
    assert.strictEqual(ExactTokenizer.guarded(exact)(text), exact(text))
  })

  for (const unit of runUnits) {
    it(`gives pieces that are short where nothing cuts a run of ${JSON.stringify(unit)}`, () => {
      const pieces: Array<string> = []
      const text = unit.repeat(20_000)
      ExactTokenizer.guarded((piece) => pieces.push(piece))(text)
      assert.strictEqual(pieces.join(""), text)
      for (const piece of pieces) {
        for (const run of piece.match(/\s+|[A-Za-z0-9\u0080-\uffff]+|[^\sA-Za-z0-9\u0080-\uffff]+/g) ?? []) {
          assert.isAtMost(run.length, 257)
        }
        assert.notMatch(piece, /^[\udc00-\udfff]/)
      }
    })
  }

  it("is off by less than 2 % on a run", () => {
    for (const unit of ["a", "=", " ", "ab", "中", "ha"]) {
      const text = unit.repeat(3000)
      assert.isAtMost(Math.abs(ExactTokenizer.guarded(exact)(text) / exact(text) - 1), 0.02, unit)
    }
  })
})

describe("bounded", () => {
  const bounded = ExactTokenizer.bounded(exact, (text) => estimate(text, "o200k"))

  it("counts a text of 20,000 units whole", () => {
    const text = texts.TypeScript.slice(0, 20_000)
    assert.strictEqual(bounded(text), exact(text))
  })

  it("is within 3 % of the exact count on large texts, and looks at 64 windows only", () => {
    const mixture = Object.values(texts).join("\n")
    const all = { ...texts, mixture, "a log": Array.from({ length: 9000 }, (_, i) => `line ${i * 7919} ok`).join("\n") }
    for (const [kind, text] of Object.entries(all)) {
      if (text.length <= 20_000) continue
      let looked = 0
      const counting = ExactTokenizer.bounded(
        (piece) => {
          looked += piece.length
          return exact(piece)
        },
        (piece) => estimate(piece, "o200k")
      )
      assert.isAtMost(Math.abs(counting(text) / exact(text) - 1), 0.03, kind)
      assert.isAtMost(looked, 64 * (250 + 120))
    }
  })
})

describe("layerGptTokenizer", () => {
  const layered = it.effect
  const openai = { provider: "openai", model: "gpt-5" }
  const priceOf =
    (text: string) =>
    (estimator: typeof runEstimator, route = openai) => {
      const weights = estimator.weights(route)
      return (
        estimator.message(Message.user(text)).reduce((sum, tokens, k) => sum + tokens * weights[k]!, 0) -
        framing.message
      )
    }

  layered("counts texts for OpenAI's models as gpt-tokenizer does", () =>
    Effect.gen(function* () {
      const estimator = yield* TokenEstimator.TokenEstimator
      for (const text of Object.values(texts)) {
        const piece = text.slice(0, 4000)
        const longRun = /[A-Za-z0-9\u0080-\uffff]{257}/.test(piece)
        assert.isAtMost(Math.abs(priceOf(piece)(estimator) / exact(piece) - 1), longRun ? 0.01 : 0)
      }
    }).pipe(Effect.provide(TokenEstimator.layerGptTokenizer()))
  )

  layered("takes names of special tokens for text", () =>
    Effect.gen(function* () {
      const estimator = yield* TokenEstimator.TokenEstimator
      assert.isAbove(priceOf("<|endoftext|>")(estimator), 3)
    }).pipe(Effect.provide(TokenEstimator.layerGptTokenizer()))
  )

  layered("leaves other families as they are, and stores another id", () =>
    Effect.gen(function* () {
      const estimator = yield* TokenEstimator.TokenEstimator
      const route = { provider: "deepseek", model: "deepseek-chat" }
      const text = texts.JSON.slice(0, 4000)
      assert.strictEqual(priceOf(text)(estimator, route), countText(text, "deepseek_v3"))
      assert.strictEqual(estimator.id, "runs/3+gpt-tokenizer/cl100k")
      assert.notStrictEqual(estimator.id, runEstimator.id)
      assert.strictEqual(estimator.dimensions, families.length)
    }).pipe(Effect.provide(TokenEstimator.layerGptTokenizer({ vocabulary: "cl100k" })))
  )

  layered("ends on runs that make the tokenizer quadratic", () =>
    Effect.gen(function* () {
      const estimator = yield* TokenEstimator.TokenEstimator
      for (const unit of runUnits) assert.isAbove(priceOf(unit.repeat(15_000))(estimator), 0)
    }).pipe(Effect.provide(TokenEstimator.layerGptTokenizer()))
  )

  layered("is not in use without it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* TokenEstimator.TokenEstimator, runEstimator)
    })
  )
})
