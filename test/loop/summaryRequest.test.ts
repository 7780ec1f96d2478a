import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Checkpoint from "../../src/compaction/Checkpoint.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type { ModelRequest } from "../../src/services/ModelAdapter.ts"
import type { SummaryRequest } from "../../src/services/Summarizer.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { exact, requests, script, text } from "./scripted.ts"
import { history, inSession, logLines, onSurface, tool } from "./world.ts"

const { call, say } = Testing

const tools = { read: tool(() => Effect.succeed("contents")) }
const image: Message.Block = { type: "image", source: { type: "url", url: "https://example.test/a.png" } }
const summary = Checkpoint.headings.map((heading) => `## ${heading}\nShip it.`).join("\n\n")

/** Two turns: one with an image and a tool, one with a short answer. What stands before the newest unit. */
const twoTurns = Effect.gen(function* () {
  yield* script(call({ id: "c1", name: "read" }), say(text(3_000)), say("newest answer"))
  yield* AgentLoop.run(Message.user([Message.textBlock("Look at this"), image]))
  yield* AgentLoop.run("second question")
  return (yield* Surface.messages).slice(0, -1)
})

/** The request for a summary of a session, and what it was made of. */
const asked = (policy: Parameters<typeof exact>[0] = {}) =>
  Effect.gen(function* () {
    const shadowed = yield* twoTurns
    const conversation = (yield* requests).at(-1)!
    yield* script(say(summary))
    assert.strictEqual((yield* CompactService.compactNow)._tag, "Reduced")
    return { shadowed, conversation, request: (yield* requests).at(-1)! }
  }).pipe(
    inSession,
    Effect.provide(exact({ tools, system: "You are terse.", window: 40_000, summarise: "by the model", ...policy }))
  )

const sameBesideTarget = (request: ModelRequest, conversation: ModelRequest) => {
  const { maxOutputTokens: _, route: __, ...rest } = request.envelope
  const { route: ___, ...own } = conversation.envelope
  assert.deepStrictEqual(rest, own)
}

describe("the request for a summary", () => {
  it.effect("is the conversation's system prompt, tools and messages, and one instruction at the end [A76 A78]", () =>
    Effect.gen(function* () {
      const { conversation, request, shadowed } = yield* asked()
      assert.deepStrictEqual(request.envelope.route, conversation.envelope.route)
      sameBesideTarget(request, conversation)
      assert.isDefined(request.envelope.tools?.[0])
      assert.deepStrictEqual(request.messages.slice(0, -1), shadowed)
      const last = request.messages.at(-1)!
      assert.strictEqual(last.role, "user")
      assert.isTrue(Message.text(last).startsWith(Checkpoint.firstLine))
    })
  )

  it.effect("is capped by the policy, or by the window [A77]", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* asked()).request.envelope.maxOutputTokens, 5_000)
      const { request } = yield* asked({ policy: { summary: { maxTokens: 700 } } })
      assert.strictEqual(request.envelope.maxOutputTokens, 700)
    })
  )

  it.effect("goes to a route of its own with the same messages [A77 A79]", () =>
    Effect.gen(function* () {
      const route = { provider: "cheap", model: "small" }
      const { conversation, request, shadowed } = yield* asked({ policy: { summary: { route } } })
      assert.deepStrictEqual(request.envelope.route, route)
      sameBesideTarget(request, conversation)
      assert.deepStrictEqual(request.messages.slice(0, -1), shadowed)
      const own = { models: [{ ...Testing.route, summary: { route } }] }
      assert.deepStrictEqual((yield* asked({ policy: own })).request.envelope.route, route)
    })
  )
})

const recorded = Effect.map(history, (events) => ({
  calls: events.flatMap((event) => (event.type === "compaction/call" ? [event.data] : [])),
  summaries: events.flatMap((event) => (event.type === "compaction/summary" ? [event.data] : []))
}))

describe("the answer to it", () => {
  it.effect("is recorded with the route that served, its usage and all that was said [A80 A81 A88]", () => {
    const route = { provider: "served", model: "by" }
    const usage = { inputTokens: 900, outputTokens: 30 }
    const said = `<think>hm, hm</think>\n\n${summary}`
    const summarise = () => Effect.succeed({ text: said, finish: "stop" as const, route, usage })
    return Effect.gen(function* () {
      yield* twoTurns
      yield* CompactService.compactNow
      const { calls, summaries } = yield* recorded
      assert.deepInclude(calls[0], { route, usage, output: said, outcome: "completed", rung: "summarise" })
      assert.deepInclude(summaries[0], { route, summary })
      assert.include(yield* onSurface, "Ship it.")
      assert.notInclude(yield* onSurface, "hm, hm")
    }).pipe(inSession, Effect.provide(exact({ tools, summarise })))
  })

  it.effect("may come from a function, and no model is asked [A86]", () =>
    Effect.gen(function* () {
      yield* twoTurns
      const before = (yield* requests).length
      yield* CompactService.compactNow
      assert.lengthOf(yield* requests, before)
      assert.include(yield* onSurface, "what was said")
    }).pipe(inSession, Effect.provide(exact({ tools })))
  )
})

