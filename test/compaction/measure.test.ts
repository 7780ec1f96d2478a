import { assert, describe, it } from "@effect/vitest"
import { currentEnvelope, measure } from "../../src/compaction/measure.ts"
import * as Meter from "../../src/compaction/Meter.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { assistant, characters, checkpoint, envelope, fold, route, stepEnd, stepStart, usage, user } from "./events.ts"

const text = (length: number) => "x".repeat(length)
const total = (state: SessionState.SessionState) => measure(state, characters).totalTokens

/** One answered request. */
const step = (n: number, said: string, counted: number | undefined, answer: string): ReadonlyArray<Body> => [
  user(said),
  stepStart(n),
  assistant(answer, counted === undefined ? undefined : usage(counted)),
  stepEnd(n)
]

const run = (outcome: "landed" | "failed", landing: ReadonlyArray<Body> = []): ReadonlyArray<Body> => [
  { type: "compaction/start", data: { id: "k", trigger: "pressure", turn: 0, writer: "w" } },
  {
    type: "compaction/call",
    data: {
      id: "k",
      rung: "summarise",
      route,
      output: "",
      outcome: "completed",
      usage: { inputTokens: 144_000, outputTokens: 6_000, reasoningTokens: 4_000 }
    }
  },
  ...landing,
  { type: "compaction/end", data: { id: "k", outcome } }
]

describe("a measurement", () => {
  it("of an empty log is nothing, with no node, and no list that it gave changes it [A15 A30]", () => {
    const empty = SessionState.empty(characters)
    const measured = measure(empty, characters)
    const { baseline, envelopeTokens, generation, revision, surfaceDelta, surfaceTokens, totalTokens } = measured
    assert.deepStrictEqual(
      { baseline, envelopeTokens, generation, revision, surfaceDelta, surfaceTokens, totalTokens },
      {
        baseline: "none",
        envelopeTokens: 0,
        generation: 0,
        revision: 0,
        surfaceDelta: 0,
        surfaceTokens: 0,
        totalTokens: 0
      }
    )
    assert.deepStrictEqual(SurfaceState.nodes(measured.surface), [])
    const state = fold([envelope(), user("one"), user("two")])
    const given = SurfaceState.nodes(measure(state, characters).surface) as Array<SurfaceState.Node>
    given.pop()
    assert.lengthOf(SurfaceState.nodes(measure(state, characters).surface), 2)
  })

  it("of another envelope has another total, and the same surface [A18]", () => {
    const state = fold([envelope({ system: text(10) }), ...step(0, text(100), 1_110, text(40))])
    const own = measure(state, characters)
    const other = measure(state, characters, currentEnvelope({ route, system: text(510) }, characters))
    assert.strictEqual(other.totalTokens, own.totalTokens + 500)
    assert.strictEqual(other.surface, own.surface)
    assert.strictEqual(other.surfaceTokens, own.surfaceTokens)
    assert.strictEqual(total(state), own.totalTokens)
  })

  it("goes on by estimates where an answer came without a count [A22]", () => {
    const never = fold([envelope(), ...step(0, text(100), undefined, text(40)), user(text(10))])
    assert.strictEqual(measure(never, characters).baseline, "estimated")
    assert.strictEqual(total(never), 150)
    const once = fold([envelope(), ...step(0, text(100), 1_100, text(40)), ...step(1, text(10), undefined, text(20))])
    assert.strictEqual(measure(once, characters).baseline, "usage")
    assert.strictEqual(total(once), 1_170)
  })

  it("has the newest envelope and the whole surface as its parts, after a compaction too [A38 STALE-9]", () => {
    const parts = (state: SessionState.SessionState) => {
      const { envelopeTokens, surfaceTokens, totalTokens } = measure(state, characters)
      return [envelopeTokens, surfaceTokens, totalTokens]
    }
    const state = fold([envelope({ system: text(100) }), user(text(50)), envelope({ system: text(30) }), user(text(7))])
    assert.deepStrictEqual(parts(state), [30, 57, 87])
    assert.deepStrictEqual(parts(fold([assistant("")], state)), [30, 57, 87])
    assert.deepStrictEqual(parts(fold([checkpoint(text(5), 1, 1, [1])], state)), [30, 12, 42])
  })

  const full = fold([envelope(), ...step(0, text(180_000), 190_000, text(100))])
  const summary = checkpoint(text(20_000), 1, 1, [1])

  it("after a compaction takes off what is gone, however large the last count was [P11 STALE-1 OPPOSITES-9a]", () => {
    assert.strictEqual(total(full), 190_100)
    const compacted = fold([...run("landed", [summary]), user(text(50))], full)
    assert.strictEqual(total(compacted), 190_000 - 180_000 + 20_000 + 100 + 50)
  })

  it("after a compaction that failed is what it was, and counts what came since [OPPOSITES-9b]", () => {
    assert.strictEqual(total(fold(run("failed"), full)), 190_100)
    assert.strictEqual(total(fold([...run("failed"), user(text(50))], full)), 190_150)
  })

  it("does not take what the summary's call used, or gave, for the size of the session [STALE-4 STALE-5]", () => {
    assert.strictEqual(total(fold(run("landed", [summary]), full)), total(fold([summary], full)))
  })

  it("learns a tokenizer that counts 1.6 times as much within a few answers, and stays within bounds [P18]", () => {
    let state = fold([envelope()])
    let said = 0
    for (let n = 0; n < 20; n++) {
      state = fold([user(text(1_000)), stepStart(n)], state)
      said += 1_000
      const counted = Math.round(1.6 * said) + 500
      const off = Math.abs(total(state) - counted) / counted
      if (n === 0) assert.isAbove(off, 0.3)
      if (n >= 4) assert.isBelow(off, 0.04, `request ${n}`)
      if (n >= 10) assert.isBelow(off, 0.01, `request ${n}`)
      state = fold([assistant(text(300), usage(counted)), stepEnd(n)], state)
      said += 300
    }
    assert.isAtMost(Meter.density(state.meter, "1:p/m"), 1.6)
    assert.isAbove(Meter.density(state.meter, "1:p/m"), 1.4)
  })
})
