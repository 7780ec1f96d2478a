import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { headings } from "../../src/compaction/SummaryInstruction.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import { conversation, fails, large, outcomes, say, sent, small, textOf, world } from "./summariser.ts"
import { words } from "./world.ts"

describe("a summary in several requests", () => {
  it.effect(
    "goes to a summariser with a smaller window in chunks, in order, each with the summary so far [P29 P30 SUMREQ-4 SUMREQ-7]",
    () => {
      const { layer, requests } = world([say("ALPHA"), say("BETA"), say("GAMMA")], {
        policy: { summary: { route: small } }
      })
      return Effect.gen(function* () {
        yield* Surface.append(...conversation, Message.user("Go on"))
        yield* sent(large)
        const outcome = yield* CompactService.compactNow
        assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["summarise"] })
        assert.isAbove(requests.length, 1)
        const parts = requests.flatMap(({ span }) => [...textOf(span).matchAll(/Part \d/g)].map(([part]) => part))
        assert.deepStrictEqual(
          parts,
          conversation.map((_, i) => `Part ${i}`)
        )
        assert.notInclude(requests[0]?.instruction, "<summary-")
        assert.include(requests[1]?.instruction, "ALPHA")
        assert.include(requests[2]?.instruction, "BETA")
        assert.notInclude(requests[2]?.instruction, "ALPHA")
        const messages = yield* Surface.messages
        assert.include(textOf(messages), "GAMMA")
        assert.lengthOf(messages, 2)
        // one replacement at the end
        assert.strictEqual(yield* Surface.generation, 1)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a later one that fails: what those before it cover is replaced, the rest stands as it was [P30]", () => {
    const { layer, requests } = world([say("ALPHA"), fails("model")], { policy: { summary: { route: small } } })
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      yield* CompactService.compactNow
      const covered = requests[0]!.span.length
      const messages = yield* Surface.messages
      assert.include(textOf(messages), "ALPHA")
      assert.deepStrictEqual(messages.slice(1, -1), conversation.slice(covered))
      assert.deepStrictEqual(yield* outcomes, ["completed", "model"])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "an overflow of the summariser halves the chunk, three times at most, and nothing is sent twice [P31]",
    () => {
      const { layer, requests } = world([fails("overflow")])
      return Effect.gen(function* () {
        yield* Surface.append(...conversation, Message.user("Go on"))
        yield* sent(large)
        const error = yield* Effect.flip(CompactService.compactNow)
        assert.deepInclude(error, { _tag: "SummaryFailed", reason: "overflow" })
        assert.deepStrictEqual(
          requests.map(({ span }) => span.length),
          [10, 5, 2, 1]
        )
        assert.deepStrictEqual(yield* Surface.messages, [...conversation, Message.user("Go on")])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a limit that the summariser states is believed at once, and by the next run", () => {
    const { layer, requests } = world([fails("overflow", 6_000), say("done")], {
      policy: { summary: { route: large } }
    })
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      yield* CompactService.compactNow
      assert.strictEqual(requests[0]?.span.length, 10)
      assert.isAtMost(requests[1]?.span.length ?? 0, 2)
      const first = requests.length
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* CompactService.compactNow
      assert.isAtMost(requests[first]?.span.length ?? 0, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("what fits no request of the summariser is never sent", () => {
    const { layer, requests } = world([say("done")], {
      policy: { summary: { route: { provider: "p", model: "tiny" } } }
    })
    return Effect.gen(function* () {
      yield* Surface.append(Message.user([{ type: "unknown", value: words(5_000) }]), Message.user("Go on"))
      yield* sent(small)
      yield* CompactService.compactNow
      assert.lengthOf(requests, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("the headings of a summary", () => {
  const structured = headings.map((heading) => `## ${heading}\nnone`).join("\n\n")

  it.effect("that are missing are asked for once, by name [P34]", () => {
    const { layer, requests } = world([say("All is well."), say(structured)], { headings: true })
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
      assert.lengthOf(requests, 2)
      assert.include(requests[1]?.instruction, '"## Goal"')
      assert.deepStrictEqual(yield* outcomes, ["no-structure", "completed"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("that are missing again are a failure with its own reason, and nothing changed [P34]", () => {
    const { layer, requests } = world([say("All is well.")], { headings: true })
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      const error = yield* Effect.flip(CompactService.compactNow)
      assert.deepInclude(error, { _tag: "SummaryFailed", reason: "no-structure" })
      assert.lengthOf(requests, 2)
      assert.strictEqual(yield* Surface.generation, 0)
    }).pipe(Effect.provide(layer))
  })
})

describe("a move to a model with a smaller window", () => {
  it.effect("is compacted for before the first request to it, by the model that has room for it [WINDOW-8]", () => {
    const { layer, requests } = world([say("done")])
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      yield* sent(small)
      assert.lengthOf(requests, 1)
      assert.deepStrictEqual(requests[0]?.envelope.route, large)
      assert.isAtLeast(requests[0]?.span.length ?? 0, 9)
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("falls back to chunks for the new model where the old one is gone [WINDOW-8]", () => {
    const { layer, requests } = world([fails("model"), say("done")])
    return Effect.gen(function* () {
      yield* Surface.append(...conversation, Message.user("Go on"))
      yield* sent(large)
      yield* sent(small)
      const routes = requests.map(({ envelope }) => envelope.route.model)
      assert.strictEqual(routes[0], "large")
      assert.isAbove(routes.filter((model) => model === "small").length, 1)
      assert.strictEqual(yield* Surface.generation, 1)
    }).pipe(Effect.provide(layer))
  })
})
