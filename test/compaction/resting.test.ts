import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Policy from "../../src/compaction/Policy.ts"
import type * as SessionState from "../../src/compaction/SessionState.ts"
import { isResting as restingNow } from "../../src/compaction/resting.ts"
import * as Situation from "../../src/compaction/Situation.ts"
import type { Body, Trigger } from "../../src/session/SessionEvent.ts"
import { characters, envelope, fold, stepEnd, stepStart, user } from "./events.ts"

const text = (length: number) => "x".repeat(length)

type End = Omit<Extract<Body, { type: "compaction/end" }>["data"], "id">

const run = (end: End, trigger: Trigger = "pressure", policy?: string): ReadonlyArray<Body> => [
  {
    type: "compaction/start",
    data: { id: "k", trigger, turn: 0, writer: "w", ...(policy === undefined ? {} : { policy }) }
  },
  { type: "compaction/end", data: { id: "k", ...end } }
]
const failed = run({ outcome: "failed" })
const hardlyHelped = run({ outcome: "landed", targetMet: false })

/** 10,000 tokens of a window of 11,000. */
const session = fold([envelope(), user(text(9_000)), user(text(1_000))])

/** Something new, so that a run is not a repetition. */
const isResting = (state: SessionState.SessionState, trigger: Trigger = "pressure") => {
  const refused = trigger === "context-overflow" ? [stepStart(0), stepEnd(0, { outcome: "refused" })] : []
  const looked = Situation.assess({
    trigger,
    state: fold([user("x"), ...refused], state),
    estimator: characters,
    policy: Policy.defaults,
    known: () => ({ window: 11_000 }),
    summaryBounded: true
  })
  return restingNow(Either.getOrThrowWith(looked, ({ reason }) => new Error(reason)))
}

describe("rungs that cost money", () => {
  it("rest after three in a row that failed or did not help, and not before [P45 LOOP-2 OPPOSITES-6a]", () => {
    assert.isFalse(isResting(fold([...failed, ...failed], session)))
    assert.isTrue(isResting(fold([...failed, ...failed, ...failed], session)))
    assert.isTrue(isResting(fold([...failed, ...hardlyHelped, ...hardlyHelped], session)))
  })

  it("work again once the surface grew by a tenth [P45 LOOP-2 OPPOSITES-6b]", () => {
    const resting = fold([...failed, ...failed, ...failed], session)
    assert.isTrue(isResting(fold([user(text(990))], resting)))
    assert.isFalse(isResting(fold([user(text(1_000))], resting)))
  })

  it("work again under another policy, whose summaries have not failed yet [P45]", () => {
    const under = (policy: Policy.RoutePolicy) => {
      const failed = run({ outcome: "failed" }, "pressure", Policy.fingerprint(policy))
      return fold([...failed, ...failed, ...failed], session)
    }
    assert.isTrue(isResting(under(Policy.forRoute(Policy.defaults, { provider: "p", model: "m" }))))
    assert.isFalse(isResting(under({ ...Policy.defaults, retain: 0.2 })))
    assert.isFalse(isResting(under({ ...Policy.defaults, runTimeLimit: Duration.minutes(6) })))
  })

  it("work again on another route, and for another trigger [P45]", () => {
    const resting = fold([...failed, ...failed, ...failed], session)
    assert.isFalse(isResting(fold([envelope({ route: { provider: "p", model: "another" } })], resting)))
    assert.isFalse(isResting(resting, "context-overflow"))
    assert.isFalse(isResting(resting, "manual"))
    const overflow = run({ outcome: "failed" }, "context-overflow")
    const other = fold([...overflow, ...overflow, ...overflow], session)
    assert.isTrue(isResting(other, "context-overflow"))
    assert.isFalse(isResting(other))
  })

  it("do not rest for one that helped between, nor for one that was interrupted [P45 OPPOSITES-6b]", () => {
    const helped = run({ outcome: "landed", targetMet: true })
    assert.isFalse(isResting(fold([...failed, ...failed, ...helped, ...failed], session)))
    const interrupted = run({ outcome: "interrupted" })
    assert.isFalse(isResting(fold([...failed, ...failed, ...interrupted, ...interrupted], session)))
    assert.isTrue(isResting(fold([...failed, ...interrupted, ...failed, ...failed], session)))
  })
})
