import { assert, describe, it } from "@effect/vitest"
import { runEstimator } from "../../../src/compaction/RunEstimator.ts"
import type { Counter } from "../../../src/cli/replay/counter.ts"
import { type Figures, figuresOf, sum } from "../../../src/cli/replay/figures.ts"
import { faultsOf } from "../../../src/cli/replay/report.ts"
import { isNotSmaller, isWithoutProgress, retriesOf, stepsOf } from "../../../src/cli/replay/steps.ts"
import * as Message from "../../../src/session/Message.ts"
import type * as SessionEvent from "../../../src/session/SessionEvent.ts"

/** Ten tokens a message, a hundred an envelope. */
const counter: Counter = { envelope: () => 100, message: () => 10 }
const counted = (tokens: number) => ({
  estimator: runEstimator.id,
  values: Array.from({ length: runEstimator.dimensions }, () => tokens)
})
const counts = counted(10)
const envelope: SessionEvent.Body = {
  type: "request/envelope",
  data: { envelope: { route: { provider: "p", model: "m" } }, counts: counted(100) }
}
const user = (): SessionEvent.Body => ({
  type: "message/user",
  data: { message: Message.user("hello"), source: "prompt", counts }
})
const begin = (generation: number): SessionEvent.Body => ({
  type: "step/start",
  data: { turn: 0, step: 0, generation }
})
const refused = (requested?: number): SessionEvent.Body => ({
  type: "step/end",
  data: { turn: 0, step: 0, outcome: "refused", ...(requested === undefined ? {} : { requested }) }
})
const answered = (inputTokens: number): ReadonlyArray<SessionEvent.Body> => [
  {
    type: "message/assistant",
    data: {
      message: Message.assistant("ok"),
      usage: { inputTokens, cachedTokens: 10, outputTokens: 1 },
      finish: "stop",
      counts
    }
  },
  { type: "step/end", data: { turn: 0, step: 0, outcome: "completed" } }
]
const checkpoint = (first: number, last: number): SessionEvent.Body => ({
  type: "message/user",
  data: {
    message: Message.user("checkpoint"),
    source: "checkpoint",
    counts: counted(5),
    replaces: { first, last, sources: [first, ...Array.from({ length: last - first }, (_, i) => first + 1 + i)] }
  }
})
const placed = (...bodies: ReadonlyArray<SessionEvent.Body>): ReadonlyArray<SessionEvent.SessionEvent> =>
  bodies.map((body, seq) => ({ ...body, seq, time: 0 }))

describe("the figures of a session, from its log", () => {
  const log = placed(
    envelope,
    user(),
    user(),
    user(),
    begin(0),
    refused(130),
    checkpoint(1, 2),
    begin(1),
    ...answered(120)
  )

  it("counts what was sent, and what would have been sent", () => {
    const figures = figuresOf(log, counter, runEstimator)
    assert.deepInclude(figures, {
      steps: 2,
      requests: 2,
      answered: 1,
      tokensSent: 250,
      tokensSentWithout: 260,
      overflows: 1,
      rescues: 1,
      retries: 1,
      retriesWithoutProgress: 0,
      retriesNotSmaller: 0,
      generation: 1,
      // nobody bills a refusal
      billed: { inputTokens: 120, cachedTokens: 10, outputTokens: 1 }
    })
    // envelope and three messages, before the checkpoint came
    assert.strictEqual(figures.peakPressure, 130)
  })

  it("a provider that counts otherwise would have counted the uncompacted request otherwise by as much", () => {
    const doubled = placed(envelope, user(), user(), checkpoint(1, 2), begin(1), ...answered(220))
    assert.deepInclude(figuresOf(doubled, counter, runEstimator), { tokensSent: 220, tokensSentWithout: 240 })
  })

  it("sees a retry at the generation of the refusal, and one that is not smaller", () => {
    const lying = stepsOf(placed(envelope, user(), begin(3), refused(110), begin(3), ...answered(110)), counter)
    const [retry] = retriesOf(lying)
    assert.isTrue(retry !== undefined && isWithoutProgress(retry) && isNotSmaller(retry))
    const honest = stepsOf(placed(envelope, user(), begin(3), refused(110), begin(4), ...answered(109)), counter)
    const [good] = retriesOf(honest)
    assert.isFalse(good === undefined || isWithoutProgress(good) || isNotSmaller(good))
  })

  it("judges by its own counter where a refusal names no figure", () => {
    const [retry] = retriesOf(
      stepsOf(placed(envelope, user(), begin(0), refused(), begin(1), ...answered(50)), counter)
    )
    assert.isTrue(retry !== undefined && isNotSmaller(retry))
  })

  it("a step of the next turn is no retry", () => {
    const next: SessionEvent.Body = { type: "step/start", data: { turn: 1, step: 0, generation: 0 } }
    assert.deepStrictEqual(retriesOf(stepsOf(placed(envelope, begin(0), refused(110), next), counter)), [])
  })
})

describe("the sums of a file", () => {
  const figures = figuresOf([], counter, runEstimator)
  const billed = { inputTokens: 2, cachedTokens: 1, outputTokens: 3 }
  const one: Figures = { ...figures, steps: 2, peakPressure: 7, billed, spend: { calls: 1, ...billed } }

  it("add up, but for the pressures, of which the largest counts", () => {
    assert.deepInclude(sum([one, { ...one, peakPressure: 9 }]), {
      steps: 4,
      peakPressure: 9,
      billed: { inputTokens: 4, cachedTokens: 2, outputTokens: 6 },
      spend: { calls: 2, inputTokens: 4, cachedTokens: 2, outputTokens: 6 }
    })
  })

  it("what must never be is a fault of the run", () => {
    const report = {
      ...one,
      session: "s",
      series: [],
      recorded: 3,
      skipped: 1,
      answered: 2,
      resumed: false,
      replayVerified: true,
      unfit: [],
      notes: []
    }
    assert.deepStrictEqual(faultsOf(report, { answersAreRecorded: true }), [])
    const bad = { ...report, retriesNotSmaller: 1, retriesWithoutProgress: 1, replayVerified: false, answered: 1 }
    assert.strictEqual(faultsOf(bad, { answersAreRecorded: true }).length, 4)
    assert.strictEqual(faultsOf(bad, { answersAreRecorded: false }).length, 3)
  })
})
