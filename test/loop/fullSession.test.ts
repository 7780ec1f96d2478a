import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as TokenMeter from "../../src/layers/TokenMeter.ts"
import * as Message from "../../src/session/Message.ts"
import { brokenPair } from "../properties/reading.ts"
import { conversations, counting, Heard, route, summaries } from "./countingModel.ts"
import { text } from "./scripted.ts"
import { inSession, tool } from "./world.ts"

/** Turns of 8,000 tokens, as many as that. */
const turns = (count: number) =>
  Surface.append(
    ...Array.from({ length: count }, (_, i) => [
      Message.user(`Question ${i}. ${text(3_000)}`),
      Message.assistant(`Answer ${i}. ${text(4_975)}`)
    ]).flat()
  )

const fits = Effect.map(Heard, (heard) => heard.filter(({ refused }) => refused).length === 0)

/** Reads one file. */
const read = (id: string) => Message.assistant([Message.toolCall(id, "read", {})])

describe("a session that is full", () => {
  it.effect("by a result that came last: pressure knows it, and no request is too large [SUMREQ-1]", () =>
    Effect.gen(function* () {
      yield* turns(14)
      yield* Surface.append(Message.user(text(5_000)))
      yield* (yield* Surface.Surface).commit(() => [{ type: "request/envelope", data: { envelope: { route } } }])
      yield* (yield* TokenMeter.TokenMeter).report(0, { inputTokens: 117_322, outputTokens: 1 })
      assert.strictEqual((yield* AgentLoop.run("Read it")).text, "ok")
      // then 10,162 came
      assert.isAbove((yield* conversations)[0]!.size, 116_000)
      assert.isTrue(yield* fits)
      assert.lengthOf(yield* summaries, 1)
      assert.isBelow((yield* conversations)[1]!.size, 117_000)
    }).pipe(
      inSession,
      Effect.provide(
        counting({
          windows: { m: 121_600 },
          policy: { threshold: 0.97 },
          answers: [read("a")],
          tools: { read: tool(() => Effect.succeed(text(10_162))) }
        })
      )
    )
  )

  for (const [what, count, factor] of [
    ["exactly", 32, 1],
    ["and a fifth over", 39, 1],
    ["by a model that counts more", 32, 1.2]
  ] as const) {
    it.effect(`${what}: compaction succeeds, and the session goes on [SUMREQ-2]`, () =>
      Effect.gen(function* () {
        yield* turns(count)
        for (const answer of ["go on", "and on"]) assert.strictEqual((yield* AgentLoop.run(answer)).text, "ok")
        assert.isAtLeast(yield* Surface.generation, 1)
        // of the model that counts more the first request may find out
        assert.isAtMost((yield* Heard).filter(({ refused }) => refused).length, factor === 1 ? 0 : 1)
        for (const { request } of yield* Heard) assert.isUndefined(brokenPair(request.messages))
      }).pipe(inSession, Effect.provide(counting({ windows: { m: 258_000 }, factor })))
    )
  }

  it.effect("of a limit that another error states: the summary request keeps to it [SUMREQ-3 CLASSIFY-5]", () =>
    Effect.gen(function* () {
      yield* turns(26)
      assert.strictEqual((yield* Effect.flip(AgentLoop.run("go on")))._tag, "RateLimited")
      assert.strictEqual(yield* Surface.generation, 0)
      assert.strictEqual((yield* AgentLoop.run("again")).text, "ok")
      assert.deepStrictEqual(
        (yield* Heard).map(({ kind, refused }) => `${kind} ${refused ? "refused" : "answered"}`),
        ["conversation refused", "summary answered", "summary answered", "conversation answered"]
      )
    }).pipe(
      inSession,
      Effect.provide(
        counting({
          windows: { m: 200_000 },
          told: { m: 1_000_000 },
          asRateLimit: true,
          policy: { retain: 2_000 }
        })
      )
    )
  )

  it.effect("of three enormous results: one call makes it usable [SUMREQ-5]", () =>
    Effect.gen(function* () {
      for (const id of ["a", "b", "c"]) {
        yield* Surface.append(read(id), Message.toolResult({ id, name: "read", content: text(500_000) }))
      }
      yield* Surface.append(Message.assistant("noted"))
      assert.strictEqual((yield* AgentLoop.run("go on")).text, "ok")
      assert.isTrue(yield* fits)
      assert.isAtMost((yield* summaries).length, 1)
      assert.isBelow((yield* conversations)[0]!.size, 0.8 * 1_048_576)
    }).pipe(inSession, Effect.provide(counting({ windows: { m: 1_048_576 } })))
  )

  it.effect("for a summary's route with a smaller window than its own: that one counts [SUMREQ-8]", () =>
    Effect.gen(function* () {
      yield* turns(37)
      yield* AgentLoop.run("go on")
      assert.strictEqual((yield* CompactService.compactNow)._tag, "Reduced")
      assert.isTrue(yield* fits)
      for (const { request } of yield* summaries) assert.strictEqual(request.envelope.route.model, "small")
    }).pipe(
      inSession,
      Effect.provide(
        counting({
          windows: { m: 1_000_000, small: 200_000 },
          policy: { summary: { route: { provider: "counting", model: "small" } } }
        })
      )
    )
  )

  it.effect("by parallel results: they are cut before the next request [SUMREQ-9]", () =>
    Effect.gen(function* () {
      yield* turns(22)
      assert.strictEqual((yield* AgentLoop.run("Read both")).text, "ok")
      assert.isTrue(yield* fits)
      assert.isBelow((yield* conversations)[1]!.size, 200_000)
      assert.isUndefined(brokenPair((yield* conversations)[1]!.request.messages))
    }).pipe(
      inSession,
      Effect.provide(
        counting({
          windows: { m: 200_000 },
          policy: { threshold: 0.925 },
          answers: [Message.assistant([Message.toolCall("a", "read", {}), Message.toolCall("b", "read", {})])],
          tools: { read: tool(() => Effect.succeed(text(25_000))) }
        })
      )
    )
  )

  it.effect(
    "by a prompt of most of the window: counted, one pass, and it goes out once [LOOP-9 OPPOSITES-1a OPPOSITES-1b]",
    () => {
      const prompt = `Look at this: ${text(809_000, "y")}`
      return Effect.gen(function* () {
        yield* turns(8)
        assert.strictEqual((yield* AgentLoop.run(prompt)).text, "ok")
        assert.lengthOf(yield* summaries, 1)
        const [sent, ...others] = yield* conversations
        assert.lengthOf(others, 0)
        assert.lengthOf(
          sent!.request.messages.filter((message) => Message.text(message) === prompt),
          1
        )
        assert.notInclude(JSON.stringify(sent!.request.messages), "Answer 0")
      }).pipe(inSession, Effect.provide(counting({ windows: { m: 1_000_000 }, policy: { threshold: 0.7 } })))
    }
  )
})

