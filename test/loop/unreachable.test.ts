import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { history, inSession, logLines } from "./world.ts"

const { say } = Testing

/** Warnings, in place of the console. */
const warned = () => {
  const warnings: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) warnings.push(String(message))
  })
  return { warnings, quiet: Logger.replace(Logger.defaultLogger, logger) }
}

/** A summariser that counts how often it was asked. */
const counting = (answer = "what was said") => {
  const counted = { calls: 0 }
  return { counted, summarise: () => Effect.sync(() => (counted.calls++, answer)) }
}

describe("pressure that cannot be taken off", () => {
  it.effect(
    "by an envelope at the threshold: one warning a route, no call, and every turn goes on [P15 LOOP-12]",
    () => {
      const { counted, summarise } = counting()
      const { quiet, warnings } = warned()
      return Effect.gen(function* () {
        yield* script(say("one"), say("two"), say("three"))
        for (const answer of ["one", "two", "three"]) assert.strictEqual((yield* AgentLoop.run("go")).text, answer)
        assert.lengthOf(warnings, 1)
        assert.include(warnings[0], "8200")
        assert.strictEqual(counted.calls, 0)
        assert.isFalse((yield* logLines).some((line) => line.startsWith("compaction/")))
      }).pipe(inSession, Effect.provide(Layer.merge(exact({ window: 10_000, system: text(8_200), summarise }), quiet)))
    }
  )

  it.effect(
    "by a policy that keeps more than the threshold: one warning that says so, and rescue works [A10 A97]",
    () => {
      const { quiet, warnings } = warned()
      return Effect.gen(function* () {
        yield* script(say(text(5_000)), say(text(3_000)), say("three"))
        for (let turn = 0; turn < 3; turn++) yield* AgentLoop.run("go")
        assert.strictEqual(yield* Surface.generation, 0)
        assert.lengthOf(warnings, 1)
        assert.include(warnings[0], "retain keeps 9000 tokens")
        yield* script(Testing.overflow({ limit: 6_000 }), say("done"))
        assert.strictEqual((yield* AgentLoop.run("go")).text, "done")
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(inSession, Effect.provide(Layer.merge(exact({ window: 10_000, policy: { retain: 9_000 } }), quiet)))
    }
  )

  it.effect("by a tail that leaves no room: one summary, an honest outcome, and no second call [LOOP-1 GROW-4]", () => {
    const { counted, summarise } = counting()
    return Effect.gen(function* () {
      yield* Surface.append(Message.user(text(10_000)), Message.assistant(text(10_000)))
      yield* script(say("done"))
      yield* AgentLoop.run(text(31_000, "y"))
      assert.strictEqual(counted.calls, 1)
      const ends = (yield* history).flatMap((event) => (event.type === "compaction/end" ? [event.data] : []))
      assert.deepStrictEqual(
        ends.map(({ outcome, targetMet }) => [outcome, targetMet]),
        [["landed", false]]
      )
      // the newest message as it was, and no check in vain before something new comes
      assert.isTrue((yield* requests)[0]!.messages.some((message) => Message.text(message) === text(31_000, "y")))
    }).pipe(
      inSession,
      Effect.provide(exact({ window: 65_536, maxOutputTokens: 32_000, system: text(12_000), summarise }))
    )
  })

  it.effect(
    "by the only unit that there is: told with its size, and nothing is written [A47 A50 GIANT-5 LOOP-9]",
    () => {
      const { counted, summarise } = counting()
      return Effect.gen(function* () {
        yield* script(say("x"))
        yield* AgentLoop.run("go")
        // the envelope is known now; a session with one pair
        const before = yield* history
        for (const [unit, surface] of [[3_000, 3_000]] as const) {
          yield* Surface.append(Message.user(text(unit)))
          const looked = yield* CompactService.compactIfNeeded("pressure")
          assert.deepInclude(looked, {
            _tag: "Declined",
            reason: "no-span",
            unit,
            surface: surface + 3,
            threshold: 1_000
          })
          assert.deepInclude(yield* CompactService.plan("pressure"), { reason: "no-span" })
        }
        assert.strictEqual((yield* history).length, before.length + 1)
        assert.strictEqual(counted.calls, 0)
      }).pipe(inSession, Effect.provide(exact({ window: 1_250, summarise })))
    }
  )

  it.effect("by one pair that is all there is [A47 A50]", () =>
    Effect.gen(function* () {
      yield* Surface.append(
        Message.assistant([Message.textBlock(text(500)), Message.toolCall("a", "read", {})]),
        Message.toolResult({ id: "a", name: "read", content: text(700) })
      )
      yield* script(say("x"))
      // an envelope, and no turn of ours
      yield* (yield* Surface.Surface).commit(() => [
        { type: "request/envelope", data: { envelope: { route: Testing.route } } }
      ])
      const before = yield* history
      assert.deepInclude(yield* CompactService.compactIfNeeded("pressure"), { reason: "no-span", unit: 1_200 })
      assert.deepStrictEqual(yield* history, before)
    }).pipe(inSession, Effect.provide(exact({ window: 1_400 })))
  )

  it.effect("by an empty surface under a large envelope [A47]", () =>
    Effect.gen(function* () {
      yield* (yield* Surface.Surface).commit(() => [
        { type: "request/envelope", data: { envelope: { route: Testing.route, system: text(7_900) } } }
      ])
      const before = yield* history
      assert.deepInclude(yield* CompactService.compactIfNeeded("pressure"), { reason: "no-span", envelope: 7_900 })
      assert.deepStrictEqual(yield* history, before)
    }).pipe(inSession, Effect.provide(exact({ window: 10_000 })))
  )

  it.effect("by summaries that help too little: as many as the policy allows, and the figures [A49]", () => {
    const { counted, summarise } = counting(text(4_000, "s"))
    return Effect.gen(function* () {
      yield* Surface.append(
        ...Array.from({ length: 6 }, () => [Message.user(text(1_000)), Message.assistant(text(1_000))]).flat()
      )
      yield* (yield* Surface.Surface).commit(() => [
        { type: "request/envelope", data: { envelope: { route: Testing.route } } }
      ])
      const outcome = yield* CompactService.compactIfNeeded("pressure")
      if (outcome._tag !== "Reduced") return assert.fail(outcome.reason)
      assert.isFalse(outcome.targetMet)
      assert.strictEqual(outcome.before, 12_000)
      assert.isBelow(outcome.after, outcome.before)
      assert.isAtLeast(outcome.after, 0.4 * 14_000)
      assert.isAtMost(counted.calls, 3)
      assert.strictEqual(outcome.generation, yield* Surface.generation)
    }).pipe(
      inSession,
      Effect.provide(
        exact({
          window: 14_000,
          summarise,
          policy: { threshold: 0.4, retain: 0.3, summary: { attempts: 3, maxTokens: 8_000, quoteTokens: 0 } }
        })
      )
    )
  })
})
