import * as SurfaceState from "../../src/session/SurfaceState.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { Rung } from "../../src/services/CompactService.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { Crash, layerCrashing } from "./crash.ts"
import { gateway, shown, shownTwo } from "./gateway.ts"
import {
  arrived,
  asked,
  Failures,
  history,
  inSession,
  layerSession,
  Logged,
  long,
  next,
  onSurface,
  type Options,
  provider,
  sent,
  tool,
  turnEvents,
  turnLines,
  words
} from "./world.ts"

const { call, on, say, stall, status } = Testing.SimulatedProvider

const tooLarge = on("conversation", status(413, "<html>413 Request Entity Too Large</html>"))
const tooLong = on(
  "conversation",
  status(400, {
    error: {
      message: "This model's maximum context length is 20000 tokens. However, your messages resulted in 21000 tokens.",
      code: "context_length_exceeded"
    }
  })
)

const reasons = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "rescue/end" ? [event.data.reason ?? event.data.outcome] : []))
)

describe("a refusal for bytes, through the loop and over HTTP", () => {
  it.live("drops the oldest images for names, and sends again once, without a summary [A125 P10 OPPOSITES-5b]", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* next(say("done"))
      const events = yield* turnEvents(`Compare them. ${words(300)}`)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["StepStarted", "StepDiscarded", "Compacted", "StepStarted", "TextDelta", "TurnEnd"]
      )
      assert.deepInclude(events[2], { trigger: "context-overflow", rungs: ["drop-media"], generation: 1 })
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation too-large", "conversation answered"])
      const requests = yield* (yield* provider).requests
      assert.isBelow(requests[3]?.byteLength ?? Infinity, requests[2]?.byteLength ?? 0)
      // the oldest went, the newer one is still seen
      const again = yield* sent(3)
      assert.notInclude(again, "A".repeat(100))
      assert.include(again, "B".repeat(5_000))
      assert.include(again, "[image (image/png, 10500 bytes) was taken out")
      assert.deepStrictEqual(yield* turnLines, [
        "turn/start 2",
        "message/user prompt",
        "step/start 0",
        "step/end 0 refused",
        "compaction/prune",
        "message/user prompt",
        "rescue/end retry",
        "step/start 1",
        "message/assistant",
        "step/end 1 completed",
        "turn/end 2 completed"
      ])
      const log = yield* history
      const ends = log.flatMap((event) => (event.type === "step/end" ? [event.data] : []))
      assert.deepInclude(ends[2], { outcome: "refused", unit: "bytes" })
      assert.strictEqual(ends[2]?.error?.tag, "PayloadTooLarge")
      const pruned = log.find((event) => event.type === "compaction/prune")
      const bytes = pruned?.type === "compaction/prune" ? pruned.data.bytes : undefined
      assert.isBelow(bytes?.after ?? Infinity, bytes?.before ?? 0)
      // the original is where the placeholder says
      const seq = Number(/original is seq (\d+)/.exec(again)?.[1])
      assert.include(JSON.stringify(log.find((event) => event.seq === seq)), "A".repeat(14_000))
    }).pipe(inSession, Effect.provide(gateway()))
  )

  it.live("says nothing of the window", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* next(say("done"))
      yield* AgentLoop.run(words(2_000))
      const { refusals, routes } = yield* (yield* Surface.Surface).state
      assert.isTrue([...routes.values()].every(({ limit }) => limit === undefined))
      assert.strictEqual(refusals, 0)
    }).pipe(inSession, Effect.provide(gateway()))
  )

  it.live("a second one in the same chain is the caller's, the same value [MEDIA-4]", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* next(tooLarge, tooLarge)
      const error = yield* Effect.flip(AgentLoop.run("Compare them."))
      assert.isTrue(error === (yield* Failures).at(-1))
      assert.strictEqual(error._tag, "PayloadTooLarge")
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation faulted", "conversation faulted"])
      assert.deepStrictEqual(yield* reasons, ["retry"])
      // the next turn has its one again
      yield* next(tooLarge)
      yield* Effect.flip(AgentLoop.run("And now?"))
      assert.strictEqual((yield* (yield* Surface.Surface).state).byteRefusals, 0)
    }).pipe(inSession, Effect.provide(gateway({ policy: { maxOverflowRetries: 3 } })))
  )

  it.live(
    "of a newest message that is too large by itself: no other call, and the record says why [MEDIA-3 MEDIA-6]",
    () =>
      Effect.gen(function* () {
        yield* next(say("seen"))
        yield* AgentLoop.run(shown("A", 800))
        const error = yield* Effect.flip(AgentLoop.run(shown("B", 40_000)))
        assert.isTrue(error === (yield* Failures)[0])
        assert.deepStrictEqual((yield* asked).slice(1), ["conversation too-large"])
        assert.strictEqual(yield* Surface.generation, 0)
        assert.deepStrictEqual(yield* reasons, ["unit-too-large"])
        // with the next prompt it is no longer what is asked about
        yield* next(say("gone on"))
        assert.strictEqual((yield* AgentLoop.run("Never mind.")).text, "gone on")
        assert.notInclude(yield* onSurface, "B".repeat(100))
      }).pipe(inSession, Effect.provide(gateway()))
  )

  it.live("where there is only text: no summary, no other call, and the record says why", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say(long(1_500)))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run("second")
      const error = yield* Effect.flip(AgentLoop.run(words(1_500)))
      assert.strictEqual(error._tag, "PayloadTooLarge")
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation too-large"])
      assert.deepStrictEqual(yield* reasons, ["no-media"])
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(gateway()))
  )

  it.live("on a route whose requests carry no images, none is dropped in vain", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say("seen"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run(shown("A", 90_000))
      yield* Effect.flip(AgentLoop.run(words(3_000)))
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation too-large"])
      assert.deepStrictEqual(yield* reasons, ["no-media"])
      assert.include(yield* onSurface, "A".repeat(90_000))
    }).pipe(inSession, Effect.provide(gateway({ quirks: {} })))
  )

  it.live("where rescue is off it is the caller's, for bytes as for tokens", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* Effect.flip(AgentLoop.run(words(2_000)))
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation too-large"])
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(gateway({ policy: { maxOverflowRetries: 0 } })))
  )

  it.live("where the policy does nothing about overflows, it does nothing here", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* Effect.flip(AgentLoop.run(words(2_000)))
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation too-large"])
      assert.deepStrictEqual(yield* reasons, ["off"])
    }).pipe(inSession, Effect.provide(gateway({ policy: { auto: { contextOverflow: false } } })))
  )
})

