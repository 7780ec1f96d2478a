import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
import * as Policy from "../../src/compaction/Policy.ts"
import { markerLength } from "../../src/compaction/prune.ts"

const decoded = (input: unknown): Policy.Policy => Either.getOrThrow(Policy.decode(input))

const refused = (input: unknown) => {
  const result = Policy.decode(input)
  if (Either.isRight(result)) return assert.fail(`was accepted: ${JSON.stringify(input)}`)
  return result.left
}

const flash = { provider: "deepseek", model: "flash" }

describe("Policy.defaults", () => {
  it("are what no setting at all gives, and are frozen to the bottom [A1]", () => {
    assert.deepStrictEqual(decoded({}), Policy.defaults)
    const { prune, summary } = Policy.defaults
    for (const part of [Policy.defaults, Policy.defaults.auto, prune, summary, Policy.defaults.models]) {
      assert.isTrue(Object.isFrozen(part))
    }
    assert.isTrue(prune !== false && Object.isFrozen(prune.exempt))
    assert.deepStrictEqual(prune, { over: 8192, head: 4096, tail: 1024, exempt: [] })
    assert.deepStrictEqual(Policy.defaults.auto, { pressure: true, contextOverflow: true })
    assert.deepStrictEqual([summary.route, summary.maxTokens, summary.attempts], [undefined, undefined, 2])
    assert.strictEqual(Policy.budgets(Policy.defaults, { window: 1_000_000 }).summaryMaxTokens, 8192)
    assert.strictEqual(Policy.defaults.threshold, 0.8)
    assert.strictEqual(Policy.defaults.retain, 0.16)
    assert.strictEqual(Policy.defaults.maxOverflowRetries, 1)
    assert.strictEqual(Duration.toMillis(summary.timeLimit), 120_000)
    assert.strictEqual(Duration.toMillis(Policy.defaults.runTimeLimit), 300_000)
  })

  it("leave their durations open for the hash that Effect caches in them", () => {
    assert.doesNotThrow(() => Hash.hash(Policy.defaults.runTimeLimit))
    assert.doesNotThrow(() => Hash.hash(decoded({ runTimeLimit: "6 minutes" }).runTimeLimit))
  })
})

