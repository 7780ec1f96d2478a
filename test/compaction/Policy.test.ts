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
  it("are what no setting at all gives, and are frozen to the bottom", () => {
    assert.deepStrictEqual(decoded({}), Policy.defaults)
    const { prune, summary } = Policy.defaults
    for (const part of [Policy.defaults, Policy.defaults.auto, prune, summary, Policy.defaults.models]) {
      assert.isTrue(Object.isFrozen(part))
    }
    assert.isTrue(prune !== false && Object.isFrozen(prune.exempt))
    assert.deepStrictEqual(prune, { over: 8192, head: 4096, tail: 1024, exempt: [] })
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
  it("detaches itself from what it was given", () => {
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

  it("takes a share or a count for retain", () => {
    for (const retain of [0, 0.5, 1, 20_000]) assert.strictEqual(decoded({ retain }).retain, retain)
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

  const cases: ReadonlyArray<readonly [input: unknown, path: string, shown: string]> = [
    [null, "", "Expected an object of settings, actual null"],
    [[], "", "Expected an object of settings, actual []"],
    [{ treshold: 0.7 }, "treshold", "is not a setting"],
    [{ auto: { presure: true } }, "auto.presure", "is not a setting"],
    [{ auto: "yes" }, "auto", 'Expected boolean, actual "yes"; or: Expected an object with pressure'],
    [{ threshold: 0 }, "threshold", "0"],
    [{ threshold: 1.01 }, "threshold", "1.01"],
    [{ threshold: Number.NaN }, "threshold", "NaN"],
    [{ threshold: "0.8" }, "threshold", '"0.8"'],
    [{ outputReserve: -1 }, "outputReserve", "-1"],
    [{ outputReserve: 1.5 }, "outputReserve", "1.5"],
    [{ retain: -1 }, "retain", "-1"],
    [{ retain: 1.5 }, "retain", "1.5"],
    [{ retain: Infinity }, "retain", "Infinity"],
    [{ retain: 0.8 }, "retain", "0.8"],
    [{ threshold: 0.16 }, "threshold", "0.16"],
    [{ threshold: 0.5, retain: 0.5 }, "retain", "0.5"],
    [{ maxOverflowRetries: -1 }, "maxOverflowRetries", "-1"],
    [{ maxOverflowRetries: 0.5 }, "maxOverflowRetries", "0.5"],
    [{ prune: true }, "prune", "Expected false, actual true; or: Expected an object with over"],
    [{ prune: { over: 0 } }, "prune.over", "0"],
    [{ prune: { head: -1 } }, "prune.head", "-1"],
    [{ prune: { over: 5000 } }, "prune", "5000"],
    [{ prune: { exempt: "bash" } }, "prune.exempt", '"bash"'],
    [{ prune: { exempt: [""] } }, "prune.exempt.0", '""'],
    [{ prune: { budget: 1 } }, "prune.budget", "is not a setting"],
    [{ summary: { maxTokens: 0 } }, "summary.maxTokens", "0"],
    [{ summary: { attempts: 0 } }, "summary.attempts", "0"],
    [{ summary: { quoteTokens: -5 } }, "summary.quoteTokens", "-5"],
    [{ summary: { route: "flash" } }, "summary.route", '"flash"'],
    [{ summary: { route: { provider: "deepseek" } } }, "summary.route.model", "missing"],
    [{ summary: { route: { provider: "", model: "flash" } } }, "summary.route", "flash"],
    [{ summary: { route: { ...flash, key: "k" } } }, "summary.route.key", "is not a setting"],
    [{ summary: { timeLimit: "soon" } }, "summary.timeLimit", '"soon"'],
    [{ summary: { timeLimit: 0 } }, "summary.timeLimit", "0"],
    [{ summary: { timeLimit: "6 minutes" } }, "summary.timeLimit", "6m"],
    [{ runTimeLimit: "1 minute" }, "runTimeLimit", "1m"],
    [{ runTimeLimit: Infinity }, "runTimeLimit", "Infinity"],
    [{ models: {} }, "models", "{}"],
    [{ models: [1] }, "models.0", "1"],
    [{ models: [null] }, "models.0", "null"],
    [{ models: [[]] }, "models.0", "actual []"],
    [{ models: [{ provider: "", model: "m" }] }, "models.0.provider", '""'],
    [{ models: [{ provider: 3, model: "m" }] }, "models.0.provider", "3"],
    [{ models: [{ provider: "p" }] }, "models.0.model", "missing"],
    [{ models: [flash, { ...flash }] }, "models.1", "models.0"],
    [{ models: [{ ...flash, window: 8000 }] }, "models.0.window", "is not a setting"],
    [{ models: [{ ...flash, summary: { cap: 1 } }] }, "models.0.summary.cap", "is not a setting"],
    [{ models: [{ ...flash, threshold: 0.1 }] }, "models.0.threshold", "0.1"],
    [{ models: [{ ...flash, retain: 0.9 }] }, "models.0.retain", "0.9"],
    [{ retain: 0.5, models: [{ ...flash, threshold: 0.4 }] }, "models.0.threshold", "0.4"],
    [{ models: [{ ...flash, prune: { head: 8000 } }] }, "models.0.prune", "8000"],
    [{ models: [{ ...flash, summary: { route: { provider: "x" } } }] }, "models.0.summary.route.model", "missing"],
    [{ models: [{ ...flash, models: [] }] }, "models.0.models", "is not a setting"]
  ]
  for (const [input, path, shown] of cases) {
    it(`refuses ${JSON.stringify(input)} at ${path || "the top"}`, () => {
      const error = refused(input)
      assert.strictEqual(error.path.join("."), path)
      assert.include(error.detail, shown)
    })
  }

  it("accepts the tightest prune budget that holds the marker, and not the next", () => {
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
      { provider: "c", model: "m", summary: { route: { provider: "", model: "" } } }
    ]
  })

  it("merges the entry of exactly this route, objects field by field", () => {
    const merged = Policy.forRoute(policy, flash)
    assert.deepStrictEqual(merged.auto, { pressure: false, contextOverflow: true })
    assert.strictEqual(merged.threshold, 0.5)
    assert.strictEqual(merged.retain, 4000)
    assert.deepStrictEqual(merged.prune, { over: 9000, head: 4096, tail: 10, exempt: [] })
    assert.strictEqual(merged.summary.attempts, 3)
    assert.deepStrictEqual(merged.summary.route, { provider: "p", model: "cheap" })
  })

  it("keeps the base for the same model of another provider", () => {
    assert.strictEqual(Policy.forRoute(policy, { provider: "other", model: "flash" }).threshold, 0.8)
  })

  it("lets an entry clear what it would inherit", () => {
    const cleared = Policy.forRoute(policy, { provider: "b", model: "m" })
    assert.notProperty(cleared, "outputReserve")
    assert.notProperty(cleared.summary, "route")
    assert.notProperty(cleared.summary, "maxTokens")
    assert.strictEqual(cleared.prune, false)
    assert.notProperty(Policy.forRoute(policy, { provider: "c", model: "m" }).summary, "route")
  })

  it("lets an entry turn pruning on again over a base without it", () => {
    const off = decoded({ prune: false, models: [{ ...flash, prune: { exempt: ["read"] } }] })
    assert.deepStrictEqual(Policy.forRoute(off, flash).prune, { over: 8192, head: 4096, tail: 1024, exempt: ["read"] })
    assert.strictEqual(Policy.forRoute(off, { provider: "a", model: "b" }).prune, false)
  })
})

describe("Policy.budgets", () => {
  it("scales shares with the window and floors them", () => {
    assert.deepStrictEqual(Policy.budgets(Policy.defaults, { window: 100_003 }), {
      threshold: 80_002,
      reserve: 0,
      retain: 16_000,
      summaryMaxTokens: 8192
    })
    assert.strictEqual(Policy.budgets(Policy.defaults, { window: 8000 }).summaryMaxTokens, 1000)
  })

  it("lowers the threshold by what the answer needs, and by no more than half the window", () => {
    const at = (window: number, maxOutputTokens: number) => Policy.budgets(Policy.defaults, { window, maxOutputTokens })
    assert.strictEqual(at(131_072, 32_000).threshold, 99_072)
    assert.strictEqual(at(1_000_000, 980_000).threshold, 500_000)
    assert.strictEqual(at(131_072, 1000).threshold, 104_857)
    assert.strictEqual(
      Policy.budgets(decoded({ outputReserve: 10 }), { window: 1000, maxOutputTokens: 900 }).threshold,
      800
    )
  })

  it("names the contradiction that only the window can show", () => {
    const policy = decoded({ retain: 6400 })
    assert.include(Policy.budgets(policy, { window: 8000 }).contradiction ?? "", "6400")
    assert.notProperty(Policy.budgets(policy, { window: 8002 }), "contradiction")
  })

  it.prop(
    "leaves room in every window",
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
