import { assert, describe, it } from "@effect/vitest"
import * as Policy from "../../../src/compaction/Policy.ts"
import { framing } from "../../../src/compaction/requestPrice.ts"
import { runEstimator } from "../../../src/compaction/RunEstimator.ts"
import { tokens } from "../../../src/compaction/TokenEstimator.ts"
import { rules } from "../../../src/cli/inspect/advice.ts"
import { forecast } from "../../../src/cli/inspect/forecast.ts"
import * as Heaviest from "../../../src/cli/inspect/heaviest.ts"
import * as Kept from "../../../src/cli/inspect/kept.ts"
import { parts } from "../../../src/cli/inspect/parts.ts"
import { windowOf } from "../../../src/cli/inspect/window.ts"
import { firstWords } from "../../../src/cli/inspect/words.ts"
import { rows } from "../../../src/cli/meter/replay.ts"
import * as Message from "../../../src/session/Message.ts"
import { inspected, keptSession, long, read, result, session } from "./sessions.ts"

const route = { provider: "anthropic", model: "claude-sonnet-4-5" }
const priceOf = (...messages: ReadonlyArray<Message.Message>) =>
  messages.reduce((sum, message) => sum + tokens(runEstimator.message(message), runEstimator.weights(route)), 0)

describe("what is kept of a transcript", () => {
  const everything = Message.assistant([
    Message.textBlock("Some words that are said. ".repeat(40)),
    { type: "reasoning", text: "A thought. ".repeat(20), signature: "sealed" },
    read("a", "src/index.ts"),
    { type: "image", source: { type: "base64", base64: "A".repeat(4_000) }, width: 400, height: 300 },
    { type: "unknown", value: { kind: "new", words: "more" } }
  ])
  const answer = result("a", "line\n".repeat(5_000))

  it("prices each message as the whole of it", () => {
    const kept = Kept.make(runEstimator, { prune: false })
    const [first, second] = keptSession(session([everything, answer]), kept).messages
    assert.deepStrictEqual(kept.estimator.message(first!), runEstimator.message(everything))
    assert.deepStrictEqual(kept.estimator.message(second!), runEstimator.message(answer))
    const weighed = kept.estimatorFor(runEstimator.weights(route))
    assert.closeTo(weighed.message(first!)[0]!, priceOf(everything), 1e-6)
    assert.closeTo(weighed.message(second!)[0]!, priceOf(answer), 1e-6)
  })

  it("holds no text, and an empty one stays empty", () => {
    const kept = Kept.make(runEstimator, { prune: false })
    const [, second] = keptSession(session([everything, answer]), kept).messages
    assert.isBelow(JSON.stringify(second).length, 200)
    assert.isTrue(Message.isEmpty(Message.user([kept.keep(Message.textBlock(""), "user")])))
  })

  it("knows what a prune would leave, of a text that is far over the budget too", () => {
    const prune = Policy.defaults.prune
    for (const text of ["word ".repeat(2_000), "word ".repeat(20_000), "测试".repeat(12_000), "😀".repeat(9_000)]) {
      const kept = Kept.make(runEstimator, { prune })
      const block = kept.keep(result("a", text).content[0]!, "tool") as Message.ToolResultBlock
      const pruned = kept.pruned(block, runEstimator.weights(route))!
      assert.isBelow(pruned, priceOf(result("a", text)) - framing.message)
      assert.isAbove(pruned, 500)
    }
    const kept = Kept.make(runEstimator, { prune })
    const small = kept.keep(result("a", "x".repeat(8_000)).content[0]!, "tool") as Message.ToolResultBlock
    assert.isUndefined(kept.pruned(small, runEstimator.weights(route)))
  })

  it("keeps the first words of the heaviest only", () => {
    const heaviest = Heaviest.make<string>(3)
    const asked: Array<number> = []
    ;[5, 1, 9, 7, 2, 8].forEach((weight, key) =>
      heaviest.add(key, weight, () => {
        asked.push(weight)
        return String(weight)
      })
    )
    assert.deepStrictEqual(asked, [5, 1, 9, 7, 8])
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5].map((key) => heaviest.get(key)),
      [undefined, undefined, "9", "7", undefined, "8"]
    )
  })

  it("shows words that no terminal obeys, on one line", () => {
    assert.strictEqual(firstWords("  a\u001b[31m red\n\tthing\u202e "), "a [31m red thing")
    assert.strictEqual([...firstWords("😀".repeat(500))].length, 100)
    assert.strictEqual(firstWords(""), "")
  })
})

