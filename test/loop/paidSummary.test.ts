import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { Batch } from "../../src/services/LogStore.ts"
import * as Message from "../../src/session/Message.ts"
import { layerFaultyLog, say } from "../../src/testing/index.ts"
import { type Event, readLog, unsettled } from "../properties/reading.ts"
import { exact, script, text } from "./scripted.ts"
import { history, inSession } from "./world.ts"

const holds = (type: Event["type"], times = 1) => {
  let seen = 0
  return ({ events }: Batch) =>
    (events as ReadonlyArray<Event>).some((event) => event.type === type) && ++seen === times
}

/**
 * A session over a store that outlives it, whose summariser numbers its answers: one that the second process gives is told
 * from what the first one paid for.
 */
const makeWorld = Effect.gen(function* () {
  const store = yield* LogStore.makeMemory
  const spans: Array<ReadonlyArray<Message.Message>> = []
  const layer = (log: Layer.Layer<LogStore.LogStore>, options: Parameters<typeof exact>[0] = {}) =>
    exact({
      window: 10_000,
      policy: { retain: 2_000, prune: false },
      log,
      summarise: ({ span }) => Effect.sync(() => `Summary ${spans.push(span)} of ${span.length} messages.`),
      ...options
    })
  const alive = Layer.succeed(LogStore.LogStore, store)
  /** Dies once a batch that `at` finds is written. */
  const dying = (at: (batch: Batch) => boolean) => Layer.provide(layerFaultyLog([{ at, does: "crashes" }]), alive)
  return { store, spans, layer, alive, dying }
})

const fill = Effect.gen(function* () {
  yield* Surface.append(...Array.from({ length: 9 }, (_, i) => Message.user(`Part ${i}. ${text(1_000)}`)))
})

/** The turn of a process that dies behind the record of its summary call. */
const die = (at: ReturnType<typeof holds>, world: Effect.Effect.Success<typeof makeWorld>) =>
  Effect.gen(function* () {
    yield* fill
    yield* script(say("never"))
    yield* Effect.exit(AgentLoop.run("Go on"))
  }).pipe(inSession, Effect.provide(world.layer(world.dying(at))))

const callsOf = (events: ReadonlyArray<Event>) => events.filter((event) => event.type === "compaction/call").length

const resumed = Effect.gen(function* () {
  yield* script(say("done"))
  return yield* AgentLoop.run("Go on, please")
})

describe("a summary that was paid for and recorded before its writer died", () => {
  it.effect("is used by the next compaction, and not paid again [P57]", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      assert.lengthOf(world.spans, 1)
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* resumed).text, "done")
        assert.lengthOf(world.spans, 1, "it was paid again")
        assert.strictEqual(yield* Surface.generation, 1)
        const [checkpoint] = yield* Surface.messages
        assert.include(Message.text(checkpoint!), "Summary 1 of")
        const events = (yield* history) as ReadonlyArray<Event>
        assert.strictEqual(callsOf(events), 1)
        assert.isUndefined(unsettled(events))
        const starts = events.flatMap((event) => (event.type === "compaction/start" ? [event.data] : []))
        assert.deepStrictEqual(
          starts.map(({ paid, rung }) => [rung, paid]),
          [
            ["summarise", true],
            ["reuse", false]
          ]
        )
        const landed = events.find((event) => event.type === "compaction/summary")
        assert.deepInclude(landed?.data, { rung: "reuse", span: { first: 1, last: 7 } })
      }).pipe(inSession, Effect.provide(world.layer(world.alive)))
    })
  )

  it.effect("is said to be used by a plan, spends nothing, and counts neither for nor against resting", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      yield* Effect.gen(function* () {
        const plan = yield* CompactService.plan("pressure")
        assert.deepInclude(plan, { _tag: "Planned", rung: "reuse", first: 1, last: 7 })
        const outcome = yield* CompactService.compactIfNeeded("pressure")
        assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["reuse"], targetMet: true })
        assert.deepInclude(outcome, { spent: { inputTokens: 0, outputTokens: 0 } })
        const { recordedSummary, resting } = yield* (yield* Surface.Surface).state
        assert.isUndefined(recordedSummary)
        assert.strictEqual(resting.size, 0)
      }).pipe(inSession, Effect.provide(world.layer(world.alive)))
    })
  )

  it.effect("is not used once a message of its span is another one", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      yield* Effect.gen(function* () {
        const surface = yield* Surface.Surface
        const { surface: nodes } = yield* surface.state
        const data = { message: Message.user("What was there is shorter now."), source: "context" as const }
        yield* surface.withTicket("manual", "fail", (ticket) =>
          surface.replace(ticket, {
            expected: { surface: nodes },
            spans: [{ first: 4, last: 4, by: { type: "message/user", data } }],
            records: () => ({ before: [], after: [] })
          })
        )
        assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Planned", rung: "summarise" })
      }).pipe(inSession, Effect.provide(world.layer(world.alive)))
    })
  )

  it.effect("is not used where the policy asks another model", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      const policy = {
        retain: 2_000,
        prune: false as const,
        summary: { route: { provider: "script", model: "other" } }
      }
      yield* Effect.gen(function* () {
        yield* resumed
        assert.lengthOf(world.spans, 2)
        assert.include(Message.text((yield* Surface.messages)[0]!), "Summary 2 of")
      }).pipe(inSession, Effect.provide(world.layer(world.alive, { policy })))
    })
  )

  it.effect("is not used for what has to stay now", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      yield* Effect.gen(function* () {
        const plan = yield* CompactService.plan("pressure")
        assert.deepInclude(plan, { _tag: "Planned", rung: "summarise" })
      }).pipe(inSession, Effect.provide(world.layer(world.alive, { policy: { retain: 5_000, prune: false } })))
    })
  )

  it.effect("stands for a region that was chosen by hand, if it is exactly that one", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* Effect.gen(function* () {
        yield* (yield* Surface.Surface).commit(() => [
          { type: "request/envelope", data: { envelope: { route: { provider: "script", model: "script" } } } }
        ])
        yield* fill
        yield* Effect.exit(CompactService.compactRegion(3, 5))
      }).pipe(inSession, Effect.provide(world.layer(world.dying(holds("compaction/call")))))
      assert.lengthOf(world.spans, 1)
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* CompactService.compactRegion(3, 5), { _tag: "Reduced", rungs: ["reuse"] })
        assert.lengthOf(world.spans, 1)
      }).pipe(inSession, Effect.provide(world.layer(world.alive)))
      assert.isUndefined(unsettled(yield* readLog(world.store, "s")))
    })
  )

  it.effect("and whose use is cut off by another death is used by the one after", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld
      yield* die(holds("compaction/call"), world)
      // behind the start of the run that uses it
      yield* Effect.exit(resumed).pipe(inSession, Effect.provide(world.layer(world.dying(holds("compaction/start")))))
      yield* Effect.gen(function* () {
        yield* resumed
        assert.lengthOf(world.spans, 1)
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(inSession, Effect.provide(world.layer(world.alive)))
    })
  )
})