describe("one long turn", () => {
  const steps = 40
  const ask = "Find out why the build fails, and change nothing else."
  /** Steps of 5,000 tokens each, in a window of 60,000. */
  const long = (policy: { readonly prune: false } | { readonly prune?: never } = {}) =>
    counting({
      windows: { m: 60_000 },
      policy,
      system: "The rule of the house: be terse.",
      answers: Array.from({ length: steps }, (_, i) => read(`c${i}`)),
      tools: { read: tool(() => Effect.succeed(text(5_000))) }
    })

  it.effect(
    "is compacted inside, between its calls, and keeps its request word for word [FORGET-7 FORGET-9 GIANT-1 GIANT-2 GIANT-4 MEASURE-8]",
    () =>
      Effect.gen(function* () {
        yield* turns(1)
        assert.strictEqual((yield* AgentLoop.run(ask)).text, "ok")
        const sent = yield* conversations
        assert.lengthOf(sent, steps + 1)
        assert.isTrue(yield* fits)
        assert.isAtLeast(yield* Surface.generation, 3)
        for (const { request } of sent) {
          assert.isUndefined(brokenPair(request.messages))
          assert.include(JSON.stringify(request.messages), ask)
        }
      }).pipe(inSession, Effect.provide(long({ prune: false })))
  )

  it.effect("has what the envelope carries in every request, whatever was compacted [FORGET-1]", () =>
    Effect.gen(function* () {
      yield* AgentLoop.run(ask)
      assert.isAtLeast(yield* Surface.generation, 1)
      for (const { request } of yield* Heard) {
        assert.strictEqual(request.envelope.system, "The rule of the house: be terse.")
        assert.lengthOf(request.envelope.tools ?? [], 1)
      }
      const [summary] = yield* summaries
      assert.include(Message.text(summary!.request.messages.at(-1)!), "from loaded instructions")
    }).pipe(inSession, Effect.provide(long({ prune: false })))
  )

  it.effect("that ends over the threshold is compacted and not continued [CONTINUE-4]", () =>
    Effect.gen(function* () {
      yield* turns(5)
      const end = yield* AgentLoop.run("say it")
      assert.deepInclude(end, { outcome: "completed", text: text(9_000, "z") })
      assert.lengthOf(yield* conversations, 1)
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(
      inSession,
      Effect.provide(counting({ windows: { m: 60_000 }, answers: [Message.assistant(text(9_000, "z"))] }))
    )
  )
})
