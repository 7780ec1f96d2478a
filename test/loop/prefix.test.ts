import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { asked, inSession, next, provider, tool, words, world } from "./world.ts"

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

  it.live("holds at least 90 % of what a summary under pressure is asked with", () =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 9; turn++) {
        yield* next(read(`c${turn}`), say(words(300, "ancient")))
        yield* AgentLoop.run(words(200, "asked"))
      }
      const requests = yield* (yield* provider).requests
      const summaries = requests.filter(({ kind }) => kind === "summary")
      assert.isNotEmpty(summaries, (yield* asked).join(", "))
      for (const summary of summaries) {
        assert.strictEqual(summary.outcome, "answered")
        // by the provider's own count of tokens
        assert.isAtLeast((summary.usage?.cached ?? 0) / summary.inputTokens, 0.9)
        // and by the bytes of the bodies
        const before = requests[summary.index - 1]
        const common = commonPrefix(summary.text, before?.text ?? "")
        assert.isAtLeast(common / summary.byteLength, 0.9)
      }
    }).pipe(
      inSession,
      Effect.provide(world({ window: 16_000, told: 12_000, tools, system: "Answer in short.", maxOutputTokens: 1_000 }))
    )
  )
})
