import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Policy from "../../src/compaction/Policy.ts"
import { runEstimator } from "../../src/compaction/RunEstimator.ts"
import * as SessionState from "../../src/compaction/SessionState.ts"
import * as Situation from "../../src/compaction/Situation.ts"
import { propose } from "../../src/compaction/summarising.ts"
import { applyAll } from "../../src/compaction/SessionFold.ts"
import * as Message from "../../src/session/Message.ts"
import type { KnownWindow } from "../../src/compaction/SummaryRoute.ts"
import type * as Route from "../../src/session/Route.ts"
import type { Body, Trigger } from "../../src/session/SessionEvent.ts"
import { assistant, calls, characters, envelope, fold, placed, result, stepEnd, stepStart, user } from "./events.ts"

const text = (length: number) => "x".repeat(length)

interface Look {
  readonly trigger?: Trigger
  readonly window?: number
  readonly outputLimit?: number
  readonly policy?: unknown
  readonly known?: (route: Route.Route) => KnownWindow | undefined
}

/** What a run would have to deal with. One token a character. */
const look = (state: SessionState.SessionState, { known, outputLimit, policy = {}, trigger, window }: Look = {}) =>
  Situation.assess({
    trigger: trigger ?? "pressure",
    state,
    estimator: characters,
    policy: Either.getOrThrow(Policy.decode(policy)),
    known:
      known ??
      (() => (window === undefined ? undefined : { window, ...(outputLimit === undefined ? {} : { outputLimit }) })),
    summaryBounded: true
  })

const declined = (state: SessionState.SessionState, options: Look) => {
  const looked = look(state, options)
  return Either.isLeft(looked) ? looked.left : assert.fail("a run would do something")
}
const pressing = (state: SessionState.SessionState, options: Look) =>
  Either.getOrThrowWith(look(state, options), ({ reason }) => new Error(reason))

const ten = { window: 10_000 }

