import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { headings } from "../../src/compaction/SummaryInstruction.ts"
import { SummaryFailed } from "../../src/errors/CompactionError.ts"
import { PayloadTooLarge } from "../../src/errors/ModelError.ts"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import type * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as OverflowRescue from "../../src/layers/OverflowRescue.ts"
import * as Surface from "../../src/layers/Surface.ts"
import type * as TokenMeter from "../../src/layers/TokenMeter.ts"
import * as Testing from "../../src/testing/index.ts"
import { brokenPair, type Event, foldLog, readLog, unsettled } from "../properties/reading.ts"
import { shown } from "./gateway.ts"
import { requests, script, scripted } from "./scripted.ts"
import { slowly } from "./slowLog.ts"
import { history, inSession, logLines, tool, words } from "./world.ts"

const { call, overflow, say } = Testing

/** Everything takes turns of the other fibers: each answer, tool, summary, and each write. */
const slow = <A>(value: A): Effect.Effect<A> => Effect.as(Effect.yieldNow(), value)
const slowLine =
  (line: Testing.Answer): Testing.Line =>
  () =>
    slow(line)
const lines = (...answers: ReadonlyArray<Testing.Answer>) => script(...answers.map(slowLine))

const tools = { read: tool(() => slow(words(600, "line"))) }
const prune = { over: 1_000, head: 300, tail: 100 }
const summarise = () => slow("## Goal")
const structured = headings.map((heading) => `## ${heading}\nnone`).join("\n\n")

type Services =
  AgentLoop.AgentLoop | CompactService.CompactService | Surface.Surface | TokenMeter.TokenMeter | Testing.Script

/** What compacts, what stands there before, and the rungs that land in the whole of it. */
interface Walk {
  readonly prepare: Effect.Effect<unknown, unknown, Services>
  readonly run: Effect.Effect<unknown, unknown, Services>
  readonly options: Parameters<typeof scripted>[0]
  readonly rungs: ReadonlyArray<string>
}

/** A result of 600 tokens, and 4,000 tokens of answers. */
const filled = Effect.gen(function* () {
  yield* lines(call({ id: "c1", name: "read" }), say(words(2_000)), say(words(2_000)))
  yield* AgentLoop.run("first")
  yield* AgentLoop.run("second")
})

const refusedOnce = Effect.zipRight(lines(overflow({ limit: 3_000 }), say("done")), AgentLoop.run("Go on"))
const fails = () => Effect.zipRight(Effect.yieldNow(), Effect.fail(new SummaryFailed({ reason: "model", detail: "" })))

const walks: { readonly [what: string]: Walk } = {
  "pressure before a request, pruned and summarised": {
    prepare: filled,
    run: Effect.zipRight(lines(say("done")), AgentLoop.run(words(1_000))),
    options: { window: 6_000, policy: { prune }, tools, summarise },
    rungs: ["prune", "summarise"]
  },
  "a rescue that prunes and summarises": {
    prepare: filled,
    run: refusedOnce,
    options: { policy: { prune }, tools, summarise },
    rungs: ["prune", "summarise"]
  },
  "a rescue that summarises in several requests": {
    prepare: filled,
    run: Effect.zipRight(
      lines(overflow({ limit: 4_000 }), say(structured), say(structured), say(structured), say("done")),
      AgentLoop.run("Go on")
    ),
    options: { policy: { prune: false }, tools, summarise: "by the model" },
    rungs: ["summarise"]
  },
  "a rescue whose summary fails, and that extracts": {
    prepare: filled,
    run: refusedOnce,
    options: { policy: { prune }, tools, summarise: fails },
    rungs: ["prune", "prune-tighter", "extract"]
  },
  "a rescue of a request that has too many bytes": {
    prepare: Effect.gen(function* () {
      yield* lines(say("seen"), say("seen"))
      yield* AgentLoop.run(shown("A", 9_000))
      yield* AgentLoop.run(shown("B", 9_000))
    }),
    run: Effect.zipRight(
      lines(new PayloadTooLarge({ route: Testing.route, detail: "too much" }), say("done")),
      AgentLoop.run("Go on")
    ),
    options: { summarise },
    rungs: ["drop-media"]
  },
  "a rescue around a request of the application's own": {
    prepare: filled,
    run: Effect.suspend(() => {
      let sent = 0
      return OverflowRescue.retry({
        envelope: { route: Testing.route },
        send: () => Effect.suspend(() => (sent++ === 0 ? Effect.flip(slow(overflow({ limit: 3_000 }))) : slow("ok")))
      })
    }),
    options: { policy: { prune }, tools, summarise },
    rungs: ["prune", "summarise"]
  }
}