describe("Policy.decode", () => {
  it("detaches itself from what it was given [A11]", () => {
    const exempt = ["read"]
    const models = [{ ...flash, prune: { exempt: ["a"] } }]
    const policy = decoded({ prune: { exempt }, models })
    exempt.push("bash")
    models[0]?.prune.exempt.push("b")
    models.pop()
    assert.deepStrictEqual(policy.prune !== false && policy.prune.exempt, ["read"])
    assert.deepStrictEqual(policy.models[0]?.prune !== false && policy.models[0]?.prune?.exempt, ["a"])
    assert.isTrue(Object.isFrozen(policy.models[0]?.prune))
  })

  it("takes one boolean for both switches, and one switch alone", () => {
    assert.deepStrictEqual(decoded({ auto: false }).auto, { pressure: false, contextOverflow: false })
    assert.deepStrictEqual(decoded({ auto: { pressure: false } }).auto, { pressure: false, contextOverflow: true })
  })

  it("takes a share or a count for retain [A2]", () => {
    for (const retain of [0, 0.5, 1, 20_000]) assert.strictEqual(decoded({ retain }).retain, retain)
    assert.strictEqual(decoded({ threshold: 0.7 }).retain, 0.16)
    assert.strictEqual(decoded({ retain: 0.2 }).threshold, 0.8)
    for (const window of [50_000, 500_000]) {
      assert.strictEqual(Policy.budgets(decoded({ retain: 20_000 }), { window }).retain, 20_000)
    }
  })

  it("reads durations as text, as milliseconds and as Duration", () => {
    for (const runTimeLimit of ["10 minutes", 600_000, Duration.minutes(10)]) {
      assert.strictEqual(Duration.toMillis(decoded({ runTimeLimit }).runTimeLimit), 600_000)
    }
  })

  it("takes undefined for a field that was left out", () => {
    assert.deepStrictEqual(
      decoded({ threshold: undefined, summary: { route: undefined, attempts: undefined } }),
      Policy.defaults
    )
  })

  const cases: ReadonlyArray<readonly [input: unknown, path: string, shown: string, mark: string]> = [
    [null, "", "Expected an object of settings, actual null", "[P66]"],
    [[], "", "Expected an object of settings, actual []", "[P66]"],
    [{ treshold: 0.7 }, "treshold", "is not a setting", "[A9]"],
    [{ window: 8000 }, "window", "is not a setting", "[A9 A12]"],
    [{ meter: { models: {} } }, "meter", "is not a setting", "[A9 A12]"],
    [{ auto: { presure: true } }, "auto.presure", "is not a setting", "[A9]"],
    [{ auto: "yes" }, "auto", 'Expected boolean, actual "yes"; or: Expected an object with pressure', "[A6]"],
    [{ threshold: 0 }, "threshold", "0", "[A6]"],
    [{ threshold: 1.01 }, "threshold", "1.01", "[A6]"],
    [{ threshold: Number.NaN }, "threshold", "NaN", "[A6]"],
    [{ threshold: "0.8" }, "threshold", '"0.8"', "[A6]"],
    [{ outputReserve: -1 }, "outputReserve", "-1", "[P66]"],
    [{ outputReserve: 1.5 }, "outputReserve", "1.5", "[P66]"],
    [{ retain: -1 }, "retain", "-1", "[A6]"],
    [{ retain: 1.5 }, "retain", "1.5", "[A6]"],
    [{ retain: Infinity }, "retain", "Infinity", "[A6]"],
    [{ retain: 0.8 }, "retain", "0.8", "[A7]"],
    [{ threshold: 0.16 }, "threshold", "0.16", "[A7]"],
    [{ threshold: 0.5, retain: 0.5 }, "retain", "0.5", "[A7]"],
    [{ maxOverflowRetries: -1 }, "maxOverflowRetries", "-1", "[A6]"],
    [{ maxOverflowRetries: 0.5 }, "maxOverflowRetries", "0.5", "[A6]"],
    [{ prune: true }, "prune", "Expected false, actual true; or: Expected an object with over", "[A11]"],
    [{ prune: { over: 0 } }, "prune.over", "0", "[A11]"],
    [{ prune: { head: -1 } }, "prune.head", "-1", "[A11]"],
    [{ prune: { over: 5000 } }, "prune", "5000", "[A11]"],
    [{ prune: { exempt: "bash" } }, "prune.exempt", '"bash"', "[A11]"],
    [{ prune: { exempt: [""] } }, "prune.exempt.0", '""', "[A11]"],
    [{ prune: { budget: 1 } }, "prune.budget", "is not a setting", "[A9]"],
    [{ summary: { maxTokens: 0 } }, "summary.maxTokens", "0", "[A6]"],
    [{ summary: { attempts: 0 } }, "summary.attempts", "0", "[A6]"],
    [{ summary: { quoteTokens: -5 } }, "summary.quoteTokens", "-5", "[P66]"],
    [{ summary: { route: "flash" } }, "summary.route", '"flash"', "[A6]"],
    [{ summary: { route: { provider: "deepseek" } } }, "summary.route.model", "missing", "[A5]"],
    [{ summary: { route: { provider: "", model: "flash" } } }, "summary.route", "flash", "[A5]"],
    [{ summary: { route: { ...flash, key: "k" } } }, "summary.route.key", "is not a setting", "[A9]"],
    [{ summary: { timeLimit: "soon" } }, "summary.timeLimit", '"soon"', "[P66]"],
    [{ summary: { timeLimit: 0 } }, "summary.timeLimit", "0", "[P66]"],
    [{ summary: { timeLimit: "6 minutes" } }, "summary.timeLimit", "6m", "[P66]"],
    [{ runTimeLimit: "1 minute" }, "runTimeLimit", "1m", "[P66]"],
    [{ runTimeLimit: Infinity }, "runTimeLimit", "Infinity", "[P66]"],
    [{ models: {} }, "models", "{}", "[A8]"],
    [{ models: [1] }, "models.0", "1", "[A8]"],
    [{ models: [null] }, "models.0", "null", "[A8]"],
    [{ models: [[]] }, "models.0", "actual []", "[A8]"],
    [{ models: [{ provider: "", model: "m" }] }, "models.0.provider", '""', "[A8]"],
    [{ models: [{ provider: 3, model: "m" }] }, "models.0.provider", "3", "[A8]"],
    [{ models: [{ provider: "p" }] }, "models.0.model", "missing", "[A8]"],
    [{ models: [flash, { ...flash }] }, "models.1", "models.0", "[A8]"],
    [{ models: [{ ...flash, window: 8000 }] }, "models.0.window", "is not a setting", "[A9 A12]"],
    [{ models: [{ ...flash, summary: { cap: 1 } }] }, "models.0.summary.cap", "is not a setting", "[A9]"],
    [{ models: [{ ...flash, threshold: 0.1 }] }, "models.0.threshold", "0.1", "[A7]"],
    [{ models: [{ ...flash, retain: 0.9 }] }, "models.0.retain", "0.9", "[A7]"],
    [{ retain: 0.5, models: [{ ...flash, threshold: 0.4 }] }, "models.0.threshold", "0.4", "[A7]"],
    [{ models: [{ ...flash, prune: { head: 8000 } }] }, "models.0.prune", "8000", "[A11]"],
    [
      { models: [{ ...flash, summary: { route: { provider: "x" } } }] },
      "models.0.summary.route.model",
      "missing",
      "[A5]"
    ],
    [{ models: [{ ...flash, models: [] }] }, "models.0.models", "is not a setting", "[A9]"]
  ]
  for (const [input, path, shown, mark] of cases) {
    it(`refuses ${JSON.stringify(input)} at ${path || "the top"} ${mark}`, () => {
      const error = refused(input)
      assert.strictEqual(error.path.join("."), path)
      assert.include(error.detail, shown)
    })
  }

  it("accepts the tightest prune budget that holds the marker, and not the next [A11]", () => {
    assert.doesNotThrow(() => decoded({ prune: { over: 100 + markerLength, head: 60, tail: 40 } }))
    assert.strictEqual(refused({ prune: { over: 99 + markerLength, head: 60, tail: 40 } }).path[0], "prune")
  })
})

