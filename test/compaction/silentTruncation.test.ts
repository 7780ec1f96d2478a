import { assert, describe, it } from "@effect/vitest"
import { learnedWindow } from "../../src/compaction/learnedWindow.ts"
import { measure, measureUncounted } from "../../src/compaction/measure.ts"
import * as RouteFacts from "../../src/compaction/RouteFacts.ts"
import { routeFacts, type SessionState } from "../../src/compaction/SessionState.ts"
import * as Message from "../../src/session/Message.ts"
import * as Route from "../../src/session/Route.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import type { Usage } from "../../src/session/Usage.ts"
import {
  assistant,
  characters,
  checkpoint,
  counted,
  envelope,
  fold,
  route,
  stepEnd,
  stepStart,
  usage,
  user
} from "./events.ts"

const text = (length: number) => "x".repeat(length)
const facts = (state: SessionState) => routeFacts(state, Route.key(route))
const isFound = (state: SessionState) => facts(state).truncates === true

/** One request whose provider counts so many tokens, and its answer of ten characters. */
const asked = (
  state: SessionState,
  input: number | Usage,
  more: ReadonlyArray<Body> = [user(text(1_000))],
  answer = assistant
): SessionState =>
  fold(
    [
      ...more,
      stepStart(state.step + 1, state.surface.generation),
      answer(text(10), typeof input === "number" ? usage(input) : input),
      stepEnd(state.step + 1)
    ],
    state
  )

/** One request after the other, each with 1,000 characters more. */
const counts = (...inputs: ReadonlyArray<number | Usage>) =>
  inputs.reduce<SessionState>((state, input) => asked(state, input), fold([envelope()]))

/** A checkpoint of 300 characters in place of all but the newest nodes. */
const compacted = (state: SessionState, kept: number): SessionState => {
  const seqs = SurfaceState.counted(state.surface, 0, state.surface.length - kept).map(({ seq }) => seq)
  const [first, ...rest] = seqs
  return fold([checkpoint(text(300), first!, seqs.at(-1)!, [first!, ...rest])], state)
}

const withBlock = (block: Message.Block): Body => {
  const message = Message.user([block])
  return {
    type: "message/user",
    data: { message, source: "prompt", counts: { estimator: "characters", values: [1_500] } }
  }
}
const image = withBlock({ type: "image", mediaType: "image/png", source: { type: "base64", base64: "aaaa" } })

describe("a server that drops what does not fit", () => {
  it("is found at once where the count falls while more was sent [SILENT-2]", () => {
    const before = counts(1_000, 2_000, 3_000, 4_000)
    const after = asked(before, 2_051)
    assert.isFalse(isFound(before))
    assert.isTrue(isFound(after))
    // the window is what it counted once, whatever was configured
    assert.strictEqual(RouteFacts.windowOf(facts(after), 131_072), 4_000)
    assert.deepStrictEqual(learnedWindow(before, after, 131_072, characters), {
      reason: "truncated",
      counted: 2_051,
      // measured before the request: this test's prompt is part of it
      sent: measureUncounted(before, characters).totalTokens,
      window: 4_000
    })
  })

  it("is found at the second count where the first was cut already [SILENT-1 SILENT-3]", () => {
    const first = asked(fold([envelope()]), 16_386, [user(text(50_000))])
    assert.isFalse(isFound(first))
    const second = asked(first, 16_390)
    assert.isTrue(isFound(second))
    assert.strictEqual(RouteFacts.windowOf(facts(second), 131_072), 16_390)
    assert.strictEqual(RouteFacts.windowOf(facts(second), undefined), 16_390)
  })

  it("is found by two counts in a row that stand still, close below what was sent [P12]", () => {
    const steps = [3_900, 3_950].reduce((state, input) => asked(state, input), counts(1_000, 2_000, 3_000, 3_900))
    // 5,050 characters were sent of which 3,950 are counted: no single count is far enough off
    assert.isTrue(isFound(steps))
    assert.isFalse(isFound(counts(1_000, 2_000, 3_000, 3_900, 3_900)))
  })

  it("is found where other system prompts and tools come in between, which tell nothing", () => {
    const other = (state: SessionState, input: number) =>
      fold([envelope()], asked(fold([envelope({ system: text(300) })], state), input))
    const short = asked(counts(1_000, 2_000, 3_000, 3_900), 3_900)
    assert.isFalse(isFound(short))
    // behind another envelope a count cannot be compared, on either side of it
    const between = asked(other(short, 3_950), 3_920)
    assert.isFalse(isFound(between))
    assert.isTrue(isFound(asked(between, 3_930)))
    // growth that shows takes the first one back
    assert.isFalse(isFound(asked(asked(other(short, 3_950), 7_000), 8_000)))
    assert.isFalse(isFound(asked(other(asked(short, 4_900), 5_900), 5_910)))
  })

  it("is found in streams, which are counted behind the step that they answer", () => {
    const streamed = (state: SessionState, input: number): SessionState => {
      const { generation } = state.surface
      const begun = fold([user(text(1_000)), stepStart(state.step + 1, generation), stepEnd(state.step + 1)], state)
      const report = { turn: begun.openTurn ?? null, step: begun.step + 1 }
      return fold(
        [
          { type: "step/start", data: { ...report, generation } },
          { type: "step/end", data: { ...report, outcome: "completed", usage: usage(input) } },
          assistant(text(10))
        ],
        begun
      )
    }
    const streams = (...inputs: ReadonlyArray<number>) => inputs.reduce(streamed, fold([envelope()]))
    assert.isFalse(isFound(streams(1_000, 2_000, 3_000, 3_900, 3_900)))
    assert.isTrue(isFound(streams(1_000, 2_000, 3_000, 3_900, 3_900, 3_950)))
    assert.isFalse(isFound(streams(1_000, 2_000, 3_000, 3_900, 3_900, 6_000, 7_000)))
  })

  it("is told once, and known from the log", () => {
    const found = counts(1_000, 2_000, 3_000, 4_000, 2_051)
    const again = asked(found, 2_100)
    assert.isUndefined(learnedWindow(found, again, 131_072, characters))
    assert.isTrue(isFound(again))
  })

  it("teaches no density, and its counts are nothing to go on from [SILENT-2]", () => {
    const found = counts(1_000, 2_000, 3_000, 4_000, 2_051)
    const before = counts(1_000, 2_000, 3_000, 4_000)
    assert.deepStrictEqual(found.meter.calibrations, before.meter.calibrations)
    for (const state of [found, asked(found, 2_100)]) {
      const { baseline, totalTokens } = measure(state, characters)
      assert.strictEqual(baseline, "estimated")
      assert.isAbove(totalTokens, 5_000)
    }
  })

  it("counts right again once a request fits", () => {
    const found = counts(1_000, 2_000, 3_000, 4_000, 2_051)
    const smaller = compacted(found, 2)
    const after = asked(smaller, 2_400)
    assert.strictEqual(measure(after, characters).baseline, "usage")
    // what it counts above that raises the window
    assert.strictEqual(RouteFacts.windowOf(facts(asked(after, 4_200)), 131_072), 4_200)
  })
})