/** What an interruption adds to what a run has written until then, and nothing else. */
const closing =
  /^(?:message\/assistant|compaction\/call interrupted|compaction\/end interrupted|step\/end \d+ interrupted|rescue\/end declined|turn\/end \d+ interrupted)$/

const logOf = (store: typeof LogStore.LogStore.Service) => Layer.succeed(LogStore.LogStore, store)

/** What stands in the log before each run. */
const prepared = ({ options, prepare }: Walk) =>
  Effect.gen(function* () {
    const store = yield* LogStore.makeMemory
    yield* prepare.pipe(inSession, Effect.provide(scripted({ ...options, log: logOf(store) })))
    return yield* readLog(store, "s")
  })

/** The run, interrupted so many turns of the other fibers after it began: what it left, and whether it was whole by then. */
const interruptedAfter = (turns: number, before: ReadonlyArray<Event>, { options, run }: Walk) =>
  Effect.gen(function* () {
    const store = yield* LogStore.makeMemory
    yield* Effect.scoped(
      Effect.flatMap(store.open("s"), (log) => log.append({ seq: 0, events: before }, { sync: true }))
    )
    return yield* Effect.gen(function* () {
      const from = (yield* logLines).length
      const running = yield* Effect.fork(run)
      if (turns > 0) yield* Effect.repeatN(Effect.yieldNow(), turns - 1)
      const whole = Exit.isSuccess(yield* Fiber.interrupt(running))
      const sent = (yield* requests).length
      yield* Effect.repeatN(Effect.yieldNow(), 30)
      assert.lengthOf(yield* requests, sent, "a request came after the interruption")
      const events = (yield* history) as ReadonlyArray<Event>
      return {
        store,
        whole,
        events,
        written: (yield* logLines).slice(from),
        messages: yield* Surface.messages,
        generation: yield* Surface.generation
      }
    }).pipe(inSession, Effect.provide(scripted({ ...options, log: slowly(1, logOf(store)) })))
  })

/** What it left is whole, the next writer has nothing to settle, and the session goes on. */
const check = (
  { events, generation, messages, store, written }: Effect.Effect.Success<ReturnType<typeof interruptedAfter>>,
  { options }: Walk
) =>
  Effect.gen(function* () {
    assert.isUndefined(unsettled(events), written.join())
    const { landings, surface } = foldLog(events)
    assert.strictEqual(generation, landings.length)
    assert.isTrue(landings.every(({ stood }) => stood))
    assert.deepStrictEqual(
      surface.map(({ message }) => message),
      messages
    )
    assert.isUndefined(brokenPair(messages))
    yield* Effect.gen(function* () {
      const reopened = (yield* history) as ReadonlyArray<Event>
      assert.deepStrictEqual(
        reopened.slice(events.length).map(({ type }) => type),
        ["session/opened"]
      )
      assert.strictEqual(yield* Surface.generation, generation)
      assert.deepStrictEqual(yield* Surface.messages, messages)
      // each may be asked for as a summary, where the model makes them
      yield* script(...Array.from({ length: 5 }, () => say(structured)))
      assert.deepInclude(yield* AgentLoop.run("And now?"), { outcome: "completed", text: structured })
    }).pipe(inSession, Effect.provide(scripted({ ...options, log: logOf(store) })))
  })

describe("interrupted at every await", () => {
  for (const [what, walk] of Object.entries(walks)) {
    it.effect(`${what}: the log is the beginning of the whole one and its end, and the session goes on [P50]`, () =>
      Effect.gen(function* () {
        const before = yield* prepared(walk)
        const seen = new Map<string, ReadonlyArray<string>>()
        let left = yield* interruptedAfter(0, before, walk)
        for (let turns = 1; !left.whole; turns++) {
          if (!seen.has(left.written.join())) yield* check(left, walk)
          seen.set(left.written.join(), left.written)
          assert.isBelow(turns, 150, left.written.join())
          left = yield* interruptedAfter(turns, before, walk)
        }
        yield* check(left, walk)
        const { events, written: all } = left
        const rungs = events.flatMap((event) =>
          event.type === "compaction/prune" || event.type === "compaction/summary" ? [event.data.rung] : []
        )
        assert.deepStrictEqual(rungs, walk.rungs)
        for (const written of seen.values()) {
          const begun = written.findIndex((line, i) => line !== all[i])
          for (const line of begun === -1 ? [] : written.slice(begun)) assert.match(line, closing, written.join())
        }
        // the walk came to each of its rungs, and between the records of it
        assert.isAtLeast(seen.size, 4 * rungs.length)
      })
    )
  }
})
