import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { type Event, unsettled } from "../properties/reading.ts"
import { exact, script, text } from "./scripted.ts"
import { before, type Look, slowly } from "./slowLog.ts"
import { history, inSession, logLines, onSurface } from "./world.ts"

const { say } = Testing

const filled = Effect.gen(function* () {
  yield* Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)))
  yield* script(say("an answer"))
  yield* AgentLoop.run("go on")
})

const holds =
  (...types: ReadonlyArray<string>): Look =>
  ({ events }) =>
    events.some((event) => types.includes((event as Event).type))

/** A batch that waits at a gate: `reached` when it is there. */
const gate = (at: Look) => {
  const reached = Deferred.unsafeMake<void>(FiberId.none)
  const open = Deferred.unsafeMake<void>(FiberId.none)
  const log = before(at, Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(open)))
  return { reached, open, log }
}

const compactionLines = Effect.map(logLines, (lines) =>
  lines.filter((line) => line.startsWith("compaction/") || line === "message/user checkpoint")
)

describe("a run that is cancelled", () => {
  /** By hand, and by the pressure before a request. */
  const runs: ReadonlyArray<
    readonly [string, Effect.Effect<unknown, unknown, AgentLoop.AgentLoop | CompactService.CompactService>]
  > = [
    ["by hand", CompactService.compactNow],
    ["under pressure", AgentLoop.run(text(1_200))]
  ]

  for (const [how, run] of runs) {
    it.effect(`${how}, when the summary is there and not committed: nothing is committed [A140 P51 P52]`, () => {
      const { log, open, reached } = gate(holds("compaction/call"))
      return Effect.gen(function* () {
        yield* filled
        const running = yield* Effect.fork(run)
        yield* Deferred.await(reached)
        const interrupting = yield* Effect.fork(Fiber.interrupt(running))
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        yield* Deferred.succeed(open, undefined)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.join(interrupting)))
        assert.strictEqual(yield* Surface.generation, 0)
        assert.deepStrictEqual((yield* compactionLines).slice(1), [
          "compaction/call completed",
          "compaction/end interrupted"
        ])
        assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>))
      }).pipe(inSession, Effect.provide(exact({ log, window: 8_500, policy: { prune: false } })))
    })

    it.effect(`${how}, while it commits: that is finished first [A140 P52]`, () => {
      const { log, open, reached } = gate(holds("compaction/summary"))
      return Effect.gen(function* () {
        yield* filled
        const running = yield* Effect.fork(run)
        yield* Deferred.await(reached)
        const interrupting = yield* Effect.fork(Fiber.interrupt(running))
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        assert.isNull(running.unsafePoll())
        assert.strictEqual(yield* Surface.generation, 0)
        yield* Deferred.succeed(open, undefined)
        yield* Fiber.join(interrupting)
        assert.strictEqual(yield* Surface.generation, 1)
        assert.deepStrictEqual((yield* compactionLines).slice(2), [
          "compaction/summary",
          "message/user checkpoint",
          "compaction/end landed"
        ])
      }).pipe(inSession, Effect.provide(exact({ log, window: 8_500, policy: { prune: false } })))
    })
  }

  it.effect("is recorded as cancelled, though its summariser fails at that [A139]", () => {
    const begun = Deferred.unsafeMake<void>(FiberId.none)
    const summarise = () =>
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          Effect.exit(restore(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))),
          Effect.fail(new SummaryFailed({ reason: "model", detail: "the connection was closed" }))
        )
      )
    return Effect.gen(function* () {
      yield* filled
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(running)))
      assert.deepStrictEqual((yield* compactionLines).slice(1), [
        "compaction/call interrupted",
        "compaction/end interrupted"
      ])
    }).pipe(inSession, Effect.provide(exact({ summarise })))
  })

  it.effect("at any point leaves the old surface or the new one, with one end on record [P50]", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      for (let yields = 0; yields < 36; yields++) {
        const slow = slowly(1)
        yield* Effect.gen(function* () {
          yield* filled
          const old = yield* onSurface
          const running = yield* Effect.fork(CompactService.compactNow)
          if (yields > 0) yield* Effect.repeatN(Effect.yieldNow(), yields - 1)
          yield* Fiber.interrupt(running)
          const generation = yield* Surface.generation
          const left = yield* Surface.messages
          if (generation === 0) assert.strictEqual(yield* onSurface, old)
          else assert.deepStrictEqual(left.slice(1).map(Message.text), ["an answer"])
          const lines = yield* compactionLines
          assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>), lines.join())
          outcomes.add(`${generation} ${lines.at(-1)}`)
        }).pipe(
          inSession,
          Effect.provide(
            exact({ log: slow, summarise: () => Effect.as(Effect.repeatN(Effect.yieldNow(), 5), "## Goal") })
          )
        )
      }
      assert.includeMembers([...outcomes], ["0 undefined", "0 compaction/end interrupted", "1 compaction/end landed"])
      assert.strictEqual(outcomes.size, 3)
    })
  )
})

describe("a commit that the log refuses", () => {
  it.effect("is told as that, with its end on record, and nothing is replaced [A136 ATOMIC-1 ATOMIC-5]", () => {
    let full = true
    const log = Layer.provide(
      Testing.layerFaultyLog([{ at: (batch) => full && holds("compaction/summary")(batch), does: "fails" }]),
      LogStore.layerMemory
    )
    return Effect.gen(function* () {
      yield* filled
      const old = yield* onSurface
      assert.deepInclude(yield* Effect.flip(CompactService.compactNow), { _tag: "LogWriteFailed", written: "no" })
      assert.deepStrictEqual((yield* compactionLines).slice(1), ["compaction/call completed", "compaction/end failed"])
      assert.strictEqual(yield* onSurface, old)
      full = false
      assert.strictEqual((yield* CompactService.compactNow)._tag, "Reduced")
    }).pipe(inSession, Effect.provide(exact({ log })))
  })

  for (const lands of [false, true]) {
    it.effect(
      `in doubt (${lands ? "" : "not "}written), is told, ends the writer, and the next open decides [A135 A137]`,
      () => {
        const log = Layer.provide(
          Testing.layerFaultyLog([{ at: holds("compaction/summary"), does: "doubts", lands }]),
          LogStore.layerMemory
        )
        return Effect.gen(function* () {
          const old = yield* Effect.gen(function* () {
            yield* filled
            assert.deepInclude(yield* Effect.flip(CompactService.compactNow), {
              _tag: "LogWriteFailed",
              written: "unknown"
            })
            // whoever writes later is told too, and nothing has moved
            assert.deepInclude(yield* Effect.flip(Surface.append(Message.user("more"))), { written: "unknown" })
            assert.strictEqual(yield* Surface.generation, 0)
            return yield* onSurface
          }).pipe(inSession)
          yield* Effect.gen(function* () {
            assert.strictEqual(yield* Surface.generation, lands ? 1 : 0)
            assert.strictEqual((yield* onSurface) === old, !lands)
            assert.strictEqual(
              (yield* compactionLines).at(-1),
              lands ? "compaction/end landed" : "compaction/end interrupted settled"
            )
            assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>))
          }).pipe(inSession)
        }).pipe(Effect.provide(exact({ log })))
      }
    )
  }
})
