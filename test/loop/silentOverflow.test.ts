import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RouteFacts from "../../src/compaction/RouteFacts.ts"
import { EmptyResponse, InvalidRequest, PayloadTooLarge } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import { ModelAdapter, type ModelInfo, type ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import type { FinishReason } from "../../src/session/SessionEvent.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, script, text } from "./scripted.ts"
import { asked, history, inSession, Logged, logLines, long, next, onSurface, turnEvents, world } from "./world.ts"

const { route } = Testing

/** A route whose window of so many tokens comes from there. */
const windowFrom = (
  source: ModelInfo["source"],
  window: number | undefined,
  options: Parameters<typeof exact>[0] = {}
) =>
  Layer.provideMerge(
    Layer.effect(
      ModelAdapter,
      Effect.map(ModelAdapter, (scripted) => ({
        ...scripted,
        modelInfo: () =>
          Effect.succeed(window === undefined ? Option.none<ModelInfo>() : Option.some({ window, source }))
      }))
    ),
    exact(options)
  )

const answered = (
  said: string,
  inputTokens: number,
  more: { readonly finish?: FinishReason; readonly outputTokens?: number } = {}
) => ({
  message: Message.assistant(said === "" ? [] : said),
  finish: more.finish ?? ("stop" as const),
  usage: { inputTokens, outputTokens: more.outputTokens ?? 1 }
})

/** Ten exchanges of 600 tokens each. */
const filled = Surface.append(
  ...Array.from({ length: 10 }, () => [Message.user(text(200)), Message.assistant(text(400))]).flat()
)
const tagsOf = (prompt: string) => Effect.map(turnEvents(prompt), (events) => events.map(({ _tag }) => _tag))
const refusals = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "step/end" && event.data.outcome === "refused" ? [event.data] : []))
)

