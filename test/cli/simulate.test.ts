import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cost, parse as parsePrices } from "../../src/cli/simulate/prices.ts"
import { figuresOf } from "../../src/cli/replay/figures.ts"
import type { Report } from "../../src/cli/simulate/report.ts"
import { type Given, run } from "../../src/cli/simulate/run.ts"
import { render } from "../../src/cli/simulate/table.ts"
import * as Sweep from "../../src/cli/simulate/sweep.ts"
import * as Variants from "../../src/cli/simulate/variants.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import { root } from "./bin.ts"

const valuesOf = (text: string) => Either.getOrElse(Sweep.parse(text), (why) => why)

describe("a sweep", () => {
  it("has the values that a person would have written", () => {
    assert.deepStrictEqual(valuesOf("0.8"), [0.8])
    assert.deepStrictEqual(valuesOf("0.6..0.9:0.1"), [0.6, 0.7, 0.8, 0.9])
    assert.deepStrictEqual(valuesOf("0.5..0.62:0.05"), [0.5, 0.55, 0.6])
    assert.deepStrictEqual(valuesOf("0.9, 0.1..0.3:.1,0.2"), [0.9, 0.1, 0.2, 0.3])
    assert.deepStrictEqual(valuesOf("8000..16000:4000"), [8000, 12000, 16000])
  })

  it.each([
    "",
    "x",
    "0.6..",
    "0.6..0.9",
    "0.6..0.9:0",
    "0.9..0.6:0.1",
    "0..1:0.001",
    "-1",
    "1e3",
    "0.1..0.2..0.3:1",
    `1..${"9".repeat(400)}:${"9".repeat(400)}`,
    "9".repeat(400)
  ])("says what is wrong with %j", (text) => {
    assert.isString(valuesOf(text))
  })
})

describe("the policies that are compared", () => {
  const names = (sources: ReadonlyArray<Variants.Source>, threshold?: string, retain?: string) =>
    Effect.map(Variants.make(sources, { threshold, retain }), (all) => all.map(({ name }) => name))
  const source = (path: string, settings: unknown = {}): Variants.Source => ({ path, text: JSON.stringify(settings) })

  it.effect("are each file with each value of a sweep, under names that differ", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* names([]), ["default"])
      assert.deepStrictEqual(yield* names([], "0.6,0.7", "0.1"), [
        "threshold 0.6, retain 0.1",
        "threshold 0.7, retain 0.1"
      ])
      assert.deepStrictEqual(yield* names([source("a/lean.json"), source("b/lean.json"), source("rich.json")], "0.6"), [
        "a/lean.json, threshold 0.6",
        "b/lean.json, threshold 0.6",
        "rich, threshold 0.6"
      ])
    })
  )

  it.effect("keep the settings of their file that are not swept", () =>
    Effect.gen(function* () {
      const [variant] = yield* Variants.make([source("p.json", { threshold: 0.5, retain: 0.1 })], {
        threshold: "0.7",
        retain: undefined
      })
      assert.deepInclude(variant?.policy, { threshold: 0.7, retain: 0.1 })
      assert.deepStrictEqual(variant?.settings, { threshold: 0.7, retain: 0.1 })
    })
  )

  it.effect("are refused with the file, or the option, that is wrong", () =>
    Effect.gen(function* () {
      const why = (sources: ReadonlyArray<Variants.Source>, threshold?: string) =>
        Effect.map(Effect.flip(names(sources, threshold)), ({ message }) => message)
      assert.match(yield* why([source("a.json", { treshold: 0.5 })], "0.6"), /^the policy a\.json .*treshold/u)
      assert.match(yield* why([{ path: "a.json", text: "{" }]), /^the policy a\.json .*not JSON/u)
      assert.match(yield* why([source("a.json", 3)], "0.6"), /^the policy a\.json/u)
      assert.match(yield* why([], "2"), /threshold: Expected a share/u)
      assert.match(yield* why([], "x"), /^--threshold takes numbers/u)
      assert.match(yield* why([source("a.json"), source("a.json")]), /given twice/u)
    })
  )
})

