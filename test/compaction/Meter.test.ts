import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { measure } from "../../src/compaction/measure.ts"
import type * as SessionState from "../../src/compaction/SessionState.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { assistant, characters, checkpoint, envelope, fold, stepEnd, stepStart, usage, user } from "./events.ts"

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
  it("estimates envelope and surface until a provider has counted", () => {
    const state = fold([envelope({ system: text(100) }), user(text(50))])
    const measured = measure(state, characters)
    assert.strictEqual(measured.totalTokens, 150)
    assert.strictEqual(measured.baseline, "estimated")
    assert.isAbove(measured.upperTokens, 150)
    assert.isBelow(measured.lowerTokens, 150)
  })

  it("has no baseline, and no envelope, before the first request", () => {
    const measured = measure(fold([user(text(50))]), characters)
    assert.strictEqual(measured.baseline, "none")
    assert.strictEqual(measured.totalTokens, 50)
  })

  it("goes on from what the provider counted, and adds the answer as it will be sent back", () => {
    const state = fold([envelope(), ...step(0, text(100), 1_100, text(40))])
    assert.strictEqual(measure(state, characters).baseline, "usage")
    // 1,000 tokens that no estimate sees stay in, and are not taken for density
    assert.strictEqual(total(state), 1_140)
  })

  it("learns density from the difference between two reports, not from the first total", () => {
    const first = fold([envelope(), ...step(0, text(100), 2_100, text(1_000))])
    // the reply of 1,000 and 500 more were counted as twice that
    const second = fold(step(1, text(500), 2_100 + 3_000, text(0)), first)
    assert.strictEqual(total(second), 5_100)
    // (3,000 + 3,000) / (3,000 + 1,500) tokens for one estimated token
    assert.strictEqual(total(fold([user(text(900))], second)), 5_100 + 1_200)
  })

  it("takes off what was learned for a removed message, not its estimate", () => {
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

  it("drops the anchor when the envelope changes, and takes it up when it is the same again", () => {
    const state = fold([envelope(), ...step(0, text(100), 1_100, text(40))])
    const other = fold([envelope({ system: text(10) })], state)
    assert.strictEqual(measure(other, characters).baseline, "estimated")
    assert.strictEqual(total(other), 150)
    assert.strictEqual(total(fold([envelope({ tools: [] })], other)), 1_140)
  })

  for (const [what, counted] of [
    ["zeros", 0],
    ["far less than was sent", 200]
  ] as const) {
    it(`does not believe a count of ${what}`, () => {
      const state = fold([envelope(), ...step(0, text(1_000), 1_000, text(100)), ...step(1, text(10), counted, "")])
      assert.strictEqual(total(state), 1_110)
    })
  }

  it("is not disturbed in an earlier measurement by what comes later", () => {
    const state = fold([envelope(), user(text(50))])
    const earlier = measure(state, characters)
    fold([user(text(500))], state)
    assert.strictEqual(earlier.totalTokens, 50)
    assert.strictEqual(SurfaceState.messages(earlier.surface).length, 1)
  })

  const operations = FastCheck.array(
    FastCheck.oneof(
      FastCheck.record({ kind: FastCheck.constant("append" as const), size: FastCheck.nat(300) }),
      FastCheck.record({
        kind: FastCheck.constant("request" as const),
        counted: FastCheck.option(FastCheck.nat(4_000), { nil: undefined }),
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
    "the incremental meter equals one rebuilt from the log, batch by batch or in one",
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
            write(assistant(text(op.size), op.counted === undefined ? undefined : usage(op.counted)))
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