describe("an answer to more input than the window", () => {
  it.effect("that the provider stated in a refusal is an overflow, and rescued [A121 P8]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(Testing.overflow({ limit: 5_000, requested: 6_020 }), answered("one", 1_000))
      yield* AgentLoop.run("first")
      yield* filled
      yield* script(answered("not to be trusted", 5_001), answered("two", 900))
      const events = yield* turnEvents("second")
      assert.includeMembers(
        events.map(({ _tag }) => _tag),
        ["StepDiscarded", "Compacted"]
      )
      assert.deepInclude(events.at(-1), { _tag: "TurnEnd", text: "two" })
      assert.notInclude(yield* onSurface, "not to be trusted")
      const [, silent] = yield* refusals
      assert.deepInclude(silent, {
        limit: 5_000,
        requested: 5_001,
        usage: { inputTokens: 5_001, outputTokens: 1 }
      })
      assert.strictEqual(silent?.error?.tag, "ContextWindowExceeded")
    }).pipe(inSession, Effect.provide(windowFrom("explicit", undefined, { policy: { auto: { pressure: false } } })))
  )

  it.effect("that was discovered is one too [A121]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(answered("not to be trusted", 6_500), answered("two", 900))
      assert.include(yield* tagsOf("go on"), "StepDiscarded")
      assert.notInclude(yield* onSurface, "not to be trusted")
    }).pipe(inSession, Effect.provide(windowFrom("discovered", 6_400, { policy: { auto: { pressure: false } } })))
  )

  it.effect("is the turn's error if nothing gets smaller, and none where rescue is off", () =>
    Effect.gen(function* () {
      yield* script(answered("of a single message", 6_500))
      const error = yield* Effect.flip(AgentLoop.run("go on"))
      assert.deepInclude(error, { _tag: "ContextWindowExceeded", limit: 6_400, requested: 6_500 })
      assert.include(error.message, "6500 tokens requested, limit 6400")
    }).pipe(
      inSession,
      Effect.provide(windowFrom("discovered", 6_400)),
      Effect.zipRight(
        Effect.gen(function* () {
          yield* script(answered("kept", 6_500))
          assert.strictEqual((yield* AgentLoop.run("go on")).text, "kept")
        }).pipe(inSession, Effect.provide(windowFrom("discovered", 6_400, { policy: { maxOverflowRetries: 0 } })))
      )
    )
  )

  it.effect("that a stale row has too large costs one refusal, and too small costs none [WINDOW-2]", () => {
    const ask = Effect.gen(function* () {
      for (let i = 0; i < 6; i++) {
        yield* Surface.append(Message.user(text(400)), Message.assistant(text(600)))
        yield* AgentLoop.run("go on")
      }
    })
    const model = (real: number) => (request: ModelRequest) => {
      const size = request.messages.reduce((sum, message) => sum + Message.text(message).length, 0)
      return size > real
        ? Effect.fail(Testing.overflow({ limit: real, requested: size }))
        : Effect.succeed(answered("ok", size))
    }
    const large = Effect.gen(function* () {
      yield* script(...Array.from({ length: 9 }, () => model(3_000)))
      yield* ask
      assert.lengthOf(yield* refusals, 1)
    })
    const small = Effect.gen(function* () {
      yield* Surface.append(Message.user(text(2_500)))
      yield* script(...Array.from({ length: 9 }, () => model(8_000)))
      // the one unit that cannot be made smaller goes out above the row, and is answered
      yield* AgentLoop.run("go on")
      const { routes } = yield* Effect.flatMap(Surface.Surface, ({ state }) => state)
      assert.strictEqual(RouteFacts.windowOf([...routes.values()][0]!, 2_000), 2_505)
      assert.lengthOf(yield* refusals, 0)
    })
    return Effect.zipRight(
      large.pipe(inSession, Effect.provide(windowFrom("preset", 6_000))),
      small.pipe(inSession, Effect.provide(windowFrom("preset", 2_000, { policy: { auto: { pressure: false } } })))
    )
  })

  for (const source of ["explicit", "preset"] as const) {
    it.effect(`that is ${source} is kept, raises the window, and is warned about once [A121]`, () =>
      Effect.gen(function* () {
        yield* filled
        yield* script(answered("one", 6_500))
        const events = yield* turnEvents("go on")
        assert.deepInclude(events, {
          _tag: "WindowLearned",
          step: 0,
          reason: "answered-above",
          counted: 6_500,
          believed: 6_400,
          window: 6_500
        })
        assert.deepInclude(events.at(-1), { _tag: "TurnEnd", text: "one" })
        assert.lengthOf(yield* refusals, 0)
        yield* script(answered("two", 6_900))
        assert.notInclude(yield* tagsOf("and on"), "WindowLearned")
      }).pipe(inSession, Effect.provide(windowFrom(source, 6_400, { policy: { auto: { pressure: false } } })))
    )
  }

  it.effect("where no window is known is a stop [A121]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(answered("one", 6_500_000))
      assert.deepStrictEqual(yield* tagsOf("go on"), ["StepStarted", "TextDelta", "TurnEnd"])
    }).pipe(inSession, Effect.provide(windowFrom("explicit", undefined)))
  )

  it.effect("that calls tools is kept: it read enough to go on", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(
        {
          message: Message.assistant([Message.toolCall("a", "none", {})]),
          usage: { inputTokens: 6_500, outputTokens: 1 }
        },
        answered("two", 900)
      )
      assert.notInclude(yield* tagsOf("go on"), "StepDiscarded")
    }).pipe(inSession, Effect.provide(windowFrom("discovered", 6_400, { policy: { auto: { pressure: false } } })))
  )
})

describe("an answer without anything in it", () => {
  const empty = new EmptyResponse({ route, detail: "no content" })
  const quiet = { policy: { auto: { pressure: false } } }

  it.effect("from a window that is full is an overflow [SUBAGENT-3]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(empty, answered("two", 900))
      assert.deepInclude((yield* turnEvents("go on")).at(-1), { text: "two" })
      assert.strictEqual((yield* refusals)[0]?.error?.tag, "EmptyResponse")
    }).pipe(inSession, Effect.provide(windowFrom("explicit", 6_000, quiet)))
  )

  it.effect("is the provider's own error if nothing gets smaller", () =>
    Effect.gen(function* () {
      yield* script(empty)
      assert.isTrue((yield* Effect.flip(AgentLoop.run(text(6_000)))) === empty)
    }).pipe(inSession, Effect.provide(windowFrom("explicit", 6_000, { policy: { auto: false } })))
  )

  it.effect("from one with room, or of which nothing is known, is none", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(empty)
      assert.isTrue((yield* Effect.flip(AgentLoop.run("go on"))) === empty)
      assert.lengthOf(yield* refusals, 0)
    }).pipe((effect) =>
      Effect.zipRight(
        effect.pipe(inSession, Effect.provide(windowFrom("explicit", 60_000, quiet))),
        effect.pipe(inSession, Effect.provide(windowFrom("explicit", undefined, quiet)))
      )
    )
  )

  it.effect("that stopped for its length at the edge of a learned window is one [P8]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(Testing.overflow({ limit: 5_000 }), answered("one", 1_000))
      yield* AgentLoop.run("first")
      yield* filled
      yield* script(answered("", 4_990, { finish: "length", outputTokens: 0 }), answered("two", 900))
      assert.deepInclude((yield* turnEvents("go on")).at(-1), { text: "two" })
      assert.deepInclude((yield* refusals)[1], { limit: 5_000, limitCounts: "input-and-output", requested: 4_990 })
    }).pipe(inSession, Effect.provide(windowFrom("explicit", undefined, quiet)))
  )
})

