import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Shortened from "../../src/compaction/shortened.ts"
import { ContextWindowExceeded } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, scripted, text } from "./scripted.ts"
import { history, inSession, logLines, onSurface, words } from "./world.ts"

const { say } = Testing

const prune = { over: 1_000, head: 300, tail: 100 }

const thought = Message.assistant([
  { type: "reasoning", text: "a thought", signature: "sealed" },
  Message.toolCall("a", "read", { path: "log.txt" })
])
const failed = Message.toolResult({ id: "a", name: "read", content: text(12_000), isError: true })

/** 12,000 tokens of one old result, in a window of 20,000. */
const old = Surface.append(Message.user("Read it"), thought, failed, Message.assistant("noted"))

/** A summariser that counts how often it was asked. */
const counting = () => {
  const counted = { calls: 0 }
  const summarise = () => Effect.sync(() => (counted.calls++, "what was said"))
  return { counted, summarise }
}

describe("pruning under pressure", () => {
  it.effect("does not happen below the threshold: nothing is written, pruned or asked [A44 A52 CACHECOST-2]", () => {
    const { counted, summarise } = counting()
    return Effect.gen(function* () {
      yield* old
      yield* script(say("done"))
      yield* AgentLoop.run("Go on")
      const before = yield* history
      assert.deepInclude(yield* CompactService.compactIfNeeded("pressure"), { reason: "below-threshold" })
      assert.deepStrictEqual(yield* history, before)
      assert.isFalse((yield* logLines).some((line) => line.startsWith("compaction/")))
      assert.include(yield* onSurface, text(12_000))
      assert.strictEqual(counted.calls, 0)
    }).pipe(inSession, Effect.provide(exact({ window: 20_000, policy: { prune }, summarise })))
  })

  it.effect(
    "is enough where it is enough: no model is asked, and the prune is durable [A53 A62 P58 CACHECOST-1]",
    () => {
      const { counted, summarise } = counting()
      return Effect.gen(function* () {
        const first = yield* Effect.gen(function* () {
          yield* old
          yield* script(say("done"))
          yield* AgentLoop.run(text(5_000, "y"))
          assert.strictEqual(yield* Surface.generation, 1)
          assert.lengthOf(yield* requests, 1)
          assert.strictEqual(counted.calls, 0)
          return yield* onSurface
        }).pipe(inSession)
        assert.notInclude(first, text(1_000))
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* onSurface, first)
          assert.strictEqual(yield* Surface.generation, 1)
        }).pipe(inSession)
      }).pipe(Effect.provide(exact({ window: 20_000, policy: { prune }, summarise })))
    }
  )

  it.effect("switched off, the summary does it [A55]", () => {
    const { counted, summarise } = counting()
    return Effect.gen(function* () {
      yield* old
      yield* script(say("done"))
      yield* AgentLoop.run(text(5_000, "y"))
      assert.notInclude(yield* logLines, "compaction/prune")
      assert.strictEqual(counted.calls, 1)
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(exact({ window: 20_000, policy: { prune: false }, summarise })))
  })

  it.effect(
    "changes the text of a result and nothing else, and names and prices what it replaces [A59 A60 REASON-6]",
    () =>
      Effect.gen(function* () {
        yield* old
        yield* script(say("done"))
        const written = (yield* history).find(({ type }) => type === "message/tool-result") ?? assert.fail("no result")
        yield* AgentLoop.run(text(5_000, "y"))
        const events = yield* history
        const at = events.findIndex(({ type }) => type === "compaction/prune")
        const [record, replaced] = events.slice(at)
        if (record?.type !== "compaction/prune" || replaced?.type !== "message/tool-result") {
          return assert.fail("the record does not stand before the result")
        }
        assert.deepStrictEqual(record.data.shadowed, [written.seq])
        assert.deepStrictEqual(replaced.data.replaces, {
          first: written.seq,
          last: written.seq,
          sources: [written.seq]
        })
        assert.deepInclude(replaced.data, { callId: "a", name: "read", isError: true })
        assert.deepStrictEqual(record.data.price, { before: 12_000, after: replaced.data.counts.values[0] })
        // the call and its reasoning as they were, and the original still in the log
        const messages = yield* Surface.messages
        assert.deepStrictEqual(messages[1], thought)
        assert.deepStrictEqual(events[written.seq], written)
        assert.include(JSON.stringify(written), text(12_000))
      }).pipe(inSession, Effect.provide(exact({ window: 20_000, policy: { prune } })))
  )

  it.effect("leaves to the summary the pruned text, where it is not enough [A54]", () => {
    const spans: Array<ReadonlyArray<Message.Message>> = []
    const summarise = ({ span }: { readonly span: ReadonlyArray<Message.Message> }) =>
      Effect.sync(() => (spans.push(span), "what was said"))
    return Effect.gen(function* () {
      yield* old
      yield* Surface.append(Message.user(text(6_000, "y")), Message.assistant("noted"))
      yield* script(Testing.overflow({ limit: 5_000 }), say("done"))
      assert.strictEqual((yield* AgentLoop.run("Go on")).text, "done")
      assert.lengthOf(spans, 1)
      const summarised = JSON.stringify(spans)
      assert.notInclude(summarised, text(1_000))
      assert.include(summarised, "11600 characters were removed here")
      assert.strictEqual(yield* Surface.generation, 2)
    }).pipe(inSession, Effect.provide(exact({ window: 100_000, policy: { prune }, summarise })))
  })
})

describe("cutting the newest unit after an overflow", () => {
  const thought: Message.Block = { type: "reasoning", text: words(6_000, "think"), signature: "sealed" }
  const redacted: Message.Block = { type: "reasoning", text: "", redacted: text(3_000, "r") }
  const call = Message.toolCall("a", "write", { path: "a.txt", text: words(4_000) })

  it.effect("leaves signed reasoning whole, and sealed parts of it too [REASON-2]", () =>
    Effect.gen(function* () {
      yield* Surface.append(
        Message.user("Write it"),
        Message.assistant([thought, redacted, Message.textBlock(words(2_000)), call]),
        Message.toolResult({ id: "a", name: "write", content: words(4_000) })
      )
      const sent: Array<ReadonlyArray<Message.Block>> = []
      const limit = 12_000
      const send = ({ messages }: ModelRequest) =>
        Effect.suspend(() =>
          sent.push(messages[1]?.content ?? []) === 1
            ? Effect.fail(new ContextWindowExceeded({ route: Testing.route, detail: "too long", limit }))
            : Effect.succeed("ok")
        )
      assert.strictEqual(yield* OverflowRescue.retry({ envelope: { route: Testing.route }, send }), "ok")
      const [whole, cut] = sent
      assert.deepStrictEqual(cut?.slice(0, 2), [thought, redacted])
      // what may be cut was
      for (const place of [2, 3])
        assert.isBelow(JSON.stringify(cut?.[place]).length, JSON.stringify(whole?.[place]).length)
    }).pipe(inSession, Effect.provide(scripted({ window: 100_000, policy: { prune } })))
  )

  it("takes none of it from what a summariser reads of a long message [REASON-2]", () => {
    const node = { message: Message.assistant([thought, redacted, call]), seq: 3 }
    for (const budget of Shortened.budgets({ prune: { ...prune, exempt: [] } })) {
      const { content } = Shortened.shortenMessage(node.message, budget, node.seq)
      assert.deepStrictEqual(content.slice(0, 2), [thought, redacted])
      assert.notDeepEqual(content[2], call)
    }
  })
})