describe("prices", () => {
  const figures = {
    ...figuresOf([], { envelope: () => 0, message: () => 0 }, runEstimator),
    billed: { inputTokens: 3e6, cachedTokens: 2e6, outputTokens: 1e6 },
    spend: { calls: 1, inputTokens: 1e6, cachedTokens: 0, outputTokens: 0 }
  }

  it.effect("are of a million tokens, and cached input is part of the input", () =>
    Effect.gen(function* () {
      assert.strictEqual(cost(figures, yield* parsePrices("3,0.5,15")), 3 + 2 * 0.5 + 15 + 3)
      assert.strictEqual(cost(figures, yield* parsePrices("3, 15")), 9 + 15 + 3)
    })
  )

  it.effect("that are none are refused", () =>
    Effect.forEach(["", "3", "3,x", "1,2,3,4", "3,,15", "-1,2"], (text) =>
      Effect.map(Effect.flip(parsePrices(text)), ({ message }) => assert.match(message, /^--prices takes/u))
    )
  )
})

const given: Given = {
  transcript: join(root, "test/cli/fixtures/small.json"),
  window: "3000",
  toldWindow: undefined,
  policies: [],
  threshold: undefined,
  retain: undefined,
  prices: undefined,
  format: undefined,
  html: undefined,
  json: true
}

const simulate = (more: Partial<Given>) => Effect.provide(run({ ...given, ...more }), NodeContext.layer)

describe("a simulation", () => {
  it.live("drives the session through each policy, and each answers what the recording holds", () =>
    Effect.gen(function* () {
      const { failures, text } = yield* simulate({ threshold: "0.6,0.9", toldWindow: "4000", prices: "3,0.3,15" })
      const report = JSON.parse(text) as Report
      assert.deepStrictEqual(failures, [])
      assert.deepStrictEqual(
        report.variants.map(({ name }) => name),
        ["threshold 0.6", "threshold 0.9"]
      )
      const [early, late] = report.variants as [Report["variants"][number], Report["variants"][number]]
      for (const variant of [early, late]) {
        assert.strictEqual(variant.answered, variant.recorded)
        assert.strictEqual(variant.retriesNotSmaller, 0)
        const series = variant.sessions.flatMap((session) => session.series)
        assert.strictEqual(series.length, variant.steps)
        assert.strictEqual(
          series.reduce((sum, { tokens }) => sum + tokens, 0),
          variant.tokensSent
        )
        assert.isAbove(variant.billed.cachedTokens, 0)
        assert.isAbove(variant.money ?? 0, 0)
      }
      assert.isBelow(early.tokensSent, late.tokensSent)
      // each begins anew: nothing of the first is left in the second
      const alone = JSON.parse((yield* simulate({ threshold: "0.9", toldWindow: "4000", prices: "3,0.3,15" })).text)
      assert.deepStrictEqual(alone.variants, [late])

      const wide = render(report, Infinity)
      assert.match(wide, /"threshold 0\.\d" costs least, at these prices/u)
      for (const { name } of report.variants) assert.include(wide, name)
      const narrow = render(report, 60).split("\n")
      assert.isAtMost(Math.max(...narrow.filter((line) => line.includes("│")).map((line) => line.length)), 60)
    })
  )

  it.live("says that the system prompt and tools are not in the file, so that sizes are not taken for whole", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "effect-compaction-hidden-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const transcript = join(folder, "gemini.json")
      const tokens = { input: 900, output: 5, cached: 0, thoughts: 0, tool: 0, total: 905 }
      const said = [
        { id: "1", type: "user", content: "hello" },
        { id: "2", type: "gemini", content: "good day", model: "g", tokens }
      ]
      writeFileSync(transcript, JSON.stringify({ sessionId: "s", projectHash: "p", messages: said }))
      const { text } = yield* simulate({ transcript, json: false })
      assert.include(text, "note: its system prompt and tools are not in the file, and are not counted")
    }).pipe(Effect.scoped)
  )

  it.live("says what is wrong before anything runs", () =>
    Effect.gen(function* () {
      const why = (more: Partial<Given>) => Effect.map(Effect.flip(simulate(more)), (error) => error.message)
      assert.match(yield* why({ window: "0" }), /^--window takes/u)
      assert.match(yield* why({ transcript: "nowhere.json" }), /nowhere\.json: there is no such file/u)
      assert.match(yield* why({ policies: ["nowhere.json"] }), /policy nowhere\.json: there is no such file/u)
      assert.match(yield* why({ window: "10" }), /cannot hold the system prompt/u)
    })
  )

  it.live("takes the settings of a policy file", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-compaction-test-"))),
      (folder) =>
        Effect.gen(function* () {
          const path = join(folder, "never.json")
          writeFileSync(path, JSON.stringify({ auto: false }))
          const { text } = yield* simulate({ policies: [path], window: "64000" })
          const report = JSON.parse(text) as Report
          assert.deepInclude(report.variants[0], { name: "never", generation: 0, money: null, overflows: 0 })
        }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
})
