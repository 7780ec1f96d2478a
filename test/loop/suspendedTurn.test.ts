import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import * as Testing from "../../src/testing/index.ts"
import { brokenPair, type Event, unsettled } from "../properties/reading.ts"
import { scripted } from "./scripted.ts"
import { history, inSession, logLines, long, onSurface, tool, words } from "./world.ts"

const { call, overflow, say, Script } = Testing

const approve = tool(() => Effect.succeed({ suspend: "asks a person" }))
const read = tool(() => Effect.succeed("contents"))
const tools = { approve, read }
const next = (...lines: ReadonlyArray<Testing.Line>) => Effect.flatMap(Script, (script) => script.next(...lines))

/** A long turn, then one that waits for the answers to "a" and "c"; that to "b" is in hand. */
const suspended = Effect.gen(function* () {
  yield* next(
    say(long(600)),
    call({ id: "a", name: "approve" }, { id: "b", name: "read" }, { id: "c", name: "approve" })
  )
  yield* AgentLoop.run("first")
  assert.deepInclude(yield* AgentLoop.run("deploy"), { outcome: "suspended", pending: ["a", "c"] })
})

/** The results of the newest request, as id, error mark and text. */
const sentResults = Effect.map(
  Effect.flatMap(Script, (script) => script.requests),
  (requests) =>
    (requests.at(-1)?.messages ?? [])
      .flatMap(Message.toolResults)
      .map(
        ({ content, id, isError }) =>
          `${id}${isError === true ? "!" : ""} ${content.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`
      )
)

describe("compaction of a session whose turn waits", () => {
  it.effect("by hand: all before the calls is summarised, the calls and what they wait for stay one unit", () =>
    Effect.gen(function* () {
      yield* suspended
      const { surface } = yield* Effect.flatMap(Surface.Surface, (service) => service.state)
      const seqs = SurfaceState.nodes(surface).map(({ seq }) => seq)
      assert.deepInclude(yield* CompactService.plan("manual"), { _tag: "Planned", first: seqs[0]!, last: seqs[2]! })
      // neither the call alone, nor the call with the result that is in hand
      for (const last of [seqs[3]!, seqs[4]!]) {
        const refused = yield* Effect.flip(CompactService.compactRegion(seqs[0]!, last))
        assert.deepInclude(refused, { _tag: "InvalidReplacement", reason: "splits-a-pair" })
      }
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced", rungs: ["summarise"] })
      assert.deepInclude(yield* AgentLoop.state, { _tag: "Suspended", pending: ["a", "c"] })
      yield* next(say("deployed"))
      assert.strictEqual((yield* AgentLoop.resume({ a: "yes", c: "no" })).text, "deployed")
      assert.sameMembers(yield* sentResults, ["a yes", "b contents", "c no"])
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )

  it.effect("under pressure, when an answer makes it too much: before the request, and the answers stay", () =>
    Effect.gen(function* () {
      yield* suspended
      yield* next(say("deployed"))
      // one of two answers: nothing is sent, so nothing is to be made smaller
      assert.deepInclude(yield* AgentLoop.resume({ a: words(600, "yes") }), { outcome: "suspended", pending: ["c"] })
      assert.strictEqual(yield* Surface.generation, 0)
      assert.strictEqual((yield* AgentLoop.resume({ c: "no" })).text, "deployed")
      const lines = yield* logLines
      assert.isBelow(lines.lastIndexOf("compaction/start pressure"), lines.lastIndexOf("step/start 1"))
      assert.isAbove(lines.lastIndexOf("compaction/start pressure"), lines.lastIndexOf("message/tool-result c"))
      assert.strictEqual((yield* sentResults).length, 3)
      assert.notInclude(yield* onSurface, "ancient ancient")
    }).pipe(inSession, Effect.provide(scripted({ tools, window: 1_600 })))
  )

  it.effect("after an overflow of the request that goes on with it", () =>
    Effect.gen(function* () {
      yield* suspended
      yield* next(overflow({ limit: 1_000 }), say("deployed"))
      assert.strictEqual((yield* AgentLoop.resume({ a: "yes", c: "no" })).text, "deployed")
      assert.sameMembers(yield* sentResults, ["a yes", "b contents", "c no"])
      assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>))
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )
})

describe("a tool that is gone when its call is answered", () => {
  const without = (...names: ReadonlyArray<keyof typeof tools>) =>
    Object.fromEntries(Object.entries(tools).filter(([name]) => !names.includes(name as keyof typeof tools)))
  const log = Effect.map(LogStore.makeMemory, (store) => Layer.succeed(LogStore.LogStore, store))

  it.effect("an error takes its place, so that nothing waits for good; no answer is needed", () =>
    Effect.gen(function* () {
      const store = yield* log
      yield* suspended.pipe(inSession, Effect.provide(scripted({ tools, log: store })))
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* AgentLoop.state, { _tag: "Suspended", pending: ["a", "c"] })
        yield* next(say("then not"))
        assert.deepInclude(yield* AgentLoop.resume({}), { outcome: "completed", text: "then not" })
        const gone = 'there is no tool named "approve" any more'
        assert.sameMembers(yield* sentResults, [`a! ${gone}`, "b contents", `c! ${gone}`])
      }).pipe(inSession, Effect.provide(scripted({ tools: without("approve"), log: store })))
    })
  )

  it.effect("the answer of a person is not lost with it", () =>
    Effect.gen(function* () {
      const store = yield* log
      yield* suspended.pipe(inSession, Effect.provide(scripted({ tools, log: store })))
      yield* Effect.gen(function* () {
        yield* next(say("then not"))
        yield* AgentLoop.resume({ a: "yes, but only on Monday" })
        assert.include(
          yield* sentResults,
          'a! there is no tool named "approve" any more; its answer was: yes, but only on Monday'
        )
      }).pipe(inSession, Effect.provide(scripted({ tools: {}, log: store })))
    })
  )

  it.effect("others still wait for theirs", () =>
    Effect.gen(function* () {
      const store = yield* log
      const both = { ...tools, sign: approve }
      yield* Effect.gen(function* () {
        yield* next(call({ id: "a", name: "approve" }, { id: "c", name: "sign" }))
        yield* AgentLoop.run("deploy")
      }).pipe(inSession, Effect.provide(scripted({ tools: both, log: store })))
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* AgentLoop.resume({}), { outcome: "suspended", pending: ["c"] })
        yield* next(say("signed"))
        assert.strictEqual((yield* AgentLoop.resume({ c: "yes" })).text, "signed")
      }).pipe(inSession, Effect.provide(scripted({ tools: { ...without("approve"), sign: approve }, log: store })))
    })
  )
})

