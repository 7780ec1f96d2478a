import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, history, inSession, logLines, next, provider, tool, words, world } from "./world.ts"

const { call, say } = SimulatedProvider

const bodies = Effect.flatMap(provider, (server) =>
  Effect.map(server.requests, (requests) => requests.map(({ text }) => text))
)

/** A body up to the end of its last message, as it came over the wire: what a later request can begin with. */
const beginning = (body: string) => {
  const { messages } = JSON.parse(body) as { readonly messages: unknown }
  const list = JSON.stringify(messages)
  const at = body.indexOf(list)
  assert.isAbove(at, 0, "the messages do not stand in the body as JSON.stringify writes them")
  return body.slice(0, at + list.length - 1)
}

const commonPrefix = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}

const tools = { read: tool(() => Effect.succeed(words(700, "line"))) }
const read = (id: string) => call(Message.toolCall(id, "read", { path: "log.txt" }))

describe("the provider's prefix cache", () => {
  it.live("each request of a conversation that only grows begins with the bytes of the one before", () =>
    Effect.gen(function* () {
      yield* next(say("Grüße 😀"), read("a"), read("b"), say("done"), say("bye"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run("Read it twice")
      yield* AgentLoop.run("third")
      const sent = yield* bodies
      assert.lengthOf(sent, 5)
      for (const [i, body] of sent.entries()) {
        const before = sent[i - 1]
        if (before !== undefined) assert.isTrue(body.startsWith(beginning(before)), `request ${i}`)
      }
    }).pipe(
      inSession,
      Effect.provide(world({ window: 50_000, tools, system: "Answer in short.", maxOutputTokens: 500 }))
    )
  )

  /** What was in a summary's body before its instruction, and how much of the body the provider had read before. */
  const cachedShare = (summary: SimulatedProvider.RecordedRequest, before: SimulatedProvider.RecordedRequest) => {
    assert.strictEqual(summary.outcome, "answered")
    const { messages } = JSON.parse(summary.text) as { readonly messages: ReadonlyArray<unknown> }
    const list = JSON.stringify(messages.slice(0, -1))
    const common = commonPrefix(summary.text, before.text)
    return {
      // by the provider's own count of tokens
      tokens: (summary.usage?.cached ?? 0) / summary.inputTokens,
      // and by the bytes of the bodies
      bytes: common / summary.byteLength,
      // all but the instruction is the request before, byte for byte
      whole: common >= Buffer.byteLength(list.slice(0, -1)) && before.text.includes(list.slice(0, -1))
    }
  }

  it.live("holds at least 90 % of what a summary under pressure is asked with [CACHECOST-4]", () =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 9; turn++) {
        yield* next(read(`c${turn}`), say(words(300, "ancient")))
        yield* AgentLoop.run(words(200, "asked"))
      }
      const requests = yield* (yield* provider).requests
      const summaries = requests.filter(({ kind }) => kind === "summary")
      assert.isNotEmpty(summaries, (yield* asked).join(", "))
      for (const summary of summaries) {
        const { bytes, tokens, whole } = cachedShare(summary, requests[summary.index - 1]!)
        assert.isAtLeast(tokens, 0.9)
        assert.isAtLeast(bytes, 0.9)
        assert.isTrue(whole)
      }
    }).pipe(
      inSession,
      Effect.provide(world({ window: 16_000, told: 12_000, tools, system: "Answer in short.", maxOutputTokens: 1_000 }))
    )
  )

  it.live("holds it also where the same run has pruned results just before [P32 CACHECOST-4]", () =>
    Effect.gen(function* () {
      // one result is all that there is to prune, and less than what is too much
      yield* next(read("c"), say("Read."))
      yield* AgentLoop.run("Read it")
      for (let turn = 0; turn < 6; turn++) {
        yield* next(say(words(1_000, "ancient")))
        yield* AgentLoop.run(words(700, "asked"))
      }
      const requests = yield* (yield* provider).requests
      const summaries = requests.filter(({ kind }) => kind === "summary")
      const events = yield* history
      // a rung's id begins with that of its run
      const runOf = (id: string) => id.slice(0, id.indexOf("/"))
      const runs = (type: "compaction/prune" | "compaction/summary") =>
        events.flatMap((event) => (event.type === type ? [runOf(event.data.id)] : []))
      const both = runs("compaction/summary").filter((run) => runs("compaction/prune").includes(run))
      assert.isNotEmpty(both, (yield* logLines).join(", "))
      for (const [i, summary] of summaries.entries()) {
        const { bytes, tokens, whole } = cachedShare(summary, requests[summary.index - 1]!)
        assert.isAtLeast(tokens, 0.9, `summary ${i}`)
        assert.isAtLeast(bytes, 0.9, `summary ${i}`)
        assert.isTrue(whole, `summary ${i}`)
        assert.notInclude(summary.text, "characters were removed here")
      }
    }).pipe(
      inSession,
      Effect.provide(
        world({
          window: 16_000,
          told: 12_000,
          tools,
          system: "Answer in short.",
          maxOutputTokens: 1_000,
          policy: { prune: { over: 3_000, head: 2_500, tail: 100 } }
        })
      )
    )
  )
})
