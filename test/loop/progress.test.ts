import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as ModelAdapter from "../../src/layers/ModelAdapter.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import { SessionId } from "../../src/services/SessionId.ts"
import * as Message from "../../src/session/Message.ts"
import { words } from "./world.ts"

const route = { provider: "p", model: "m" }

const session = (summarise: Effect.Effect<Summarizer.Summary, SummaryFailed>) =>
  Session.layerWithoutLoop.pipe(
    Layer.provide([
      LogStore.layerMemory,
      Layer.succeed(SessionId, "s"),
      ModelAdapter.layerInfo(() => ({ window: 10_000 })),
      Summarizer.layerWith(() => summarise)
    ])
  )

const summary = Effect.succeed({ text: "done", usage: { inputTokens: 900, outputTokens: 10, cachedTokens: 800 } })

const fill = Effect.zipRight(
  Surface.append(...Array.from({ length: 8 }, () => Message.user(words(1_100))), Message.user("Go on")),
  OverflowRescue.retry({ envelope: { route }, send: () => Effect.succeed("ok") })
)

const request = OverflowRescue.retry({ envelope: { route }, send: () => Effect.succeed("ok") })

/** What declines while this runs. */
const declined = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const told: Array<CompactService.Declined> = []
    const watching = yield* Effect.fork(
      Stream.runForEach(CompactService.progress, (progress) =>
        Effect.sync(() => progress._tag === "RunDeclined" && told.push(progress.outcome))
      )
    )
    yield* Effect.yieldNow()
    yield* run
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    yield* Fiber.interrupt(watching)
    return told
  })

/** What a run tells, from its start to its end. */
const watched = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const watching = yield* Effect.fork(
      Stream.runCollect(Stream.takeUntil(CompactService.progress, ({ _tag }) => _tag === "RunEnded"))
    )
    yield* Effect.yieldNow()
    yield* run
    return Chunk.toReadonlyArray(yield* Fiber.join(watching))
  })

describe("the progress of a compaction", () => {
  it.effect("is told as it goes on, each value enough for a row [P65]", () =>
    Effect.gen(function* () {
      const told = yield* watched(fill)
      const outcome = told.at(-1)
      assert.deepStrictEqual(
        told.map((progress) => ("rung" in progress ? `${progress._tag} ${progress.rung}` : progress._tag)),
        ["RunStarted", "RungStarted summarise", "RungEnded", "RunEnded"]
      )
      assert.deepInclude(told[0], { trigger: "pressure", target: 8_000, window: 10_000 })
      const [, started, ended] = told
      assert(started?._tag === "RungStarted" && ended?._tag === "RungEnded" && outcome?._tag === "RunEnded")
      assert.deepInclude(ended.landed, { rung: "summarise", first: started.first, last: started.last, generation: 1 })
      assert.isBelow(ended.landed.after, ended.landed.before)
      assert.deepStrictEqual(ended.spent, { inputTokens: 900, outputTokens: 10, cachedTokens: 800 })
      assert.deepInclude(outcome.outcome, {
        _tag: "Reduced",
        trigger: "pressure",
        rungs: ["summarise"],
        landed: [ended.landed],
        before: ended.landed.before,
        after: ended.landed.after,
        spent: ended.spent,
        targetMet: true
      })
    }).pipe(Effect.provide(session(summary)))
  )

  it.effect("a rung that fails is told with its failure, and leaves the sizes as they were", () =>
    Effect.gen(function* () {
      const told = yield* watched(fill)
      const ended = told.find(({ _tag }) => _tag === "RungEnded")
      assert(ended?._tag === "RungEnded")
      assert.deepInclude(ended.failure, { _tag: "SummaryFailed", reason: "model" })
      assert.strictEqual(ended.landed.before, ended.landed.after)
      const outcome = told.at(-1)
      assert(outcome?._tag === "RunEnded")
      assert.deepInclude(outcome.outcome, { _tag: "SummaryFailed" })
    }).pipe(Effect.provide(session(Effect.fail(new SummaryFailed({ reason: "model", detail: "" })))))
  )

  it.effect("an interrupted run ends too", () =>
    Effect.gen(function* () {
      yield* Surface.append(...Array.from({ length: 8 }, () => Message.user(words(100))), Message.user("Go on"))
      yield* OverflowRescue.retry({ envelope: { route }, send: () => Effect.succeed("ok") })
      const told = yield* watched(
        Effect.flatMap(Effect.fork(CompactService.compactNow), (run) =>
          Effect.zipRight(Effect.yieldNow(), Fiber.interrupt(run))
        )
      )
      assert.deepInclude(told.at(-1), { _tag: "RunEnded", trigger: "manual", outcome: undefined })
    }).pipe(Effect.provide(session(Effect.never)))
  )

  it.effect("a crossed trigger for which nothing can be planned is told too, with the numbers [P17]", () =>
    Effect.gen(function* () {
      // one message is all there is, and it stays
      yield* Surface.append(Message.user(words(8_500)))
      const [told] = yield* declined(request)
      assert.include(told, { trigger: "pressure", reason: "no-span", threshold: 8_000, window: 10_000 })
      assert.isAtLeast(told?.surface ?? 0, 8_000)
    }).pipe(Effect.provide(session(summary)))
  )

  it.effect("so is one that its envelope alone crosses, and one by hand without a span [P17]", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("Go on"))
      const large = OverflowRescue.retry({
        envelope: { route, system: words(8_500) },
        send: () => Effect.succeed("ok")
      })
      assert.deepStrictEqual(
        (yield* declined(Effect.zipRight(large, CompactService.compactNow))).map(({ reason }) => reason),
        ["threshold-unreachable", "no-span"]
      )
    }).pipe(Effect.provide(session(summary)))
  )

  it.effect("one that is not crossed tells nothing", () =>
    Effect.gen(function* () {
      yield* Surface.append(Message.user("Go on"))
      assert.deepStrictEqual(yield* declined(request), [])
    }).pipe(Effect.provide(session(summary)))
  )
})
