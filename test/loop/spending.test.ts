import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as TestClock from "effect/TestClock"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { Summary } from "../../src/services/Summarizer.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, script, text } from "./scripted.ts"
import { history, inSession, logLines, onSurface } from "./world.ts"

const { say } = Testing

const filled = Effect.gen(function* () {
  yield* Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)))
  yield* script({ message: say("an answer"), usage: { inputTokens: 6_500, outputTokens: 10 } })
  yield* AgentLoop.run("go on")
})

const state = Effect.flatMap(Surface.Surface, (surface) => surface.state)
const ends = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "compaction/end" ? [event.data] : []))
)

describe("what was spent", () => {
  it.effect(
    "holds failed and interrupted calls, is read back, and compaction forgets no bill [A32 P49 BADSUM-2]",
    () => {
      const begun = Deferred.unsafeMake<void>(FiberId.none)
      const answers: Array<Effect.Effect<Summary>> = [
        Effect.succeed({ text: '{"goal": "sh', finish: "length", usage: { inputTokens: 1_000, outputTokens: 50 } }),
        Effect.succeed({ text: "", finish: "stop", usage: { inputTokens: 1_001, outputTokens: 0 } }),
        Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
        Effect.succeed({ text: "## Goal", finish: "stop", usage: { inputTokens: 900, outputTokens: 30 } })
      ]
      const summarise = () => Effect.suspend(() => answers.shift() ?? Effect.dieMessage("asked too often"))
      return Effect.gen(function* () {
        const live = yield* Effect.gen(function* () {
          yield* filled
          assert.deepInclude(yield* Effect.flip(CompactService.compactNow), { reason: "truncated" })
          assert.deepInclude(yield* Effect.flip(CompactService.compactNow), { reason: "empty" })
          const third = yield* Effect.fork(CompactService.compactNow)
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(third)
          const outcome = yield* CompactService.compactNow
          assert.deepInclude(outcome, { _tag: "Reduced", spent: { inputTokens: 900, outputTokens: 30 } })
          return (yield* state).summaries
        }).pipe(inSession)
        assert.deepStrictEqual(live, { calls: 4, landed: 1, usage: { inputTokens: 2_901, outputTokens: 80 } })
        yield* Effect.gen(function* () {
          assert.deepStrictEqual((yield* state).summaries, live)
          const events = yield* history
          assert.deepStrictEqual(
            events.flatMap((event) => (event.type === "compaction/call" ? [event.data.outcome] : [])),
            ["truncated", "empty", "interrupted", "completed"]
          )
          // the answer that the conversation paid for stands behind a checkpoint now
          const answered = events.filter((event) => event.type === "message/assistant")
          assert.deepInclude(answered.at(-1)?.data, { usage: { inputTokens: 6_500, outputTokens: 10 } })
        }).pipe(inSession)
      }).pipe(Effect.provide(exact({ summarise })))
    }
  )

  it.effect("took as long as its records say [A141]", () =>
    Effect.gen(function* () {
      yield* filled
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(running)
      const times = (yield* history).flatMap((event) => (event.type.startsWith("compaction/") ? [event.time] : []))
      assert.strictEqual(times.at(-1)! - times[0]!, 3_000)
    }).pipe(inSession, Effect.provide(exact({ summarise: () => Effect.delay(Effect.succeed("## Goal"), "3 seconds") })))
  )
})