describe("Policy.forRoute", () => {
  const policy = decoded({
    retain: 4000,
    outputReserve: 500,
    prune: { over: 9000 },
    summary: { route: { provider: "p", model: "cheap" }, maxTokens: 900 },
    models: [
      { ...flash, auto: { pressure: false }, threshold: 0.5, prune: { tail: 10 }, summary: { attempts: 3 } },
      { provider: "b", model: "m", outputReserve: null, summary: { route: null, maxTokens: null }, prune: false },
      { provider: "c", model: "m", summary: { route: { provider: "", model: "" } } },
      { provider: "d", model: "m", summary: { route: { provider: "p", model: "better" } } }
    ]
  })

  it("merges the entry of exactly this route, objects field by field [A5]", () => {
    const merged = Policy.forRoute(policy, flash)
    assert.deepStrictEqual(merged.auto, { pressure: false, contextOverflow: true })
    assert.strictEqual(merged.threshold, 0.5)
    assert.strictEqual(merged.retain, 4000)
    assert.deepStrictEqual(merged.prune, { over: 9000, head: 4096, tail: 10, exempt: [] })
    assert.strictEqual(merged.summary.attempts, 3)
    assert.deepStrictEqual(merged.summary.route, { provider: "p", model: "cheap" })
  })

  it("keeps the base for the same model of another provider [A3]", () => {
    assert.strictEqual(Policy.forRoute(policy, { provider: "other", model: "flash" }).threshold, 0.8)
  })

  it("lets an entry clear what it would inherit [A5]", () => {
    const cleared = Policy.forRoute(policy, { provider: "b", model: "m" })
    assert.notProperty(cleared, "outputReserve")
    assert.notProperty(cleared.summary, "route")
    assert.notProperty(cleared.summary, "maxTokens")
    assert.strictEqual(cleared.prune, false)
    assert.notProperty(Policy.forRoute(policy, { provider: "c", model: "m" }).summary, "route")
    const replaced = Policy.forRoute(policy, { provider: "d", model: "m" })
    assert.deepStrictEqual(replaced.summary.route, { provider: "p", model: "better" })
  })

  it("lets an entry turn pruning on again over a base without it", () => {
    const off = decoded({ prune: false, models: [{ ...flash, prune: { exempt: ["read"] } }] })
    assert.deepStrictEqual(Policy.forRoute(off, flash).prune, { over: 8192, head: 4096, tail: 1024, exempt: ["read"] })
    assert.strictEqual(Policy.forRoute(off, { provider: "a", model: "b" }).prune, false)
  })
})

describe("Policy.budgets", () => {
  it("scales shares with the window and floors them [A4 FORGET-6 OPPOSITES-10b]", () => {
    assert.deepStrictEqual(Policy.budgets(Policy.defaults, { window: 100_003 }), {
      threshold: 80_002,
      reserve: 0,
      retain: 16_000,
      summaryMaxTokens: 8192
    })
    assert.strictEqual(Policy.budgets(Policy.defaults, { window: 8000 }).summaryMaxTokens, 1000)
  })

  it("lowers the threshold by what the answer needs, and by no more than half the window [P13 HEADROOM-1 HEADROOM-5 OPPOSITES-2a OPPOSITES-2b]", () => {
    const at = (window: number, maxOutputTokens: number) => Policy.budgets(Policy.defaults, { window, maxOutputTokens })
    assert.strictEqual(at(131_072, 32_000).threshold, 99_072)
    assert.strictEqual(at(1_000_000, 980_000).threshold, 500_000)
    assert.strictEqual(at(131_072, 1000).threshold, 104_857)
    assert.strictEqual(at(200_000, 64_000).threshold, 136_000)
    assert.strictEqual(
      Policy.budgets(decoded({ outputReserve: 10 }), { window: 1000, maxOutputTokens: 900 }).threshold,
      800
    )
  })

  it("names the contradiction that only the window can show [A10]", () => {
    const policy = decoded({ retain: 6400 })
    assert.include(Policy.budgets(policy, { window: 8000 }).contradiction ?? "", "6400")
    assert.notProperty(Policy.budgets(policy, { window: 8002 }), "contradiction")
  })

  it.prop(
    "leaves room in every window [P13]",
    [FastCheck.integer({ min: 1, max: 2_000_000 }), FastCheck.integer({ min: 0, max: 4_000_000 })],
    ([window, maxOutputTokens]) => {
      const figures = Policy.budgets(Policy.defaults, { window, maxOutputTokens })
      assert.isAtLeast(figures.threshold, 1)
      assert.isAtMost(figures.threshold + figures.reserve, Math.max(window, 1))
      assert.isAtMost(figures.reserve, window / 2)
      assert.isBelow(figures.retain, figures.threshold)
      assert.isAtLeast(figures.summaryMaxTokens, 1)
      assert.notProperty(figures, "contradiction")
    }
  )
})
