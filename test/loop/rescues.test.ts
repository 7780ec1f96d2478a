import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import { ModelAdapter } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { history, inSession, logLines, onSurface, tool } from "./world.ts"

const { call, overflow, say } = Testing

const envelope = { route: Testing.route }

/** 6,000 tokens, far below the threshold of a window of 100,000. */
const filled = Surface.append(Message.user(text(3_000)), Message.assistant(text(3_000)))

const rescueEnds = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "rescue/end" ? [event.data] : []))
)

describe("a rescue", () => {
  it.effect("far below the threshold keeps the newest unit, a call with its result, and nothing else [A99]", () =>
    Effect.gen(function* () {
      yield* filled
      yield* script(call({ id: "c1", name: "read" }), overflow(), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Read it")).text, "done")
      const { messages } = (yield* requests).at(-1)!
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["user", "assistant", "tool"]
      )
      assert.deepStrictEqual(
        Message.toolCalls(messages[1]!).map(({ id }) => id),
        ["c1"]
      )
      assert.include(JSON.stringify(messages[2]), "contents of it")
      assert.notInclude(JSON.stringify(messages), text(2_500))
    }).pipe(inSession, Effect.provide(exact({ tools: { read: tool(() => Effect.succeed("contents of it")) } })))
  )

  it.effect("of a surface that is one pair writes and changes nothing [A106]", () =>
    Effect.gen(function* () {
      yield* Surface.append(
        Message.assistant([Message.textBlock(text(500)), Message.toolCall("a", "read", {})]),
        Message.toolResult({ id: "a", name: "read", content: text(700) })
      )
      const before = yield* onSurface
      const refusal = overflow()
      assert.strictEqual(
        yield* Effect.flip(OverflowRescue.retry({ envelope, send: () => Effect.fail(refusal) })),
        refusal
      )
      assert.strictEqual(yield* onSurface, before)
      assert.strictEqual(yield* Surface.generation, 0)
      assert.isFalse((yield* logLines).some((line) => line.startsWith("compaction/")))
    }).pipe(inSession, Effect.provide(exact()))
  )

  it.effect("that an interruption meets after a prune has landed is not followed by a retry [A103 A114]", () => {
    const begun = Deferred.unsafeMake<void>(FiberId.none)
    const summarise = () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
    return Effect.gen(function* () {
      yield* filled
      yield* Surface.append(
        Message.assistant([Message.toolCall("a", "read", {})]),
        Message.toolResult({ id: "a", name: "read", content: text(9_000) }),
        Message.assistant("noted")
      )
      yield* script(overflow({ limit: 5_000 }))
      const turn = yield* Effect.fork(AgentLoop.run("go on"))
      yield* Deferred.await(begun)
      assert.strictEqual(yield* Surface.generation, 1)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(turn)))
      assert.lengthOf(yield* requests, 1)
      assert.strictEqual((yield* logLines).at(-1), "turn/end 0 interrupted")
    }).pipe(inSession, Effect.provide(exact({ summarise })))
  })

  it.effect("asks an overflowing summariser for less, a bounded number of times, and starts no other [LOOP-6]", () => {
    const sizes: Array<number> = []
    const summarise = ({ span }: { readonly span: ReadonlyArray<Message.Message> }) =>
      Effect.suspend(() => {
        sizes.push(JSON.stringify(span).length)
        return new SummaryFailed({ reason: "overflow", detail: "the summary's own" })
      })
    return Effect.gen(function* () {
      yield* Surface.append(...Array.from({ length: 16 }, () => Message.user(text(1_000))))
      const refusal = overflow()
      yield* script(refusal, say("done"))
      assert.strictEqual((yield* AgentLoop.run("go on")).text, "done")
      assert.isAtLeast(sizes.length, 2)
      assert.isAtMost(sizes.length, 4)
      for (const [i, size] of sizes.entries()) if (i > 0) assert.isBelow(size, sizes[i - 1]!)
      // one for the summary, one for what was made without a model after it
      assert.lengthOf(
        (yield* logLines).filter((line) => line.startsWith("compaction/start")),
        2
      )
      assert.lengthOf(yield* requests, 2)
    }).pipe(inSession, Effect.provide(exact({ summarise })))
  })

  it.effect("after a further refusal works on, and repeats no plan [P48]", () => {
    /** A provider that keeps its figures to itself. */
    const refusing: Testing.Line = ({ messages }) =>
      Effect.succeed(JSON.stringify(messages).length > 4_000 ? overflow() : say("done"))
    return Effect.gen(function* () {
      yield* filled
      yield* script(call({ id: "c1", name: "read" }), refusing, refusing, refusing)
      assert.strictEqual((yield* AgentLoop.run("Read it")).text, "done")
      const sizes = (yield* requests).slice(1).map(({ messages }) => JSON.stringify(messages).length)
      assert.lengthOf(sizes, 3)
      for (const [i, size] of sizes.entries()) if (i > 0) assert.isBelow(size, sizes[i - 1]!)
      assert.deepStrictEqual(
        (yield* history).flatMap((event) =>
          event.type === "compaction/prune" || event.type === "compaction/summary" ? [event.data.rung] : []
        ),
        ["prune", "summarise", "prune-tighter", "prune-tighter"]
      )
    }).pipe(
      inSession,
      Effect.provide(
        exact({
          policy: { maxOverflowRetries: 3, summary: { quoteTokens: 0 } },
          tools: { read: tool(() => Effect.succeed(text(20_000))) }
        })
      )
    )
  })
})