describe("a summary that does not come", () => {
  const failures: ReadonlyArray<readonly [string, Effect.Effect<never, SummaryFailed>, string]> = [
    [
      "the provider refuses a parameter",
      Effect.fail(new SummaryFailed({ reason: "model", detail: "unknown value for top_k" })),
      "unknown value for top_k"
    ],
    ["dies of an error", Effect.die(new Error("a bug in it")), "a bug in it"],
    ["dies of what is no error", Effect.die("boom"), "boom"],
    [
      "throws",
      Effect.suspend(() => {
        throw new Error("thrown at once")
      }),
      "thrown at once"
    ]
  ]
  for (const [what, answer, words] of failures) {
    it.effect(`${what}: told in its words, on record, and nothing is replaced [A90 TRANSIENT-7 SETTING-3]`, () =>
      Effect.gen(function* () {
        yield* filled
        const before = yield* onSurface
        const error = yield* Effect.flip(CompactService.compactNow)
        assert.strictEqual(error._tag, "SummaryFailed")
        assert.include(error.message, words)
        const [end, ...others] = yield* ends
        assert.lengthOf(others, 0)
        assert.strictEqual(end?.outcome, "failed")
        assert.include(end?.error?.message, words)
        assert.strictEqual(yield* onSurface, before)
        assert.strictEqual(yield* Surface.generation, 0)
      }).pipe(inSession, Effect.provide(exact({ summarise: () => answer })))
    )
  }

  it.effect("runs out of the time that the policy gives a call [P38 TRANSIENT-4]", () =>
    Effect.gen(function* () {
      yield* filled
      const running = yield* Effect.fork(Effect.flip(CompactService.compactNow))
      yield* TestClock.adjust("9 seconds")
      assert.isTrue((yield* running.status)._tag !== "Done")
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(running), { _tag: "SummaryFailed", reason: "timed-out" })
      assert.deepStrictEqual((yield* logLines).slice(-2), ["compaction/call timed-out", "compaction/end failed"])
    }).pipe(
      inSession,
      Effect.provide(exact({ summarise: () => Effect.never, policy: { summary: { timeLimit: "10 seconds" } } }))
    )
  )

  const results = Effect.gen(function* () {
    yield* Surface.append(
      Message.user("Read both"),
      Message.assistant([Message.toolCall("a", "read", {}), Message.toolCall("b", "read", {})]),
      Message.toolResult({ id: "a", name: "read", content: `first of a ${text(9_950)} last of a` }),
      Message.toolResult({ id: "b", name: "read", content: `first of b ${text(13_950)} last of b` })
    )
    yield* script(say("noted"))
  })

  for (const [what, summarise] of [
    ["empty", () => Effect.succeed("")],
    ["dead", () => Effect.fail(new SummaryFailed({ reason: "model", detail: "gone" }))]
  ] as const) {
    it.effect(
      `or is ${what}: an overflow is rescued without it, and results keep both ends [LOOP-4 OPPOSITES-11a TRANSIENT-4]`,
      () =>
        Effect.gen(function* () {
          yield* results
          yield* AgentLoop.run("and then?")
          yield* script(Testing.overflow({ limit: 9_000 }), say("done"))
          assert.strictEqual((yield* AgentLoop.run("go on")).text, "done")
          const left = yield* onSurface
          for (const name of ["a", "b"]) for (const end of ["first", "last"]) assert.include(left, `${end} of ${name}`)
          assert.notInclude(left, text(8_000))
          assert.notInclude(yield* logLines, "compaction/summary")
        }).pipe(inSession, Effect.provide(exact({ summarise })))
    )
  }

  it.effect("is not spent again on the same text after an answer that was no use, by the other trigger either", () => {
    const asked: Array<number> = []
    const summarise = ({ span }: { readonly span: ReadonlyArray<Message.Message> }) =>
      Effect.sync((): Summary => {
        asked.push(span.length)
        return { text: "", finish: "stop", usage: { inputTokens: 6_500, outputTokens: 0 } }
      })
    return Effect.gen(function* () {
      yield* filled
      yield* script(Testing.overflow(), say("rescued"))
      assert.deepInclude(yield* AgentLoop.run(text(2_500)), { text: "rescued" })
      assert.deepStrictEqual(asked, [4])
      const starts = (yield* history).flatMap((event) => (event.type === "compaction/start" ? [event.data.rung] : []))
      assert.deepStrictEqual(starts, ["summarise", "extract"])
    }).pipe(inSession, Effect.provide(exact({ summarise, window: 10_000, policy: { retain: 0 } })))
  })
})