/** A summariser that keeps what it was asked for. */
const keeping = () => {
  const asked: Array<SummaryRequest> = []
  const summarise = (request: SummaryRequest) => Effect.sync(() => (asked.push(request), summary))
  return { asked, summarise }
}

describe("what it is asked about", () => {
  const conversation = Array.from({ length: 8 }, (_, i) => [
    Message.user(`Task ${i}: ${text(1_000)}`),
    Message.assistant(`Done ${i}: ${text(200)}`)
  ]).flat()

  it.effect(
    "is all from the first message to the tail, and the tail stays [FORGET-4 FORGET-5 BADSUM-7 OPPOSITES-7b]",
    () => {
      const { asked, summarise } = keeping()
      return Effect.gen(function* () {
        yield* Surface.append(...conversation)
        yield* script(say("done"))
        yield* AgentLoop.run("Go on")
        assert.lengthOf(asked, 1)
        const { span } = asked[0]!
        const [checkpoint, ...tail] = (yield* Surface.messages).slice(0, -2)
        assert.deepStrictEqual(span[0], conversation[0])
        assert.deepStrictEqual([...span, ...tail], conversation)
        assert.isAbove(tail.length, 0)
        assert.include(Message.text(checkpoint!), "Ship it.")
      }).pipe(inSession, Effect.provide(exact({ window: 11_000, summarise })))
    }
  )

  it.effect(
    "is the surface as it is: an earlier checkpoint, and not what that stands for [A75 PAIR-8 SUMREQ-12]",
    () => {
      const { asked, summarise } = keeping()
      return Effect.gen(function* () {
        yield* script(say("x"), call({ id: "c1", name: "read" }), say("done"))
        yield* Surface.append(...conversation)
        yield* AgentLoop.run("First")
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
        const [first] = yield* Surface.messages
        yield* AgentLoop.run(`Second ${text(500)}`)
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
        const { span } = asked[1]!
        assert.strictEqual(span[0], first)
        assert.notInclude(JSON.stringify(span.slice(1)), "Task 0")
        assert.deepStrictEqual(
          span.slice(1).map(({ role }) => role),
          ["assistant", "user", "assistant", "tool"]
        )
        assert.lengthOf(yield* Surface.messages, 2)
      }).pipe(inSession, Effect.provide(exact({ tools, summarise })))
    }
  )

  it.effect("leaves one checkpoint after three, with each message there once [RACE-5 RESUME-5]", () => {
    const { summarise } = keeping()
    return Effect.gen(function* () {
      const live = yield* Effect.gen(function* () {
        yield* script(say("x"), say("x"), say("x"))
        yield* Surface.append(...conversation)
        for (const prompt of ["one", "two", "three"]) {
          yield* AgentLoop.run(`${prompt} ${text(300)}`)
          yield* CompactService.compactNow
        }
        return yield* onSurface
      }).pipe(inSession)
      assert.strictEqual(live.split(Checkpoint.title).length, 2)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* onSurface, live)
        const events = yield* history
        const shadowed = events.flatMap((event) => (event.type === "compaction/summary" ? event.data.shadowed : []))
        assert.strictEqual(new Set(shadowed).size, shadowed.length)
        const messages = (yield* logLines).filter((line) => line.startsWith("message/"))
        assert.lengthOf(messages, shadowed.length + (yield* Surface.messages).length)
      }).pipe(inSession)
    }).pipe(Effect.provide(exact({ summarise })))
  })

  it.effect("may repeat itself ten times and more each time: the checkpoint stays bounded [GROW-5]", () => {
    const summarise = ({ span }: SummaryRequest) =>
      Effect.succeed(`${Message.text(span[0]!)}\n\nand ${text(5_000, "y")}`.slice(0, 60_000))
    return Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        yield* Surface.append(Message.user(text(9_000)), Message.assistant("ok"))
        if (round === 0) {
          yield* script(say("x"))
          yield* AgentLoop.run("go")
        }
        yield* CompactService.compactNow
        const [first] = yield* Surface.messages
        assert.isBelow(Message.text(first!).length, 1_000 + 400 + 1_500, `round ${round}`)
      }
      assert.isAtLeast(yield* Surface.generation, 5)
    }).pipe(
      inSession,
      Effect.provide(exact({ summarise, policy: { summary: { maxTokens: 1_000, quoteTokens: 400 } } }))
    )
  })

  it.effect("counts its frame: a checkpoint that is larger with it is refused [GROW-2]", () =>
    Effect.gen(function* () {
      yield* script(say(text(300)), say("x"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run("second")
      const before = yield* onSurface
      const refused = yield* Effect.flip(CompactService.compactNow)
      // the summary alone is a third of what it stands for
      assert.deepInclude(refused, { _tag: "InvalidReplacement", reason: "not-smaller" })
      assert.strictEqual(yield* onSurface, before)
    }).pipe(inSession, Effect.provide(exact({ summarise: () => Effect.succeed(text(100, "y")) })))
  )
})