describe("how a rescue that failed is told", () => {
  const cases: ReadonlyArray<readonly [string, Parameters<typeof exact>[0], ReturnType<typeof overflow>, string]> = [
    ["switched off", { policy: { auto: { contextOverflow: false } } }, overflow(), "off"],
    ["nothing to reduce", {}, overflow(), "no-span"],
    ["too large as it is", {}, overflow({ limit: 100 }), "unit-too-large"],
    ["larger than the limit after all that was done", {}, overflow({ limit: 300 }), "too-large"]
  ]
  for (const [what, options, refusal, reason] of cases) {
    it.effect(`${what}: ${reason}, with the sizes, and the provider's own error for the caller [P43]`, () =>
      Effect.gen(function* () {
        if (reason === "too-large") yield* filled
        yield* script(refusal)
        assert.strictEqual(yield* Effect.flip(AgentLoop.run(text(850))), refusal)
        const [end, ...others] = yield* rescueEnds
        assert.lengthOf(others, 0)
        assert.deepInclude(end, { outcome: "declined", reason })
        assert.isAtLeast(end?.tokens.before ?? 0, 850)
      }).pipe(inSession, Effect.provide(exact(options)))
    )
  }
})

describe("the cap of retries", () => {
  it.effect("of a route is its own, and 0 leaves pressure on [A108]", () => {
    const policy = { maxOverflowRetries: 3, models: [{ ...Testing.route, maxOverflowRetries: 0 }] }
    return Effect.gen(function* () {
      yield* filled
      const refusal = overflow()
      yield* script(refusal)
      assert.strictEqual(yield* Effect.flip(AgentLoop.run("go on")), refusal)
      assert.strictEqual(yield* Surface.generation, 0)
      assert.lengthOf(yield* requests, 1)
      // another route has the base's
      let sent = 0
      const other = { route: { provider: "another", model: "m" } }
      const send = () => (sent++ === 0 ? Effect.fail("too long" as const) : Effect.succeed("done"))
      const retried = OverflowRescue.retry({
        envelope: other,
        send,
        overflow: () => ({ _tag: "Some", value: {} }) as never
      })
      assert.strictEqual(yield* retried, "done")
      // pressure
      yield* script(say("done"))
      yield* AgentLoop.run(text(7_000, "y"))
      assert.include(yield* logLines, "compaction/start pressure")
    }).pipe(inSession, Effect.provide(exact({ window: 9_000, policy })))
  })
})

describe("a look at the window", () => {
  it.effect("that never ends is cut with its turn [A41]", () => {
    const asked = Deferred.unsafeMake<void>(FiberId.none)
    let cut = false
    const slow = Layer.effect(
      ModelAdapter,
      Effect.map(ModelAdapter, (adapter) => ({
        ...adapter,
        modelInfo: () =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => (cut = true)))
          )
      }))
    )
    return Effect.gen(function* () {
      const turn = yield* Effect.fork(AgentLoop.run("go on"))
      yield* Deferred.await(asked)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(turn)))
      assert.isTrue(cut)
      assert.lengthOf(yield* requests, 0)
      assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Idle" })
    }).pipe(inSession, Effect.provide(Layer.provideMerge(slow, exact())))
  })
})
