import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as SurfaceState from "../../src/session/SurfaceState.ts"
import * as Testing from "../../src/testing/index.ts"
import { scripted } from "./scripted.ts"
import { history, inSession, logLines, long, onSurface, tool } from "./world.ts"

const { call, Script, say } = Testing

/** Seqs on the surface, in its order. */
const seqs = Effect.map(
  Effect.flatMap(Surface.Surface, (surface) => surface.state),
  ({ surface }) => SurfaceState.nodes(surface).map(({ seq }) => seq)
)

const twoTurns = Effect.gen(function* () {
  const script = yield* Script
  yield* script.next(call({ id: "c1", name: "read" }), say(long(600)), say("newest answer"))
  yield* AgentLoop.run("first question")
  yield* AgentLoop.run("second question")
})
const tools = { read: tool(() => Effect.succeed("contents")) }

/** Whatever begins next is summarised only when this is done. */
const gate = () => {
  const begun = Deferred.unsafeMake<void>(FiberId.none)
  const open = Deferred.unsafeMake<void>(FiberId.none)
  const summarise = () =>
    Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(open)), Effect.as("summary"))
  return { begun, open, summarise }
}

describe("compaction by hand", () => {
  it.effect("compactNow replaces all but the newest unit, as the plan said [A87 P63]", () =>
    Effect.gen(function* () {
      yield* twoTurns
      const before = yield* history
      const plan = yield* CompactService.plan("manual")
      assert.deepStrictEqual(yield* history, before)
      const nodes = yield* seqs
      assert.deepInclude(plan, { _tag: "Planned", rung: "summarise", first: nodes[0] ?? -1, last: nodes.at(-2) ?? -1 })
      const outcome = yield* CompactService.compactNow
      assert.deepInclude(outcome, { _tag: "Reduced", trigger: "manual", rungs: ["summarise"], generation: 1 })
      const summary = (yield* history).find((event) => event.type === "compaction/summary")
      assert.isTrue(plan._tag === "Planned" && summary?.type === "compaction/summary")
      if (plan._tag !== "Planned" || summary?.type !== "compaction/summary") return
      assert.deepStrictEqual(summary.data.span, { first: plan.first, last: plan.last })
      assert.strictEqual(summary.data.price.before, plan.price)
      const left = yield* onSurface
      assert.include(left, "newest answer")
      assert.include(left, "what was said")
      assert.notInclude(left, "ancient ancient")
      assert.deepStrictEqual((yield* logLines).slice(-5), [
        "compaction/start manual",
        "compaction/call completed",
        "compaction/summary",
        "message/user checkpoint",
        "compaction/end landed"
      ])
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )

  it.effect(
    "declines with a reason and writes nothing where there is no span, and before any request [A40 A132 BADSUM-3]",
    () =>
      Effect.gen(function* () {
        const untouched = yield* history
        assert.deepInclude(yield* CompactService.compactNow, { _tag: "Declined", reason: "no-route" })
        assert.deepInclude(yield* CompactService.plan("manual"), { _tag: "Declined", reason: "no-route" })
        assert.deepStrictEqual(yield* history, untouched)
        yield* (yield* Script).next(say("answer"))
        yield* AgentLoop.run("question")
        const before = yield* history
        const plan = yield* CompactService.plan("manual")
        assert.deepInclude(plan, { _tag: "Declined", reason: "no-span" })
        const outcome = yield* CompactService.compactNow
        assert.deepEqual<unknown>(outcome, plan)
        assert.deepStrictEqual(yield* history, before)
      }).pipe(inSession, Effect.provide(scripted()))
  )

  it.effect("is refused while a turn runs, both ways, with nothing written [A130 LOOP-13]", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* twoTurns
      const asked = yield* Deferred.make<void>()
      yield* script.next(() => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))
      const turn = yield* Effect.fork(AgentLoop.run("third"))
      yield* Deferred.await(asked)
      const before = yield* history
      const [first = -1, ...others] = yield* seqs
      for (const manual of [CompactService.compactNow, CompactService.compactRegion(first, others[3] ?? -1)]) {
        assert.deepInclude(yield* Effect.flip(manual), { _tag: "SessionBusy", state: "running", turn: 2 })
      }
      assert.deepStrictEqual(yield* history, before)
      yield* Fiber.interrupt(turn)
      assert.deepInclude(yield* CompactService.compactNow, { _tag: "Reduced" })
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )

  it.effect("a second one while one runs is refused as busy [A130 A142 P53 RACE-1]", () => {
    const { begun, open, summarise } = gate()
    return Effect.gen(function* () {
      yield* twoTurns
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      assert.strictEqual((yield* Effect.flip(CompactService.compactNow))._tag, "CompactionBusy")
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(running))._tag, "Reduced")
    }).pipe(inSession, Effect.provide(scripted({ summarise, tools })))
  })

  it.effect("a prompt that comes meanwhile waits until it has ended, and is sent on what it left [A127]", () => {
    const { begun, open, summarise } = gate()
    return Effect.gen(function* () {
      const script = yield* Script
      yield* twoTurns
      const sent = (yield* script.requests).length
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      yield* script.next(say("done"))
      const turn = yield* Effect.fork(AgentLoop.run("third"))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      assert.lengthOf(yield* script.requests, sent)
      assert.notInclude(yield* logLines, "turn/start 2")
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(running))._tag, "Reduced")
      assert.strictEqual((yield* Fiber.join(turn)).text, "done")
      const lines = yield* logLines
      assert.isBelow(lines.indexOf("compaction/end landed"), lines.indexOf("turn/start 2"))
      assert.deepInclude((yield* script.requests).at(-1), { generation: 1 })
    }).pipe(inSession, Effect.provide(scripted({ summarise, tools })))
  })

  it.effect("interrupted, it leaves one end record and lets the next prompt in [A134 ATOMIC-7 P47]", () => {
    const { begun, summarise } = gate()
    return Effect.gen(function* () {
      yield* twoTurns
      const running = yield* Effect.fork(CompactService.compactNow)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual((yield* logLines).slice(-3), [
        "compaction/start manual",
        "compaction/call interrupted",
        "compaction/end interrupted"
      ])
      yield* (yield* Script).next(say("done"))
      assert.strictEqual((yield* AgentLoop.run("third")).text, "done")
    }).pipe(inSession, Effect.provide(scripted({ summarise, tools })))
  })

  it.effect("compactRegion replaces the span that was chosen and nothing else [ATOMIC-4]", () =>
    Effect.gen(function* () {
      yield* twoTurns
      // question, call, result, answer, question, answer
      const nodes = yield* seqs
      const outcome = yield* CompactService.compactRegion(nodes[1] ?? -1, nodes[3] ?? -1)
      assert.deepInclude(outcome, { _tag: "Reduced", rungs: ["summarise"] })
      const after = yield* seqs
      assert.deepStrictEqual([after[0], ...after.slice(2)], [nodes[0], nodes[4], nodes[5]])
      assert.notInclude(yield* onSurface, "ancient ancient")
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )

  it.effect("compactRegion says why it refuses, and writes nothing [A89]", () =>
    Effect.gen(function* () {
      yield* twoTurns
      const nodes = yield* seqs
      const at = (place: number) => nodes[place] ?? -1
      const before = yield* history
      const refused = (first: number, last: number) => Effect.flip(CompactService.compactRegion(first, last))
      assert.deepInclude(yield* refused(at(0), 9_999), { _tag: "InvalidReplacement", reason: "no-such-node" })
      assert.deepInclude(yield* refused(9_999, at(0)), { reason: "no-such-node" })
      assert.deepInclude(yield* refused(at(3), at(0)), { reason: "reversed" })
      assert.deepInclude(yield* refused(at(0), at(1)), { reason: "splits-a-pair" })
      assert.deepInclude(yield* refused(at(2), at(3)), { reason: "splits-a-pair" })
      assert.deepInclude(yield* CompactService.compactRegion(at(0), at(0)), { _tag: "Declined", reason: "no-span" })
      assert.deepStrictEqual(yield* history, before)
    }).pipe(inSession, Effect.provide(scripted({ tools })))
  )

  it.effect(
    "a summary that fails, or is not smaller, is told as that, and nothing is replaced [A93 A134 GROW-1 GROW-3]",
    () => {
      const answers: Array<Effect.Effect<string, SummaryFailed>> = [
        Effect.fail(new SummaryFailed({ reason: "filtered", detail: "no" })),
        Effect.succeed(""),
        Effect.succeed(long(5_000, "padding"))
      ]
      return Effect.gen(function* () {
        const script = yield* Script
        yield* script.next(say(long(120)), say("answer"))
        yield* AgentLoop.run("first")
        yield* AgentLoop.run("second")
        const nodes = yield* seqs
        const region = CompactService.compactRegion(nodes[0] ?? -1, nodes[1] ?? -1)
        assert.deepInclude(yield* Effect.flip(region), { _tag: "SummaryFailed", reason: "filtered" })
        assert.deepInclude(yield* Effect.flip(region), { _tag: "SummaryFailed", reason: "empty" })
        assert.deepInclude(yield* Effect.flip(region), { _tag: "InvalidReplacement", reason: "not-smaller" })
        assert.deepStrictEqual(yield* seqs, nodes)
        assert.strictEqual(yield* Surface.generation, 0)
      }).pipe(
        inSession,
        Effect.provide(scripted({ summarise: () => Effect.suspend(() => answers.shift() ?? Effect.never) }))
      )
    }
  )
})