describe("a writer that dies while a turn is resumed", () => {
  it.effect("at any write: the answer is in the log, or the turn waits for it still", () =>
    Effect.gen(function* () {
      const ends = new Set<string>()
      for (let at = 0; ; at++) {
        const store = yield* LogStore.makeMemory
        const log = Layer.succeed(LogStore.LogStore, store)
        yield* suspended.pipe(inSession, Effect.provide(scripted({ tools, log })))
        const dying = Layer.provide(Testing.layerFaultyLog([{ at, does: "crashes" }]), log)
        const resumed = yield* Effect.zipRight(
          next(say("deployed")),
          Effect.either(AgentLoop.resume({ a: "yes", c: "no" }))
        ).pipe(inSession, Effect.either, Effect.provide(scripted({ tools, log: dying })))
        yield* Effect.gen(function* () {
          const { _tag } = yield* AgentLoop.state
          ends.add(_tag)
          assert.isUndefined(unsettled((yield* history) as ReadonlyArray<Event>))
          if (_tag === "Suspended") {
            yield* next(say("deployed"))
            assert.strictEqual((yield* AgentLoop.resume({ a: "yes", c: "no" })).text, "deployed")
          } else {
            yield* next(say("on"))
            yield* AgentLoop.run("go on")
          }
          assert.includeMembers(yield* sentResults, ["a yes", "b contents", "c no"])
          assert.isUndefined(brokenPair(yield* Surface.messages))
        }).pipe(inSession, Effect.provide(scripted({ tools, log })))
        if (Either.isRight(resumed) && Either.isRight(resumed.right)) break
      }
      assert.sameMembers([...ends], ["Suspended", "Idle"])
    })
  )
})
