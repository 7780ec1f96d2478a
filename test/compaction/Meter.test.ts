import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { currentEnvelope, measure } from "../../src/compaction/measure.ts"
import * as Meter from "../../src/compaction/Meter.ts"
import type * as SessionState from "../../src/compaction/SessionState.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { assistant, characters, checkpoint, envelope, fold, route, stepEnd, stepStart, usage, user } from "./events.ts"

const total = (state: SessionState.SessionState) => measure(state, characters).totalTokens

/** A measurement, with its surface as what can be seen of it: how far its columns have grown is nobody's business. */
const figures = (state: SessionState.SessionState) => {
  const { surface, ...sizes } = measure(state, characters)
  return { ...sizes, nodes: SurfaceState.nodes(surface), counts: SurfaceState.totalCounts(surface) }
}

const text = (length: number) => "x".repeat(length)

/** One answered request: what was said before it, and what the provider counted. */
const step = (n: number, said: string, counted: number | undefined, answer: string): ReadonlyArray<Body> => [
  user(said),
  stepStart(n),
  assistant(answer, counted === undefined ? undefined : usage(counted)),
  stepEnd(n)
]

describe("the meter", () => {
  it("estimates envelope and surface until a provider has counted [A17]", () => {
    const state = fold([envelope({ system: text(100) }), user(text(50))])
    const measured = measure(state, characters)
    assert.strictEqual(measured.totalTokens, 150)
    assert.strictEqual(measured.baseline, "estimated")
    assert.isAbove(measured.upperTokens, 150)
    assert.isBelow(measured.lowerTokens, 150)
  })

  it("has no baseline, and no envelope, before the first request [A30]", () => {
    const measured = measure(fold([user(text(50))]), characters)
    assert.strictEqual(measured.baseline, "none")
    assert.strictEqual(measured.totalTokens, 50)
    assert.deepStrictEqual(fold([]).summaries, { calls: 0, landed: 0, usage: { inputTokens: 0, outputTokens: 0 } })
  })

  it("goes on from what the provider counted, and adds the answer as it will be sent back [A20 A33 MEDIA-2 CACHEACC-2]", () => {
    const state = fold([envelope(), ...step(0, text(100), 1_100, text(40))])
    assert.strictEqual(measure(state, characters).baseline, "usage")
    // 1,000 tokens that no estimate sees stay in, and are not taken for density
    assert.strictEqual(total(state), 1_140)
  })

  it("learns density from the difference between two reports, not from the first total [A20 A33 STALE-7 MEASURE-10]", () => {
    const first = fold([envelope(), ...step(0, text(100), 2_100, text(1_000))])
    // the reply of 1,000 and 500 more were counted as twice that
    const second = fold(step(1, text(500), 2_100 + 3_000, text(0)), first)
    assert.strictEqual(total(second), 5_100)
    // (3,000 + 3,000) / (3,000 + 1,500) tokens for one estimated token
    assert.strictEqual(total(fold([user(text(900))], second)), 5_100 + 1_200)
  })

  it("takes off what was learned for a removed message, not its estimate [A20 A35]", () => {
    const state = fold([
      envelope(),
      ...step(0, text(100), 1_100, text(1_000)),
      ...step(1, text(500), 1_100 + 3_000, text(10))
    ])
    // seq 3 is the reply of 1,000; it was counted as 2,000
    const pruned = fold([checkpoint(text(100), 3, 3, [3])], state)
    assert.strictEqual(pruned.surface.generation, 1)
    const density = (3_000 + 3_000) / (3_000 + 1_500)
    assert.strictEqual(total(pruned), Math.round(4_100 + 10 * density - 2_000 + 100 * density))
  })

  it("keeps its anchor over a replacement while a request is out, and moves it by what was taken away", () => {
    const before = fold([envelope(), ...step(0, text(4_000), 4_000, text(100)), user(text(50)), stepStart(1)])
    const replaced = fold([checkpoint(text(10), 1, 1, [1])], before)
    const answered = fold([assistant(text(20), usage(4_150)), stepEnd(1)], replaced)
    // the report is of the request as it was sent, 4,000 of which are gone
    assert.strictEqual(total(answered), 4_150 - 4_000 + 10 + 20)
  })

  it("keeps the anchor when system prompt or tools change, and moves it by what the envelope gained [A25]", () => {
    const state = fold([envelope(), ...step(0, text(100), 1_100, text(40))])
    const other = fold([envelope({ system: text(10) })], state)
    assert.strictEqual(measure(other, characters).baseline, "usage")
    assert.strictEqual(total(other), 1_150)
    assert.strictEqual(total(fold([envelope({ tools: [] })], other)), 1_140)
  })

  it("drops the anchor when the route changes, and takes it up when it is the same again [A24]", () => {
    const state = fold([envelope(), ...step(0, text(100), 1_100, text(40))])
    const other = fold([envelope({ route: { provider: "p", model: "other" } })], state)
    assert.strictEqual(measure(other, characters).baseline, "estimated")
    assert.strictEqual(total(other), 140)
    assert.strictEqual(total(fold([envelope()], other)), 1_140)
    // a request that the other one answered is the newest
    const answered = fold([envelope()], fold(step(1, text(10), 300, ""), other))
    assert.strictEqual(measure(answered, characters).baseline, "estimated")
    assert.strictEqual(total(answered), 150)
  })

  it("prices an answer by the output that the provider counted, where the two agree roughly", () => {
    const counted = { inputTokens: 1_100, outputTokens: 50 }
    const answered = (outputTokens: number) =>
      fold([envelope(), user(text(100)), stepStart(0), assistant(text(40), { ...counted, outputTokens }), stepEnd(0)])
    assert.strictEqual(total(answered(50)), 1_150)
    // a count from the start of the stream, and one with reasoning that nobody shows
    assert.strictEqual(total(answered(3)), 1_140)
    assert.strictEqual(total(answered(60)), 1_140)
    // the answer is gone, and its price with it
    assert.strictEqual(total(fold([checkpoint(text(5), 3, 3, [3])], answered(50))), 1_105)
  })

  it("does not price an answer that was cut off by what was counted for the whole", () => {
    const cut = assistant(text(40), { inputTokens: 1_100, outputTokens: 50 })
    assert.strictEqual(cut.type, "message/assistant")
    const data = { ...(cut.data as Extract<Body, { type: "message/assistant" }>["data"]), interrupted: true }
    const state = fold([envelope(), user(text(100)), stepStart(0), { type: "message/assistant", data }])
    assert.strictEqual(total(state), 1_140)
  })

  it("takes off an answer's own price, and shares the rest of a count out to the others", () => {
    const counted = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens })
    const state = fold([
      envelope(),
      user(text(100)),
      stepStart(0),
      assistant(text(100), counted(1_000, 130)),
      stepEnd(0),
      // 100 more are counted as 200
      user(text(100)),
      stepStart(1),
      assistant(text(10), counted(1_000 + 130 + 200, 10)),
      stepEnd(1)
    ])
    const { meter } = state
    const priced = (seq: number) => Meter.price(meter, SurfaceState.nodeAt(state.surface, seq)!, [1], "1:p/m")
    assert.strictEqual(priced(1), 130)
    assert.strictEqual(priced(2), 200)
  })

  it("widens its bounds after counts that it was far from, and never below the first allowance", () => {
    const slackAfter = (hidden: number) => {
      const bodies = [0, 1, 2, 3, 4, 5].flatMap((n) => step(n, text(100), 1_100 + n * (100 + hidden), ""))
      const { totalTokens, upperTokens } = measure(fold([envelope(), ...bodies]), characters)
      return upperTokens - totalTokens
    }
    assert.isAbove(slackAfter(600), 2 * slackAfter(0))
    assert.isAtLeast(slackAfter(0), 40)
  })

  it("adds to what was learned without disturbing an older state that goes on", () => {
    const common = fold([envelope(), ...step(0, text(100), 1_000, text(100)), ...step(1, text(100), 1_200, text(100))])
    const one = fold(step(2, text(100), 1_600, text(10)), common)
    const two = fold(step(2, text(100), 1_300, text(10)), common)
    const priced = (state: SessionState.SessionState) =>
      Meter.price(state.meter, SurfaceState.nodeAt(state.surface, 3)!, [1], "1:p/m")
    assert.strictEqual(priced(one), 200)
    assert.strictEqual(priced(two), 50)
  })

  for (const [what, counted] of [
    ["zeros", 0],
    ["far less than was sent", 200]
  ] as const) {
    it(`does not believe a count of ${what} [A21 P11]`, () => {
      const state = fold([envelope(), ...step(0, text(1_000), 1_000, text(100)), ...step(1, text(10), counted, "")])
      assert.strictEqual(total(state), 1_110)
    })
  }

  it("measures anew where the envelope, the weights or the meter is another", () => {
    const state = fold([envelope({ system: text(100) }), ...step(0, text(50), 200, text(10))])
    const own = measure(state, characters)
    const longer = currentEnvelope({ route, system: text(300) }, characters)
    assert.strictEqual(measure(state, characters, longer).totalTokens, own.totalTokens + 200)
    assert.deepStrictEqual(measure(state, characters), own)
    const weights = [2]
    // the answer of 10 came since
    assert.strictEqual(measure(state, { ...characters, weights: () => weights }).totalTokens, own.totalTokens + 10)
    assert.strictEqual(total(fold(step(1, text(1), 900, ""), state)), 900)
  })

  it("is not disturbed in an earlier measurement by what comes later [A16]", () => {
    const state = fold([envelope(), user(text(50))])
    const earlier = measure(state, characters)
    fold([user(text(500))], state)
    assert.strictEqual(earlier.totalTokens, 50)
    assert.strictEqual(earlier.revision, 2)
    assert.strictEqual(SurfaceState.messages(earlier.surface).length, 1)
  })

  const operations = FastCheck.array(
    FastCheck.oneof(
      FastCheck.record({ kind: FastCheck.constant("append" as const), size: FastCheck.nat(300) }),
      FastCheck.record({
        kind: FastCheck.constant("request" as const),
        counted: FastCheck.option(FastCheck.nat(4_000), { nil: undefined }),
        output: FastCheck.nat(400),
        reasoning: FastCheck.option(FastCheck.nat(200), { nil: undefined }),
        size: FastCheck.nat(300),
        refused: FastCheck.boolean()
      }),
      FastCheck.record({
        kind: FastCheck.constant("replace" as const),
        from: FastCheck.nat(30),
        length: FastCheck.nat(4),
        inFlight: FastCheck.boolean()
      }),
      FastCheck.record({ kind: FastCheck.constant("envelope" as const), size: FastCheck.nat(3) })
    ),
    { maxLength: 40 }
  )

  it.prop(
    "the incremental meter equals one rebuilt from the log, batch by batch or in one [A26 A29 A37]",
    { ops: operations },
    ({ ops }) => {
      let state = fold([envelope()])
      const log: Array<Body> = [envelope()]
      const write = (...bodies: ReadonlyArray<Body>) => {
        log.push(...bodies)
        state = fold(bodies, state)
      }
      let steps = 0
      for (const op of ops) {
        if (op.kind === "append") write(user(text(op.size)))
        if (op.kind === "envelope") write(envelope({ system: text(op.size) }))
        if (op.kind === "request") {
          write(stepStart(steps, state.surface.generation))
          if (op.refused) write(stepEnd(steps, { outcome: "refused", limit: 3_000 }))
          else {
            const reasoning = op.reasoning === undefined ? {} : { reasoningTokens: op.reasoning }
            const counted = { inputTokens: op.counted ?? 0, outputTokens: op.output, ...reasoning }
            write(assistant(text(op.size), op.counted === undefined ? undefined : counted))
            write(stepEnd(steps))
          }
          steps++
        }
        if (op.kind === "replace" && state.surface.length > 0) {
          const nodes = SurfaceState.nodes(state.surface)
          const from = op.from % nodes.length
          const [head, ...rest] = nodes.slice(from, from + op.length + 1).map(({ seq }) => seq)
          if (op.inFlight) write(stepStart(steps, state.surface.generation))
          write(checkpoint(text(op.length), head!, rest.at(-1) ?? head!, [head!, ...rest]))
          if (op.inFlight) write(stepEnd(steps++, { outcome: "interrupted" }))
        }
        const rebuilt = fold(log)
        assert.deepStrictEqual(figures(state), figures(rebuilt))
        assert.strictEqual(state.refusals, rebuilt.refusals)
        assert.isAtLeast(measure(state, characters).totalTokens, 0)
      }
    },
    { fastCheck: { numRuns: 200 } }
  )
})