describe("a session without counts", () => {
  const said = [
    Message.user("Please look."),
    Message.assistant([
      { type: "reasoning", text: "Where is it?" },
      Message.textBlock("I look."),
      read("a", "src/a.ts")
    ]),
    result("a", "content ".repeat(400)),
    Message.assistant([read("b", "src/a.ts")]),
    result("b", "content ".repeat(400)),
    Message.assistant("Done.")
  ]
  const found = inspected(session(said, { system: "You are terse.", tools: [] }), { window: 10_000 })

  it("is the sum of its parts, by kind", () => {
    assert.strictEqual(found.route, null)
    assert.strictEqual(found.density, 1)
    assert.isBelow(Math.abs(parts.reduce((sum, part) => sum + found.parts[part], 0) - found.tokens), parts.length)
    assert.isAbove(found.parts.results, found.parts.calls)
    assert.strictEqual(found.parts.hidden, 0)
    for (const part of ["system", "user", "assistant", "reasoning", "calls", "results"] as const) {
      assert.isAbove(found.parts[part], 0, part)
    }
    assert.isNull(found.accuracy)
  })

  it("has a step for each answer, which carries all before it", () => {
    assert.deepStrictEqual(found.steps.place, ["line 2", "line 4", "line 6"])
    assert.deepStrictEqual(found.steps.counted, [null, null, null])
    const [first, second, third] = found.steps.tokens
    assert.isTrue(first! < second! && second! < third! && third! <= found.tokens)
    assert.strictEqual(found.growth.largest[0]?.step, 1)
  })

  it("names the heaviest messages with place, tool and words", () => {
    const [first] = found.heaviest
    assert.deepInclude(first, { place: "line 3", message: 3, part: "results", tool: "read" })
    assert.match(first!.words, /^content content/u)
  })

  it("finds what was asked for again, and what it cost", () => {
    assert.strictEqual(found.repeats.times, 1)
    assert.deepInclude(found.repeats.heaviest[0], { tool: "read", what: "src/a.ts", times: 2 })
    assert.strictEqual(found.repeats.tokens, found.repeats.heaviest[0]?.again)
    assert.isBelow(Math.abs(found.repeats.heaviest[0]!.tokens - 2 * found.repeats.tokens), 2)
  })

  it("takes other arguments of an edit for another call, and another part of a file for the same one", () => {
    const call = (id: string, name: string, args: unknown) => [
      Message.assistant([Message.toolCall(id, name, args)]),
      Message.toolResult({ id, name, content: "ok" })
    ]
    const { repeats } = inspected(
      session([
        ...call("a", "edit", { path: "x", text: "1" }),
        ...call("b", "edit", { path: "x", text: "2" }),
        ...call("c", "Read", { file_path: "y", offset: 1 }),
        ...call("d", "Read", { file_path: "y", offset: 100 })
      ])
    )
    assert.deepStrictEqual(
      repeats.heaviest.map(({ times, tool, what }) => [tool, what, times]),
      [["Read", "y", 2]]
    )
  })
})

describe("a session with counts and compactions", () => {
  const given = long(120)
  const found = inspected(given)

  it("predicts as `meter` does", () => {
    const expected = rows(given, runEstimator)
    assert.deepStrictEqual(
      found.steps.predicted,
      expected.map(({ predicted }) => predicted.mean)
    )
    assert.deepStrictEqual(
      found.steps.upper,
      expected.map(({ predicted }) => predicted.upper)
    )
    assert.deepStrictEqual(
      found.steps.counted,
      expected.map(({ counted }) => counted)
    )
    assert.deepStrictEqual(
      found.steps.apart,
      expected.map(({ apart }) => apart ?? null)
    )
    assert.strictEqual(found.accuracy?.requests, 120)
  })

  it("has what the file does not show from the first count", () => {
    assert.isAbove(found.parts.hidden, 10_000)
    assert.isAtMost(found.parts.hidden, 12_000)
    assert.strictEqual(found.steps.tokens[0], found.steps.counted[0])
  })

  it("shows what the model saw last, and what each compaction took off", () => {
    assert.strictEqual(found.checkpoints.length, given.compactions.length)
    assert.isAbove(found.checkpoints.length, 0)
    const [first] = found.checkpoints
    assert.isBelow(first!.after, first!.before)
    assert.strictEqual(first!.shadowed.messages, given.compactions[0]!.keptFrom)
    assert.match(first!.words, /^What was done before/u)
    assert.isAbove(first!.shadowed.parts.results, first!.shadowed.parts.user)
    assert.isAbove(found.parts.checkpoint, 0)
    assert.isBelow(found.tokens, found.said)
    assert.strictEqual(found.steps.generation.at(-1), found.checkpoints.length)
    assert.isTrue(found.heaviest.every(({ message }) => message > given.compactions.at(-1)!.keptFrom))
  })

  it("shows everything that was said on demand", () => {
    const full = inspected(given, { full: true })
    assert.deepStrictEqual(full.checkpoints, [])
    assert.strictEqual(full.parts.checkpoint, 0)
    assert.isAbove(full.tokens, full.said)
  })

  it("takes the window of the model, one that was given, or says that it assumes one", () => {
    assert.deepInclude(found.window, { tokens: 200_000, from: "model" })
    assert.deepInclude(inspected(given, { window: 64_000 }).window, { tokens: 64_000, from: "given" })
    assert.deepInclude(windowOf(undefined, undefined, 150_000), { tokens: 200_000, from: "assumed" })
    assert.deepInclude(windowOf(undefined, undefined, 250_000), { tokens: 1_000_000, from: "assumed" })
    assert.strictEqual(
      windowOf(undefined, { provider: "gateway", model: "anthropic/claude-sonnet-4-5" }, 0).from,
      "model"
    )
    assert.strictEqual(windowOf(undefined, { provider: "mine", model: "toString" }, 0).from, "assumed")
  })

  it("is the same under any way of naming one tokenizer or two", () => {
    const second = { ...given.requests[1]!, model: "claude-opus-4-5" }
    const other = { ...given, requests: [given.requests[0]!, second, ...given.requests.slice(2)] }
    assert.deepStrictEqual(
      inspected(other).steps.predicted,
      rows(other, runEstimator).map(({ predicted }) => predicted.mean)
    )
  })
})

