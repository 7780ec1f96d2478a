import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { inSession, logLines } from "./world.ts"

const { say } = Testing

/** A summariser that is always refused, and counts how often. */
const dead = () => {
  const counted = { calls: 0 }
  const refuse = new SummaryFailed({ reason: "model", detail: "400" })
  const summarise = () => Effect.suspend(() => (counted.calls++, refuse))
  return { counted, summarise }
}

/** 9,000 tokens of a window of 10,000: above its threshold. */
const filled = Surface.append(Message.user(text(4_500)), Message.assistant(text(4_500)))

const turns = (count: number) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < count; turn++) {
      yield* script(say("done"))
      assert.strictEqual((yield* AgentLoop.run("go on")).text, "done")
      assert.deepStrictEqual(yield* AgentLoop.state, { _tag: "Idle" })
    }
  })

describe("a summariser that always fails", () => {
  it.effect(
    "is asked three times in twenty turns, each of which ends well, also over a restart [P45 P46 P47 LOOP-5]",
    () => {
      const { counted, summarise } = dead()
      return Effect.gen(function* () {
        yield* Effect.zipRight(filled, turns(10)).pipe(inSession)
        assert.strictEqual(counted.calls, 3)
        yield* turns(10).pipe(inSession)
        assert.strictEqual(counted.calls, 3)
        assert.lengthOf(yield* requests, 20)
        yield* Effect.gen(function* () {
          assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Declined", reason: "resting" })
          // grown by more than a tenth
          yield* Surface.append(Message.user(text(1_000)))
          yield* turns(1)
          assert.strictEqual(counted.calls, 4)
        }).pipe(inSession)
      }).pipe(Effect.provide(exact({ window: 10_000, policy: { prune: false, threshold: 0.5 }, summarise })))
    }
  )

  it.effect("does not keep the free rungs from working [P46]", () => {
    const { counted, summarise } = dead()
    return Effect.gen(function* () {
      yield* filled
      yield* turns(4)
      assert.strictEqual(counted.calls, 3)
      assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Declined", reason: "resting" })
      yield* Surface.append(
        Message.assistant([Message.toolCall("a", "read", {})]),
        Message.toolResult({ id: "a", name: "read", content: text(850) }),
        Message.user("and?")
      )
      yield* turns(1)
      assert.strictEqual(yield* Surface.generation, 1)
      assert.include(yield* logLines, "compaction/prune")
      assert.strictEqual(counted.calls, 3)
    }).pipe(
      inSession,
      Effect.provide(exact({ window: 10_000, policy: { prune: { over: 400, head: 100, tail: 100 } }, summarise }))
    )
  })

  it.effect("at rest under pressure, is asked after an overflow, whose rescue has a count of its own [P45]", () => {
    const { counted, summarise } = dead()
    return Effect.gen(function* () {
      yield* filled
      yield* turns(4)
      yield* script(Testing.overflow(), Testing.say("done"))
      // what the summariser did not give is made without a model
      assert.strictEqual((yield* AgentLoop.run("go on")).text, "done")
      assert.strictEqual(counted.calls, 4)
      yield* turns(1)
    }).pipe(inSession, Effect.provide(exact({ window: 10_000, policy: { prune: false }, summarise })))
  })
})