describe("whether a run has something to do", () => {
  it("counts system prompt and prefix, of the newest envelope [A46 MEASURE-2 MEASURE-5]", () => {
    const said = [user(text(3_000)), user(text(1_000))]
    assert.deepInclude(declined(fold([envelope(), ...said]), ten), { reason: "below-threshold", threshold: 8_000 })
    const large = envelope({ system: text(5_000) })
    assert.strictEqual(pressing(fold([large, ...said]), ten).measurement.totalTokens, 9_000)
    assert.strictEqual(declined(fold([large, ...said, envelope()]), ten).reason, "below-threshold")
  })

  it("measures the very surface that it will cut [A48]", () => {
    const situation = pressing(fold([envelope(), user(text(8_000)), user(text(1_000))]), ten)
    assert.strictEqual(situation.measurement.surface, situation.state.surface)
    assert.strictEqual(situation.measurement.revision, situation.state.revision)
  })

  const windows: Readonly<Record<string, number>> = { p: 10_000, q: 100_000 }
  const known = ({ provider }: Route.Route) =>
    windows[provider] === undefined ? undefined : { window: windows[provider] }

  it("goes by the window of the exact route, and by none where it has none [A34 A42 WINDOW-7]", () => {
    const small = fold([envelope(), user(text(8_500)), user(text(500))])
    assert.strictEqual(pressing(small, { known }).window, 10_000)
    const large = fold([envelope({ route: { provider: "q", model: "m" } })], small)
    assert.deepInclude(declined(large, { known }), { reason: "below-threshold", window: 100_000, surface: 9_000 })
    const unknown = declined(fold([envelope({ route: { provider: "r", model: "m" } })], large), { known })
    assert.strictEqual(unknown.reason, "unknown-window")
    assert.notProperty(unknown, "window")
    assert.strictEqual(pressing(fold([envelope()], large), { known }).window, 10_000)
  })

  it("tells an envelope that leaves no room, with its numbers [P15 LOOP-7 LOOP-12]", () => {
    const unreachable = declined(fold([envelope({ system: text(8_000) }), user(text(10))]), ten)
    assert.deepInclude(unreachable, { reason: "threshold-unreachable", envelope: 8_000, threshold: 8_000, surface: 10 })
    const tooLarge = fold([envelope({ system: text(10_001) }), user(text(10))])
    assert.deepInclude(declined(tooLarge, ten), { reason: "envelope-too-large", envelope: 10_001, window: 10_000 })
    const refused: ReadonlyArray<Body> = [stepStart(0), stepEnd(0, { outcome: "refused" })]
    const overflow = { ...ten, trigger: "context-overflow" } as const
    const surely = fold([envelope({ system: text(20_000) }), user(text(10)), ...refused])
    assert.deepInclude(declined(surely, overflow), { reason: "envelope-too-large", envelope: 20_000, unit: 10 })
    const unit = fold([envelope(), calls("a"), result("a", text(20_000)), ...refused])
    const whole = { ...overflow, policy: { prune: false } }
    assert.deepInclude(declined(unit, whole), { reason: "unit-too-large", unit: 20_000, window: 10_000 })
    // a text of that size is no reason to give up
    assert.strictEqual(pressing(fold([envelope(), user(text(20_000)), ...refused]), overflow).retain, 0)
  })

  it("keeps half the room free where envelope and tail would fill it [P15]", () => {
    const state = fold([envelope({ system: text(7_000) }), user(text(2_000)), user(text(500))])
    assert.strictEqual(pressing(state, { ...ten, policy: { retain: 0.16 } }).retain, 500)
  })

  it("has no pressure where the policy contradicts the window, and rescues all the same [A10]", () => {
    const state = fold([envelope(), user(text(8_500)), user(text(1_000))])
    const policy = { retain: 9_000 }
    assert.deepInclude(declined(state, { ...ten, policy }), { reason: "threshold-unreachable", threshold: 8_000 })
    const refused = fold([stepStart(0), stepEnd(0, { outcome: "refused" })], state)
    assert.strictEqual(pressing(refused, { ...ten, policy, trigger: "context-overflow" }).retain, 0)
  })

  it("leaves room for the output that is asked for, and no more than half [HEADROOM-1 OPPOSITES-2a OPPOSITES-2b]", () => {
    const at = (chars: number, maxOutputTokens: number) =>
      fold([
        envelope({ maxOutputTokens }),
        user(text(chars - 1)),
        stepStart(0),
        assistant("x", { inputTokens: chars - 1, outputTokens: 1 }),
        stepEnd(0)
      ])
    assert.strictEqual(pressing(at(65_600, 65_536), { window: 131_072 }).target, 65_536)
    assert.strictEqual(declined(at(100_000, 64_000), { window: 200_000 }).reason, "below-threshold")
    assert.strictEqual(pressing(at(500_001, 980_000), { window: 1_000_000 }).target, 500_000)
  })

  it("is not pressed at half the window by a large default output [HEADROOM-2]", () => {
    const counted = { inputTokens: 100_000, outputTokens: 1 }
    const state = fold([
      envelope({ maxOutputTokens: 64_000 }),
      user(text(100_000)),
      stepStart(0),
      assistant("x", counted),
      stepEnd(0)
    ])
    assert.deepInclude(declined(state, { window: 200_000 }), { reason: "below-threshold", threshold: 136_000 })
  })

  it("tells a limit of input from one of input and output [WINDOW-5]", () => {
    const refusedAt = (limitCounts: "input" | "input-and-output") =>
      fold([
        envelope({ maxOutputTokens: 2_000 }),
        user(text(8_000)),
        user(text(10)),
        stepStart(0),
        stepEnd(0, { outcome: "refused", limit: 6_000, limitCounts, requested: 8_010 })
      ])
    const limitOf = (limitCounts: "input" | "input-and-output") =>
      pressing(refusedAt(limitCounts), { ...ten, trigger: "context-overflow" }).inputLimit
    assert.deepStrictEqual([limitOf("input"), limitOf("input-and-output")], [6_000, 4_000])
  })

  it("is not moved by the bytes of an image [MEDIA-1 OPPOSITES-5a]", () => {
    const image = { type: "image", source: { type: "base64", base64: "A".repeat(1_600_000) } } as const
    const message = Message.user([image, Message.textBlock("What is this?")])
    const counts = (values: ReadonlyArray<number>) => ({ estimator: runEstimator.id, values })
    const own = { route: { provider: "p", model: "m" } }
    const bodies: ReadonlyArray<Body> = [
      { type: "request/envelope", data: { envelope: own, counts: counts(runEstimator.envelope(own)) } },
      { type: "message/user", data: { message, source: "prompt", counts: counts(runEstimator.message(message)) } }
    ]
    const looked = Situation.assess({
      trigger: "pressure",
      state: Either.getOrThrow(applyAll(SessionState.empty(runEstimator), placed(bodies), runEstimator)),
      estimator: runEstimator,
      policy: Policy.defaults,
      known: () => ({ window: 262_000 }),
      summaryBounded: true
    })
    assert.strictEqual(Either.isLeft(looked) ? looked.left.reason : "", "below-threshold")
  })
})

describe("whether it has done so already", () => {
  const ended = (outcome: "landed" | "failed"): ReadonlyArray<Body> => [
    { type: "compaction/start", data: { id: "k", trigger: "pressure", turn: 0, writer: "w" } },
    { type: "compaction/end", data: { id: "k", outcome, targetMet: false } }
  ]
  const state = fold([envelope(), user(text(8_500)), user(text(1_000))])

  it("does nothing again before something new came [P16 STALE-2 STALE-3 LOOP-10]", () => {
    for (const outcome of ["landed", "failed"] as const) {
      const after = fold(ended(outcome), state)
      assert.strictEqual(declined(after, ten).reason, "repeat")
      assert.strictEqual(pressing(fold([user(text(1))], after), ten).window, 10_000)
      assert.strictEqual(pressing(fold([assistant("x")], after), ten).window, 10_000)
      assert.strictEqual(pressing(fold([envelope({ system: "x" })], after), ten).window, 10_000)
      assert.strictEqual(pressing(after, { ...ten, trigger: "manual" }).target, undefined)
    }
  })
})

describe("what a summary would be", () => {
  it("asks for no more output than its model gives [HEADROOM-6]", () => {
    const state = fold([envelope(), user(text(170_000)), user(text(40_000))])
    assert.strictEqual(propose(pressing(state, { window: 200_000 }))?.maxTokens, 8_192)
    assert.strictEqual(propose(pressing(state, { window: 200_000, outputLimit: 500 }))?.maxTokens, 500)
  })

  it("is none of a span that could gain nothing [LOOP-3]", () => {
    const state = fold([envelope(), user(text(60)), user(text(9_500))])
    assert.isUndefined(propose(pressing(state, ten)))
    assert.isDefined(propose(pressing(fold([envelope(), user(text(900)), user(text(9_000))]), ten)))
  })
})