describe("no false alarm", () => {
  it("of a tokenizer that counts a fifth of what is estimated", () => {
    assert.isFalse(isFound(counts(200, 402, 604, 806, 1_008, 1_210, 1_412)))
    assert.isFalse(isFound(counts(2_200, 2_402, 2_604, 2_806, 3_008)))
  })

  it("of cached tokens that are reported beside the input", () => {
    const beside = (cachedTokens: number): Usage => ({ inputTokens: 1_010, outputTokens: 1, cachedTokens })
    assert.isFalse(isFound(counts(1_000, beside(1_000), beside(2_000), beside(3_000), beside(4_000))))
  })

  it("of a client that reports the uncached part alone", () => {
    const first = asked(fold([envelope({ system: text(8_000) })]), 9_000)
    const later = [1_040, 980, 1_020, 1_000, 1_010].reduce((state, input) => asked(state, input), first)
    assert.isFalse(isFound(later))
  })

  it("of a figure that is a placeholder", () => {
    assert.isFalse(isFound(counts(1, 1, 1, 1, 1)))
  })

  it("of another system prompt or tool list", () => {
    const large = asked(fold([envelope({ system: text(9_000) })]), 10_000)
    assert.isFalse(isFound(asked(fold([envelope({ system: "short" })], large), 2_000)))
  })

  it("of what a checkpoint took away", () => {
    assert.isFalse(isFound(asked(asked(compacted(counts(1_000, 2_000, 3_000), 0), 1_300), 2_300)))
  })

  it("of images that the server counts as little, or not at all", () => {
    const before = counts(1_000, 2_000)
    const twice = asked(asked(before, 2_030, [image]), 2_045, [image])
    assert.isFalse(isFound(twice))
    // an image on the surface, whose price is not known: one count is not enough, whatever the estimate
    assert.isFalse(isFound(asked(asked(twice, 3_045), 2_900)))
  })

  it("of reasoning that never comes back, or only until the turn ends", () => {
    const thinking = (said: string, counts: Usage | undefined): Body => {
      const message = Message.assistant([{ type: "reasoning", text: text(5_000) }, Message.textBlock(said)])
      return {
        type: "message/assistant",
        data: {
          message,
          finish: "stop",
          counts: { ...counted(message), values: [5_010] },
          ...(counts === undefined ? {} : { usage: counts })
        }
      }
    }
    const ask = (state: SessionState, input: number) => asked(state, input, [user(text(300))], thinking)
    // never: counted are 300 and 10 of each 5,310
    const never = [1_300, 1_610, 1_920, 2_230].reduce(ask, counts(1_000))
    assert.isFalse(isFound(never))
    // until the turn ends: falls at its end and grows within, turn after turn
    const turns = [1_300, 6_610, 2_000, 7_300, 2_700, 8_000].reduce(ask, counts(1_000))
    assert.isFalse(isFound(turns))
  })

  it("of messages too short to tell", () => {
    const state = [1_001, 1_001, 1_001, 1_002].reduce(
      (before, input) => asked(before, input, [user(text(20))]),
      counts(1_000)
    )
    assert.isFalse(isFound(state))
  })

  it("of one count that is off, on its own", () => {
    assert.isFalse(isFound(counts(1_000, 2_000, 3_000, 4_000, 3_990, 5_000, 6_000)))
  })
})