describe("the one retry for bytes and the attempts for tokens", () => {
  const ancient = Effect.gen(function* () {
    yield* next(call(Message.toolCall("c1", "read", {})), say("read"))
    yield* AgentLoop.run("Read")
    // whatever goes first, there is something left to drop
    yield* next(say("seen"), say("seen"))
    yield* AgentLoop.run(shown("A", 60_000))
    yield* AgentLoop.run(shown("B", 8_000))
  })
  // a prune is enough for the tokens, and leaves the image where it is
  const options: Options = {
    byteLimit: 1_000_000,
    policy: { maxOverflowRetries: 1 },
    tools: { read: tool(() => Effect.succeed(words(3_000))) }
  }

  for (const [what, refusals] of [
    ["bytes, then tokens", [tooLarge, tooLong]],
    ["tokens, then bytes", [tooLong, tooLarge]]
  ] as const) {
    it.live(`${what}: neither uses up the other's`, () =>
      Effect.gen(function* () {
        yield* ancient
        yield* next(...refusals, say("done"))
        assert.strictEqual((yield* AgentLoop.run("Go on")).text, "done")
        assert.deepStrictEqual(yield* reasons, ["retry", "retry"])
      }).pipe(inSession, Effect.provide(gateway(options)))
    )
  }

  for (const [what, refusals, tag] of [
    ["an attempt for tokens", [tooLong, tooLarge, tooLong], "ContextWindowExceeded"],
    ["the one for bytes", [tooLarge, tooLong, tooLarge], "PayloadTooLarge"]
  ] as const) {
    it.live(`${what} is not refilled by the other's`, () =>
      Effect.gen(function* () {
        yield* ancient
        yield* next(...refusals, say("never said"))
        assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, tag)
        assert.deepStrictEqual(yield* reasons, ["retry", "retry"])
        assert.include(yield* onSurface, "B".repeat(8_000))
      }).pipe(inSession, Effect.provide(gateway(options)))
    )
  }

  it.live("a crash does not refill it, and neither does reopening", () => {
    const log = layerCrashing()
    return Effect.gen(function* () {
      const turn = yield* Effect.gen(function* () {
        yield* shownTwo
        yield* next(tooLarge, on("conversation", stall()))
        yield* AgentLoop.run("Go on")
      }).pipe(inSession, Effect.forkDaemon)
      // the retry is out: two answers, a refusal, the retry
      yield* arrived(3)
      yield* Effect.flatten(Crash)
      yield* Fiber.interrupt(turn)
      yield* Effect.gen(function* () {
        const state = yield* (yield* Surface.Surface).state
        assert.deepInclude(state, { byteRefusals: 1, refusals: 0 })
        // there is another image to drop, and yet
        yield* next(tooLarge)
        assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, "PayloadTooLarge")
        assert.deepStrictEqual((yield* asked).slice(4), ["conversation faulted"])
        assert.include(yield* onSurface, "B".repeat(5_000))
        assert.strictEqual((yield* (yield* Surface.Surface).state).byteRefusals, 0)
      }).pipe(inSession)
    }).pipe(Effect.provide(Layer.merge(gateway({ log }), log)))
  })
})

