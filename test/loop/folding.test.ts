import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CompactService from "../../src/layers/CompactService.ts"
import type * as Summarizer from "../../src/layers/Summarizer.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import { conversation, fails, large, say, sent, small, textOf, world } from "./summariser.ts"
import { history, words } from "./world.ts"

const recorded = Effect.map(history, (events) =>
  events.flatMap((event) => (event.type === "compaction/summary" ? [event.data] : []))
)

describe("the record of a summary", () => {
  it.effect("says how much of what it stands for no request held [SUMREQ-11]", () => {
    const { layer, requests } = world([say("done")], { policy: { summary: { route: small } } })
    return Effect.gen(function* () {
      yield* Surface.append(
        Message.user(`Read this: ${words(30_000)}`),
        Message.assistant("Read."),
        Message.user("Go on")
      )
      yield* sent(large)
      yield* CompactService.compactNow
      const held = textOf(requests.flatMap(({ span }) => span)).split("word").length - 1
      const [record] = yield* recorded
      // a word is a token for the estimator, give or take
      assert.approximately(record?.omitted ?? 0, 30_000 - held, 1_500)
      assert.isBelow(record?.omitted ?? Infinity, record?.price.before ?? 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("says nothing of it where all that left the surface was in some request [SUMREQ-11]", () => {
    const { layer, requests } = world([say("ALPHA"), say("BETA"), fails("model")], {
      policy: { summary: { route: small } }
    })
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      yield* CompactService.compactNow
      const [record] = yield* recorded
      assert.notProperty(record, "omitted")
      const messages = yield* Surface.messages
      const left = new Set(messages.map(Message.text))
      const gone = conversation.filter((message) => !left.has(Message.text(message)))
      assert.strictEqual(record?.shadowed.length, gone.length)
      assert.deepStrictEqual(
        requests.slice(0, 2).flatMap(({ span }) => span),
        gone
      )
      assert.isAbove(messages.length, 2)
    }).pipe(Effect.provide(layer))
  })
})

describe("what a summary in several requests carries on", () => {
  it.effect("start and end of results too long for a request, however blank their start [BADSUM-6]", () => {
    const { layer, requests } = world([say("done")], { policy: { summary: { route: small } } })
    const results = [0, 1, 2].flatMap((i) => [
      Message.assistant([Message.toolCall(`c${i}`, "test", {})]),
      Message.toolResult({
        id: `c${i}`,
        name: "test",
        content: `START ${i}${" ".repeat(2_000)}${words(15_000, "noise")}VERDICT ${i}`
      })
    ])
    return Effect.gen(function* () {
      yield* Surface.append(...results, Message.user("Go on"))
      yield* sent(large)
      yield* CompactService.compactNow
      const input = JSON.stringify(requests.map(({ span }) => span))
      for (const i of [0, 1, 2]) {
        assert.include(input, `START ${i}`)
        assert.include(input, `VERDICT ${i}`)
      }
    }).pipe(Effect.provide(layer))
  })

  for (const [what, degenerate] of [
    ["nothing", say(" \n")],
    ["that it is an error", say('{"error": {"message": "overloaded"}}')],
    ["what was cut", () => Effect.succeed({ text: "## Go", finish: "length" as const })]
  ] as const) {
    it.effect(`not the answer that says ${what}: its messages stay as they were [BADSUM-6]`, () => {
      const { layer, requests } = world([say("ALPHA"), degenerate], { policy: { summary: { route: small } } })
      return Effect.gen(function* () {
        yield* Surface.append(...conversation, Message.user("Go on"))
        yield* sent(large)
        yield* CompactService.compactNow
        const messages = yield* Surface.messages
        assert.include(textOf(messages.slice(0, 1)), "<summary-")
        assert.include(textOf(messages.slice(0, 1)), "ALPHA")
        assert.deepStrictEqual(messages.slice(1, -1), conversation.slice(requests[0]!.span.length))
        // nobody was asked to go on from it
        assert.lengthOf(requests, 2)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("an earlier summary once, in every request and in what comes of them, where one fails [GROW-6]", () => {
    /** Says what it has read, as a summariser does that keeps what it is told. */
    const keeps = ({ instruction, span }: Summarizer.SummaryRequest) => {
      const read = `${textOf(span)} ${instruction}`
      return Effect.succeed(
        ["PRIOR", ...(read.match(/Part \d/g) ?? [])].filter((fact) => read.includes(fact)).join(" ")
      )
    }
    const { layer, requests } = world(
      [say("PRIOR"), keeps, fails("overflow"), keeps, keeps, fails("model"), fails("model")],
      { policy: { summary: { route: small } } }
    )
    const times = (text: string) => text.split("PRIOR").length - 1
    return Effect.gen(function* () {
      yield* Surface.append(Message.user("Ask"), Message.assistant(words(500)), Message.user("Go on"))
      yield* sent(large)
      yield* CompactService.compactNow
      yield* Surface.append(...conversation, Message.user("And on"))
      yield* CompactService.compactNow
      const later = requests.slice(1)
      assert.isAbove(later.length, 4)
      for (const [i, { instruction, span }] of later.entries()) {
        assert.strictEqual(times(`${textOf(span)} ${instruction}`), 1, `request ${i}`)
      }
      const messages = yield* Surface.messages
      assert.strictEqual(times(textOf(messages)), 1)
      assert.strictEqual(textOf(messages).split("<summary-").length, 2)
      assert.deepStrictEqual(messages.slice(-1), [Message.user("And on")])
    }).pipe(Effect.provide(layer))
  })
})
