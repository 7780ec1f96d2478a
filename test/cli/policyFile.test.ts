import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { decode } from "../../src/cli/policyFile.ts"

const faultOf = (value: unknown) =>
  Either.match(decode(JSON.stringify(value)), { onLeft: (fault) => fault, onRight: () => "" })

describe("a policy file", () => {
  it.each([
    ["auto", { auto: 3 }],
    ["auto.pressure", { auto: { pressure: "yes" } }],
    ["threshold", { threshold: 0 }],
    ["outputReserve", { outputReserve: -1 }],
    ["retain", { retain: 1.5 }],
    ["maxOverflowRetries", { maxOverflowRetries: 0.5 }],
    ["prune.over", { prune: { over: 0 } }],
    ["prune.head", { prune: { head: "x" } }],
    ["prune.tail", { prune: { tail: -1 } }],
    ["prune.exempt.0", { prune: { exempt: [""] } }],
    ["summary.maxTokens", { summary: { maxTokens: 0 } }],
    ["summary.quoteTokens", { summary: { quoteTokens: -1 } }],
    ["summary.attempts", { summary: { attempts: 0 } }],
    ["summary.timeLimit", { summary: { timeLimit: "soon" } }],
    ["summary.route", { summary: { route: { provider: "a", model: "" } } }],
    ["runTimeLimit", { runTimeLimit: 0 }],
    ["models.0.provider", { models: [{ provider: "", model: "m" }] }],
    ["models.0.retain", { models: [{ provider: "p", model: "m", retain: "x" }] }],
    ["treshold", { treshold: 0.5 }]
  ])("names %s", (path, value) => {
    assert.isTrue(faultOf(value).startsWith(`${path}: `), faultOf(value))
  })

  it("names each of several", () => {
    const fault = faultOf({
      threshold: 2,
      prune: { over: "x", head: -1 },
      models: [{ provider: "p", model: "m", auto: 1 }]
    })
    assert.deepStrictEqual(
      fault.split("; ").map((part) => part.split(":")[0]),
      ["threshold", "prune.over", "prune.head", "models.0.auto"]
    )
    assert.notInclude(fault, "\n")
  })

  it("names settings that contradict each other, and a text that is no JSON", () => {
    assert.isTrue(faultOf({ threshold: 0.1 }).startsWith("threshold: "))
    assert.isTrue(Either.isLeft(decode("{")))
    assert.strictEqual(faultOf({ threshold: 0.5 }), "")
  })
})
