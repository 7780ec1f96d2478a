import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Calibration from "../../src/compaction/Calibration.ts"

/** What one request gained: an answer, and 100 estimated tokens of other text. */
const growth = (estimated: number, output: number, reasoning = 0): Calibration.Growth => ({
  estimated: estimated + 100,
  reply: { estimated, output, reasoning }
})

const learned = (pairs: ReadonlyArray<readonly [Calibration.Growth, number]>) =>
  pairs.reduce((known, [gained, counted]) => Calibration.learn(known, gained, counted), Calibration.none)

/** The tokens that a growth will be counted as, and those of them that are the answer where its output prices it. */
const predict = (known: Calibration.Calibration, { estimated, reply }: Calibration.Growth) => {
  const pricing = Calibration.pricing(known, reply)
  return { ...Calibration.priced(pricing, estimated), reply: pricing.reply?.tokens }
}

const repeat = <A>(times: number, value: A): ReadonlyArray<A> => Array.from({ length: times }, () => value)

describe("a route's calibration", () => {
  it("has a density of 1 before anything was counted, and a wide error", () => {
    assert.strictEqual(Calibration.density(Calibration.none), 1)
    const { error, tokens } = predict(Calibration.none, { estimated: 1_000 })
    assert.strictEqual(tokens, 1_000)
    assert.isAbove(error, 120)
  })

  it("learns density as the ratio of sums, on top of 3,000 tokens at 1", () => {
    const known = learned([[{ estimated: 1_500 }, 3_000]])
    assert.strictEqual(Calibration.density(known), 6_000 / 4_500)
  })

  it("does not learn density from a difference that no tokenizer makes", () => {
    const known = learned([
      [{ estimated: 100 }, 10],
      [{ estimated: 100 }, 1_000]
    ])
    assert.strictEqual(Calibration.density(known), 1)
  })

  for (const [what, sentBack, way] of [
    ["that comes back whole", 500, 500],
    ["whose reasoning stays away", 100, 100]
  ] as const) {
    it(`finds out what becomes of an answer ${what}`, () => {
      // 500 tokens of output, 400 of them reasoning that the log does not hold
      const known = learned(repeat(4, [growth(90, 500, 400), 100 + sentBack] as const))
      assert.strictEqual(predict(known, growth(90, 500, 400)).reply, way)
    })
  }

  it("keeps to the estimate where output counts prove useless, whatever they say", () => {
    const known = learned(repeat(4, [growth(200, 8), 300] as const))
    const predicted = predict(known, growth(200, 200))
    assert.isUndefined(predicted.reply)
    assert.approximately(predicted.tokens, 300, 1)
  })

  it("changes its mind when the route does", () => {
    const before = repeat(10, [growth(100, 150), 250] as const)
    const after = repeat(40, [growth(100, 3), 200] as const)
    assert.strictEqual(predict(learned(before), growth(100, 150)).reply, 150)
    assert.isUndefined(predict(learned([...before, ...after]), growth(100, 3)).reply)
  })

  const pairs = FastCheck.array(
    FastCheck.record({
      estimated: FastCheck.nat(5_000),
      output: FastCheck.nat(5_000),
      reasoning: FastCheck.nat(6_000),
      counted: FastCheck.integer({ min: -5_000, max: 20_000 })
    }),
    { maxLength: 60 }
  )

  it.prop("stays a number, and its density within what is plausible [P18]", { pairs }, ({ pairs: told }) => {
    const known = learned(
      told.map(({ counted, estimated, output, reasoning }) => [growth(estimated, output, reasoning), counted])
    )
    assert.isAtLeast(Calibration.density(known), 0.3)
    assert.isAtMost(Calibration.density(known), 4)
    const { error, tokens } = predict(known, growth(100, 100))
    assert.isTrue(Number.isFinite(tokens))
    assert.isTrue(Number.isFinite(error) && error > 0)
  })
})