describe("what pressure would have done", () => {
  const budgets = { threshold: 1_000, reserve: 0, retain: 200, summaryMaxTokens: 100 }
  const message = (tokens: number, prunable = 0, startsUnit = true) => ({ tokens, prunable, startsUnit })
  const after = (...places: ReadonlyArray<number>) => places.map((at) => ({ at, place: `line ${at}` }))

  it("does nothing below the threshold", () => {
    const found = forecast({ front: 100, messages: [message(500)], requests: after(1) }, budgets, 1_200)
    assert.deepStrictEqual(found.runs, [])
    assert.isNull(found.overflowWithout)
    assert.strictEqual(found.sent, 600)
  })

  it("cuts results first, and not those of the newest unit", () => {
    const messages = [message(10), message(600, 500, false), message(10), message(600, 500, false)]
    const found = forecast({ front: 100, messages, requests: after(4) }, budgets, 1_200)
    assert.deepStrictEqual(found.runs, [{ step: 0, place: "line 4", kind: "prune", from: 1_320, to: 820 }])
    assert.strictEqual(found.overflowWithout?.tokens, 1_320)
  })

  it("summarises the rest, keeps a tail of whole units, and counts from there", () => {
    const messages = Array.from({ length: 12 }, () => message(150))
    const found = forecast({ front: 100, messages, requests: after(3, 6, 9, 12) }, budgets, 1_200)
    assert.deepStrictEqual(found.runs, [
      // 1,000: front 100, six messages; a tail of two holds 200
      { step: 1, place: "line 6", kind: "summary", from: 1_000, to: 500 },
      // the three since, and three again
      { step: 3, place: "line 12", kind: "summary", from: 1_400, to: 500 }
    ])
  })

  it("says where not even the newest unit fits", () => {
    const messages = [message(300), message(2_000)]
    const found = forecast({ front: 100, messages, requests: after(2) }, budgets, 1_200)
    assert.deepStrictEqual(
      found.runs.map(({ kind }) => kind),
      ["overflow"]
    )
  })
})

describe("advice", () => {
  it("does not say that all is well of a session without requests that is larger than its window", () => {
    const found = inspected(session([Message.user("Some words that are said. ".repeat(40))]), { window: 20 })
    assert.match(found.advice[0]!, /more than the window of 20 holds/u)
    assert.notMatch(found.advice.join(" "), /stays below/u)
  })

  it("follows from the numbers, two sentences at most", () => {
    const found = inspected(long(120))
    assert.isAbove(found.advice.length, 0)
    assert.isAtMost(found.advice.length, 2)
    const spoken = rules.filter(({ figure, from }) => figure(found) >= from).slice(0, 2)
    assert.deepStrictEqual(
      found.advice,
      spoken.map(({ say }) => say(found))
    )
  })

  it("says that nothing needs to be done where that is so", () => {
    const talk = Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0 ? Message.user(`What is ${i}?`) : Message.assistant(`It is a number, ${i}.`)
    )
    const [only, ...others] = inspected(session(talk), { window: 100_000 }).advice
    assert.match(only!, /nothing needs to be done/u)
    assert.deepStrictEqual(others, [])
  })

  it("has a threshold and words for each rule, each under its own name", () => {
    assert.strictEqual(new Set(rules.map(({ id }) => id)).size, rules.length)
    const found = inspected(long(120))
    for (const { id, say } of rules) assert.match(say(found), /\S.*[.]$/u, id)
  })
})
