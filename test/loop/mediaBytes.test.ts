import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { gateway, image, shown, shownTwo } from "./gateway.ts"
import { asked, history, inSession, long, next, onSurface, provider, sent, words } from "./world.ts"

const { on, say, status } = SimulatedProvider

const sizes = Effect.flatMap(provider, (server) =>
  Effect.map(server.requests, (requests) => requests.map(({ byteLength }) => byteLength))
)

describe("images, and what a gateway takes", () => {
  /** The same three turns each time; the last request is the largest. */
  const turns = Effect.gen(function* () {
    yield* shownTwo
    yield* next(say("done"))
    yield* AgentLoop.run("Compare them.")
  })

  it.live("at exactly the bound nothing is dropped, one byte above it the oldest is [A124]", () =>
    Effect.gen(function* () {
      const largest = Math.max(
        ...(yield* Effect.zipRight(turns, sizes).pipe(inSession, Effect.provide(gateway({ byteLimit: 1_000_000 }))))
      )
      const run = (byteLimit: number) =>
        Effect.gen(function* () {
          yield* turns
          return { asked: (yield* asked).slice(2), generation: yield* Surface.generation, kept: yield* onSurface }
        }).pipe(inSession, Effect.provide(gateway({ byteLimit })))
      const at = yield* run(largest)
      assert.deepInclude(at, { asked: ["conversation answered"], generation: 0 })
      assert.include(at.kept, "A".repeat(14_000))
      const above = yield* run(largest - 1)
      assert.deepInclude(above, { asked: ["conversation too-large", "conversation answered"], generation: 1 })
      assert.notInclude(above.kept, "A".repeat(100))
    })
  )

  it.live("what was dropped stays dropped: later requests begin with the same bytes [A125]", () =>
    Effect.gen(function* () {
      yield* shownTwo
      yield* next(say("done"), say("and on"))
      yield* AgentLoop.run(`Compare them. ${words(300)}`)
      yield* AgentLoop.run("And now?")
      assert.deepStrictEqual((yield* asked).slice(2), [
        "conversation too-large",
        "conversation answered",
        "conversation answered"
      ])
      const list = (body: string) => (JSON.parse(body) as { readonly messages: ReadonlyArray<unknown> }).messages
      const before = list(yield* sent(3))
      assert.deepStrictEqual(list(yield* sent(4)).slice(0, before.length), before)
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(gateway()))
  )

  it.live("of a session that is text by its tokens and images by its bytes, the images go [MEDIA-5 P10]", () =>
    Effect.gen(function* () {
      const text = words(3_000, "said")
      yield* next(say("noted"))
      yield* AgentLoop.run(text)
      yield* next(say("seen"), say("seen"))
      yield* AgentLoop.run(shown("A", 220_000))
      yield* AgentLoop.run(shown("B", 200_000))
      yield* next(say("done"))
      assert.strictEqual((yield* AgentLoop.run(words(200))).text, "done")
      assert.deepStrictEqual((yield* asked).slice(3), ["conversation too-large", "conversation answered"])
      const kept = yield* onSurface
      assert.notInclude(kept, "A".repeat(100))
      assert.include(kept, text)
      assert.isFalse((yield* history).some(({ type }) => type === "compaction/summary"))
    }).pipe(inSession, Effect.provide(gateway({ byteLimit: 436_000, policy: { summary: { maxTokens: 300 } } })))
  )
})

describe("an image's two prices", () => {
  it.live("many that weigh next to nothing bring pressure on, by their tokens alone [P20]", () =>
    Effect.gen(function* () {
      yield* next(say(long(300)), say("seen"))
      yield* AgentLoop.run("first")
      yield* AgentLoop.run(Message.user(Array.from({ length: 40 }, () => image("A", 40))))
      assert.deepStrictEqual(yield* asked, ["conversation answered", "summary answered", "conversation answered"])
      assert.isBelow(Math.max(...(yield* sizes)), 20_000)
    }).pipe(inSession, Effect.provide(gateway({ told: 20_000 })))
  )

  it.live("one that weighs megabytes brings none on, and is refused for its bytes alone [P20]", () =>
    Effect.gen(function* () {
      yield* next(say("seen"), say("done"))
      yield* AgentLoop.run(shown("A", 3_000_000))
      assert.deepInclude(yield* CompactService.plan("pressure"), { _tag: "Declined", reason: "below-threshold" })
      yield* AgentLoop.run(words(5_000))
      assert.deepStrictEqual(yield* asked, ["conversation answered", "conversation too-large", "conversation answered"])
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(inSession, Effect.provide(gateway({ told: 20_000, byteLimit: 3_010_000 })))
  )
})

describe("a summary request that has too many bytes", () => {
  /** A conversation that the gateway takes, and a summary's instruction more would be too much. */
  const full = Effect.gen(function* () {
    yield* next(say("seen"), say(long(1_000)), say("noted"))
    yield* AgentLoop.run(shown("A", 20_000))
    yield* AgentLoop.run("And then?")
    yield* AgentLoop.run("Go on")
  })
  const outcomes = Effect.map(history, (events) =>
    events.flatMap((event) => (event.type === "compaction/call" ? [event.data.outcome] : []))
  )
  const refused = on("summary", status(413, "<html>413 Request Entity Too Large</html>"))
  const withImages = { byteLimit: 29_500, quirks: { images: "parts" as const } }

  it.live("is sent once more, with names in place of images, and the log keeps the originals [MEDIA-3]", () =>
    Effect.gen(function* () {
      yield* full
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced", rungs: ["summarise"] })
      assert.deepStrictEqual((yield* asked).slice(3), ["summary too-large", "summary answered"])
      const again = yield* sent(4)
      assert.notInclude(again, "A".repeat(100))
      assert.include(again, "[image (image/png, 15000 bytes) was taken out")
      assert.include(again, "Look at A")
      assert.include(again, "ancient ancient")
      assert.deepStrictEqual(yield* outcomes, ["payload-too-large", "completed"])
      assert.include(JSON.stringify(yield* history), "A".repeat(20_000))
    }).pipe(inSession, Effect.provide(gateway(withImages)))
  )

  it.live("is not sent again if that is refused too, and nothing is replaced [MEDIA-3]", () =>
    Effect.gen(function* () {
      yield* full
      yield* next(refused, refused)
      const failed = yield* Effect.flip(CompactService.compactNow)
      assert.deepInclude(failed, { _tag: "SummaryFailed", reason: "payload-too-large" })
      assert.deepStrictEqual((yield* asked).slice(3), ["summary faulted", "summary faulted"])
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(inSession, Effect.provide(gateway({ ...withImages, byteLimit: 1_000_000 })))
  )

  it.live("without any that it carries, fails at once", () =>
    Effect.gen(function* () {
      yield* full
      yield* next(refused)
      const failed = yield* Effect.flip(CompactService.compactNow)
      assert.deepInclude(failed, { _tag: "SummaryFailed", reason: "payload-too-large" })
      assert.deepStrictEqual((yield* asked).slice(3), ["summary faulted"])
    }).pipe(inSession, Effect.provide(gateway({ quirks: {} })))
  )
})