describe("a refusal without words", () => {
  for (const [what, error] of [
    ["400", new InvalidRequest({ route, status: 400, detail: "" })],
    ["400 inside of another", new InvalidRequest({ route, status: 400, detail: "Error: 400 status code (no body)" })],
    ["413", new PayloadTooLarge({ route, status: 413, detail: "" })]
  ] as const) {
    it.effect(`(${what}) near the window is probably an overflow, and far below it none [CLASSIFY-2]`, () => {
      const near = Effect.gen(function* () {
        yield* filled
        yield* script(error, answered("two", 900))
        assert.deepInclude((yield* turnEvents("go on")).at(-1), { text: "two" })
        assert.include(yield* logLines, "compaction/summary")
      })
      const far = Effect.gen(function* () {
        yield* filled
        yield* script(error)
        assert.isTrue((yield* Effect.flip(AgentLoop.run("go on"))) === error)
        assert.notInclude(yield* logLines, "compaction/summary")
      })
      const policy = { auto: { pressure: false } }
      return Effect.zipRight(
        near.pipe(inSession, Effect.provide(windowFrom("explicit", 4_600, { policy }))),
        far.pipe(inSession, Effect.provide(windowFrom("explicit", 60_000, { policy })))
      )
    })
  }

  it.effect("is one of those only where it says nothing", () =>
    Effect.gen(function* () {
      yield* filled
      const error = new InvalidRequest({ route, status: 400, detail: "tools.0.name: must not be empty" })
      yield* script(error)
      assert.isTrue((yield* Effect.flip(AgentLoop.run("go on"))) === error)
      assert.lengthOf(yield* refusals, 0)
    }).pipe(inSession, Effect.provide(windowFrom("explicit", 6_000, { policy: { auto: { pressure: false } } })))
  )
})

describe("over HTTP", () => {
  const { empty, on, refuse, say } = SimulatedProvider
  const policy = { auto: { pressure: false } }

  it.live("an answer above the window that a refusal stated is rescued, also after a reopen [A121 P8]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), say(long(1_500)), on("conversation", refuse), say(long(900)))
      yield* inSession(Effect.forEach(["first", "second", "third"], (prompt) => AgentLoop.run(prompt)))
      yield* next(say("not to be trusted", { usage: { input: 9_000 } }), say("done"))
      yield* Effect.gen(function* () {
        const events = yield* turnEvents("fourth")
        assert.include(
          events.map(({ _tag }) => _tag),
          "StepDiscarded"
        )
        assert.deepInclude(events.at(-1), { text: "done" })
        assert.notInclude(yield* onSurface, "not to be trusted")
        assert.strictEqual((yield* refusals)[1]?.requested, 9_000)
      }).pipe(inSession)
    }).pipe(Effect.provide(world({ told: null, window: 20_000, policy })))
  )

  it.live("so is an empty one from a window that is full [SUBAGENT-3]", () =>
    Effect.gen(function* () {
      yield* next(say(long(1_500)), empty, say("done"))
      yield* AgentLoop.run("first")
      assert.deepInclude((yield* turnEvents("second")).at(-1), { text: "done" })
      assert.strictEqual((yield* refusals)[0]?.error?.tag, "EmptyResponse")
    }).pipe(inSession, Effect.provide(world({ told: 1_500, window: 20_000, policy })))
  )
})