describe("rungs for bytes that lie", () => {
  const forBytes = (rung: Rung): Rung => ({ ...rung, reduces: "bytes" })
  const rungs = (...of: ReadonlyArray<Rung>) =>
    layerSession(CompactService.layerWith({ rungs: () => of.map(forBytes) }))

  const refusedOnce = Effect.gen(function* () {
    yield* shownTwo
    yield* next(tooLarge, say("done"))
    return yield* Effect.either(AgentLoop.run("Go on"))
  })

  for (const lie of [
    "nothing-changed",
    "fails",
    "dies",
    "interrupts-itself",
    "does-not-shrink",
    "forges-a-ticket"
  ] as const) {
    it.live(`${lie}: nothing moved, so nothing is sent again`, () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* refusedOnce, { _tag: "Left" })
        assert.lengthOf(yield* asked, 3)
        assert.strictEqual(yield* Surface.generation, 0)
      }).pipe(Effect.provide(rungs(Testing.lyingRung(lie))), Effect.provide(gateway()))
    )
  }

  it.live("a rung that fails after the images went: what it landed is the evidence", () =>
    Effect.gen(function* () {
      yield* refusedOnce
      assert.deepStrictEqual((yield* asked).slice(2), ["conversation faulted", "conversation answered"])
      assert.isNotEmpty(yield* (yield* Logged).warnings)
    }).pipe(
      Effect.provide(
        layerSession(
          CompactService.layerWith({
            rungs: (defaults) => [
              forBytes(Testing.lyingRung("dies")),
              ...defaults.filter(({ name }) => name === "drop-media"),
              forBytes(Testing.lyingRung("fails"))
            ]
          })
        )
      ),
      Effect.provide(gateway())
    )
  )

  /** Fewer tokens and more bytes: no evidence where bytes are the matter. */
  const heavier: Rung = {
    name: "heavier",
    paid: false,
    propose: ({ state }) => ({
      first: state.newest,
      last: state.newest,
      price: 0,
      why: "an image is cheap in tokens",
      attempt: ({ situation, ticket }) =>
        Effect.flatMap(Surface.Surface, (surface) => {
          const first = SurfaceState.nodeAt(situation.state.surface, 0)
          return surface.replace(ticket, {
            expected: { surface: situation.state.surface },
            spans: [
              {
                first: first?.seq ?? 0,
                last: first?.seq ?? 0,
                by: { type: "message/user", data: { message: shown("C", 60_000), source: "context" } }
              }
            ],
            records: () => ({ before: [], after: [] })
          })
        })
    })
  }

  it.live("a replacement with fewer tokens and more bytes is no evidence", () =>
    Effect.gen(function* () {
      yield* next(say("seen"), tooLarge, say("never said"))
      yield* AgentLoop.run(words(9_000))
      assert.strictEqual((yield* Effect.flip(AgentLoop.run("Go on")))._tag, "PayloadTooLarge")
      assert.lengthOf(yield* asked, 2)
      assert.strictEqual(yield* Surface.generation, 1)
      assert.deepStrictEqual(yield* reasons, ["not-smaller"])
    }).pipe(Effect.provide(rungs(heavier)), Effect.provide(gateway({ byteLimit: 1_000_000 })))
  )

  it.live("an interruption while one hangs: no retry, and the turn is closed", () =>
    Effect.gen(function* () {
      const turn = yield* Effect.fork(refusedOnce)
      yield* arrived(2)
      const { openTicket } = yield* Surface.Surface
      yield* openTicket.pipe(Effect.delay("2 millis"), Effect.repeat({ until: (ticket) => ticket !== undefined }))
      yield* Fiber.interrupt(turn)
      assert.lengthOf(yield* asked, 3)
      assert.include((yield* turnLines).at(-1), "interrupted")
    }).pipe(Effect.provide(rungs(Testing.lyingRung("hangs"))), Effect.provide(gateway()))
  )
})

describe("what a run for bytes would do", () => {
  const refusedForBytes = Effect.flatMap(Surface.Surface, (surface) =>
    surface.commit((state) => [
      { type: "step/start", data: { turn: null, step: state.step + 1, generation: state.surface.generation } },
      { type: "step/end", data: { turn: null, step: state.step + 1, outcome: "refused", unit: "bytes" } }
    ])
  )

  it.live("the plan and the run agree, and name what bytes are at stake", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* Surface.append(Message.user("Go on"))
      yield* refusedForBytes
      const plan = yield* CompactService.plan("context-overflow")
      assert.deepInclude(plan, { _tag: "Planned", rung: "drop-media" })
      const outcome = yield* CompactService.compactIfNeeded("context-overflow")
      assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["drop-media"], generation: 1, targetMet: true })
      // a run by hand, or under pressure, has nothing to do with it
      assert.deepInclude(yield* CompactService.plan("pressure"), { reason: "below-threshold" })
      yield* Surface.append(shown("B", 90_000))
      yield* refusedForBytes
      const declined = yield* CompactService.compactIfNeeded("context-overflow")
      assert.deepInclude(declined, { _tag: "Declined", reason: "unit-too-large" })
      assert.isAbove((declined._tag === "Declined" ? declined.bytes?.newest : undefined) ?? 0, 90_000)
    }).pipe(inSession, Effect.provide(gateway()))
  )
})