describe("a server that drops what does not fit, through the loop and over HTTP", () => {
  const { say } = SimulatedProvider
  const server = { told: 100_000, window: 4_000, truncates: true }

  it.live("is found, told once, and pressure works with what it counts from then on, after a reopen too [P12]", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const ask = (i: number) =>
        Effect.gen(function* () {
          yield* next(say(long(150, `answer${i}`)))
          for (const event of yield* turnEvents(`Question ${i}. ${long(400, "detail")}`)) {
            if (event._tag === "WindowLearned") seen.push(event.reason)
            if (event._tag === "Compacted") seen.push(event.trigger)
          }
        })
      yield* inSession(
        Effect.forEach(
          Array.from({ length: 14 }, (_, i) => i),
          ask
        )
      )
      assert.deepStrictEqual(seen.slice(0, 2), ["truncated", "pressure"])
      const warnings = yield* Effect.flatMap(Logged, (log) => log.warnings)
      assert.lengthOf(
        warnings.filter((warning) => warning.includes("drops what does not fit and says nothing")),
        1
      )
      const provider = yield* SimulatedProvider.SimulatedProvider
      const before = (yield* provider.requests).length
      yield* inSession(Effect.forEach([14, 15, 16, 17, 18, 19], ask))
      assert.notInclude(seen.slice(1), "truncated")
      assert.isAtLeast(seen.filter((what) => what === "pressure").length, 2)
      // nothing is dropped any more
      for (const { inputTokens, kind } of (yield* provider.requests).slice(before)) {
        if (kind === "conversation") assert.isAtMost(inputTokens, 4_000)
      }
      assert.isFalse((yield* asked).includes("conversation refused"))
    }).pipe(Effect.provide(world(server)))
  )
})

describe("around a client that is not ours", () => {
  interface Reply {
    readonly text: string
    readonly tokens: number
  }
  const client = (...replies: ReadonlyArray<Reply | { readonly limit: number }>) => {
    const left = [...replies]
    const learned: Array<OverflowRescue.LearnedWindow> = []
    const ask = OverflowRescue.retry({
      envelope: { route },
      send: () =>
        Effect.suspend(() => {
          const reply = left.shift()!
          return "limit" in reply ? Effect.fail(reply) : Effect.succeed(reply)
        }),
      overflow: ({ limit }) => Option.some({ limit }),
      usage: ({ tokens }) => ({ inputTokens: tokens, outputTokens: 1 }),
      learned: (window) => Effect.sync(() => learned.push(window))
    })
    return { ask, learned, left }
  }

  it.effect("an answer above a stated window is asked for again", () =>
    Effect.gen(function* () {
      yield* filled
      const { ask, left } = client(
        { limit: 5_000 },
        { text: "one", tokens: 900 },
        { text: "not to be trusted", tokens: 5_200 },
        { text: "two", tokens: 800 }
      )
      assert.strictEqual((yield* ask).text, "one")
      yield* filled
      assert.strictEqual((yield* ask).text, "two")
      assert.lengthOf(left, 0)
    }).pipe(inSession, Effect.provide(exact({ policy: { auto: { pressure: false } } })))
  )

  it.effect("and given up, it comes out: errors are the client's own, and there is none", () =>
    Effect.gen(function* () {
      yield* filled
      const { ask } = client(
        { limit: 5_000 },
        { text: "one", tokens: 900 },
        { text: "kept", tokens: 5_200 },
        { text: "two", tokens: 700 }
      )
      yield* ask
      yield* filled
      const compact = yield* CompactService.CompactService
      const broken = Effect.provideService(ask, CompactService.CompactService, {
        ...compact,
        compactIfNeeded: () => Effect.die("out of order")
      })
      assert.strictEqual((yield* broken).text, "kept")
      assert.deepStrictEqual((yield* logLines).slice(-2), ["step/end 2 refused", "rescue/end declined"])
      assert.strictEqual((yield* ask).text, "two")
    }).pipe(inSession, Effect.provide(exact({ policy: { auto: { pressure: false } } })))
  )

  it.effect("a server that drops text is told", () =>
    Effect.gen(function* () {
      const { ask, learned } = client({ text: "one", tokens: 3_000 }, { text: "two", tokens: 2_051 })
      yield* Surface.append(Message.user(text(3_000)))
      yield* ask
      yield* Surface.append(Message.user(text(3_000)))
      yield* ask
      assert.deepStrictEqual(learned, [{ reason: "truncated", counted: 2_051, sent: 6_000, window: 3_000 }])
    }).pipe(inSession, Effect.provide(exact()))
  )
})
