import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { rmSync } from "node:fs"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as CompactService from "../../src/layers/CompactService.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import * as Sessions from "../../src/layers/Sessions.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import * as Testing from "../../src/testing/index.ts"
import { type Event, readLog, unsettled } from "../properties/reading.ts"
import { layerFileTemporary, makeDirectory } from "../layers/logs.ts"
import { scripted } from "./scripted.ts"
import { slowly } from "./slowLog.ts"
import { history, long, tool } from "./world.ts"

const { call, Script, say } = Testing

const tools = {
  read: tool(() => Effect.succeed("contents ".repeat(2_000))),
  approve: tool(() => Effect.succeed({ suspend: "asks a person" }))
}

type Options = Parameters<typeof scripted>[0]
const live = (options: Options = {}) => Layer.provideMerge(Sessions.layer(), scripted({ tools, ...options }))

/** The session's log, from inside of it. */
const logOf = (id: string) => Effect.map(Sessions.use(id, history), (events) => events as ReadonlyArray<Event>)
const messagesOf = (id: string) => Sessions.use(id, Surface.messages)
const next = (...lines: ReadonlyArray<Testing.Line>) => Effect.flatMap(Script, (script) => script.next(...lines))

const last = (events: ReadonlyArray<Event>, type: Event["type"]) => events.findLast((event) => event.type === type)!.seq

describe("Sessions.branch", () => {
  it.effect("makes a session that was the other one there, and each goes on by itself", () =>
    Effect.gen(function* () {
      yield* next(call({ id: "c", name: "read" }), say("first answer"), say("second answer"))
      yield* Sessions.use("p", AgentLoop.run("first"))
      const there = yield* messagesOf("p")
      const at = last(yield* logOf("p"), "turn/end")
      yield* Sessions.use("p", AgentLoop.run("second"))
      const before = yield* logOf("p")

      yield* Sessions.branch("p", { at, as: "b" })
      assert.deepStrictEqual(yield* messagesOf("b"), there)
      const [opened, ...copied] = (yield* logOf("b")).slice(0, at + 1)
      assert.deepInclude(opened?.data, { session: "b", parent: { session: "p", seq: at } })
      assert.deepStrictEqual(copied, before.slice(1, at + 1))
      assert.deepStrictEqual(yield* logOf("p"), before)

      yield* next(say("another second answer"))
      yield* Sessions.use("b", AgentLoop.run("another second"))
      assert.deepStrictEqual(yield* logOf("p"), before)
      assert.include(JSON.stringify(yield* messagesOf("b")), "another second answer")
      yield* next(say("third answer"))
      yield* Sessions.use("p", AgentLoop.run("third"))
      assert.notInclude(JSON.stringify(yield* messagesOf("b")), "third answer")
      // requests name the session that they are of
      const ids = (yield* (yield* Script).requests).map(({ id }) => id.split("/")[0])
      assert.deepStrictEqual(ids.slice(-2), ["b", "p"])
    }).pipe(Effect.provide(live()))
  )

  it.effect(
    "rewinds: branched before a checkpoint it has the raw messages again, which cannot be had in place [P64]",
    () =>
      Effect.gen(function* () {
        yield* next(say(long(600)), say("newest answer"))
        yield* Sessions.use("p", AgentLoop.run("first"))
        yield* Sessions.use("p", AgentLoop.run("second"))
        const raw = yield* messagesOf("p")
        assert.deepInclude(yield* Sessions.use("p", CompactService.compactNow), { _tag: "Reduced" })
        const events = yield* logOf("p")
        const checkpoint = last(events, "compaction/start")
        yield* Sessions.branch("p", { at: checkpoint - 1, as: "before" })
        yield* Sessions.branch("p", { at: events.length - 1, as: "after" })
        assert.deepStrictEqual(yield* messagesOf("before"), raw)
        assert.strictEqual(yield* Sessions.use("before", Surface.generation), 0)
        assert.deepStrictEqual(yield* messagesOf("after"), yield* messagesOf("p"))
        assert.strictEqual(yield* Sessions.use("after", Surface.generation), 1)
        // what the checkpoint shadows is in that branch too
        assert.include(JSON.stringify(yield* logOf("after")), "ancient ancient")
      }).pipe(Effect.provide(live()))
  )

  it.effect("says why not, and writes nothing", () =>
    Effect.gen(function* () {
      yield* next(say("answer"))
      yield* Sessions.use("p", AgentLoop.run("first"))
      yield* Sessions.use("q", AgentLoop.state)
      const events = yield* logOf("p")
      const refused = (id: string, at: number, as: string) =>
        Effect.map(Effect.flip(Sessions.branch(id, { at, as })), (error) =>
          error._tag === "InvalidBranch" ? error.reason : error._tag
        )
      assert.strictEqual(yield* refused("nobody", 0, "b"), "no-such-session")
      for (const at of [-1, 1.5, NaN, Infinity, events.length]) {
        assert.strictEqual(yield* refused("p", at, "b"), "no-such-seq", String(at))
      }
      for (const as of ["", "a\nb", "x".repeat(201)]) assert.strictEqual(yield* refused("p", 1, as), "invalid-id")
      for (const as of ["p", "q"]) assert.strictEqual(yield* refused("p", 1, as), "exists")
      yield* Sessions.branch("p", { at: 3, as: "b" })
      assert.strictEqual(yield* refused("p", 3, "b"), "exists")
      const { exists } = yield* LogStore.LogStore
      assert.deepStrictEqual(yield* Effect.forEach(["nobody", "b"], exists), [false, true])
      assert.deepStrictEqual(yield* logOf("p"), events)
      const error = yield* Effect.flip(Sessions.branch("p", { at: 99, as: "c" }))
      assert.match(String(error), /session "p" was not branched .*seq 0 to \d+.* 99/)
    }).pipe(Effect.provide(live()))
  )

  it.effect("at 0 it is an empty session", () =>
    Effect.gen(function* () {
      yield* next(say("answer"), say("mine"))
      yield* Sessions.use("p", AgentLoop.run("first"))
      yield* Sessions.branch("p", { at: 0, as: "b" })
      assert.deepStrictEqual(yield* messagesOf("b"), [])
      assert.strictEqual((yield* Sessions.use("b", AgentLoop.run("hello"))).text, "mine")
    }).pipe(Effect.provide(live()))
  )

  it.effect("a branch can be branched", () =>
    Effect.gen(function* () {
      yield* next(say("one"), say("two"))
      yield* Sessions.use("p", AgentLoop.run("first"))
      yield* Sessions.branch("p", { at: last(yield* logOf("p"), "turn/end"), as: "b" })
      yield* Sessions.use("b", AgentLoop.run("second"))
      const at = last(yield* logOf("b"), "turn/end")
      yield* Sessions.branch("b", { at, as: "c" })
      assert.deepStrictEqual(yield* messagesOf("c"), yield* messagesOf("b"))
      assert.deepInclude((yield* logOf("c"))[0]?.data, { parent: { session: "b", seq: at } })
    }).pipe(Effect.provide(live()))
  )

  it.effect("of a session whose turn runs: what is written so far, and the turn goes on undisturbed", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      yield* next(() =>
        Deferred.succeed(asked, undefined).pipe(Effect.zipRight(Deferred.await(answer)), Effect.as(say("done")))
      )
      const turn = yield* Effect.fork(Sessions.use("p", AgentLoop.run("first")))
      yield* Deferred.await(asked)
      const at = (yield* logOf("p")).length - 1
      yield* Sessions.branch("p", { at, as: "b" })
      assert.deepStrictEqual(yield* Sessions.use("p", AgentLoop.state), { _tag: "Running", turn: 0 })
      assert.deepStrictEqual(yield* Sessions.use("b", AgentLoop.state), { _tag: "Idle" })
      assert.isUndefined(unsettled(yield* logOf("b")))
      yield* Deferred.succeed(answer, undefined)
      assert.strictEqual((yield* Fiber.join(turn)).text, "done")
      assert.notInclude(JSON.stringify(yield* logOf("b")), "done")
    }).pipe(Effect.provide(live()))
  )

  it.effect("of a suspended turn: both wait for the answer, and each may get another", () =>
    Effect.gen(function* () {
      yield* next(call({ id: "a", name: "approve" }))
      yield* Sessions.use("p", AgentLoop.run("deploy"))
      yield* Sessions.branch("p", { at: (yield* logOf("p")).length - 1, as: "b" })
      assert.deepInclude(yield* Sessions.use("b", AgentLoop.state), { _tag: "Suspended", pending: ["a"] })
      yield* next(say("deployed"), say("not deployed"))
      assert.strictEqual((yield* Sessions.use("p", AgentLoop.resume({ a: "yes" }))).text, "deployed")
      assert.strictEqual((yield* Sessions.use("b", AgentLoop.resume({ a: "no" }))).text, "not deployed")
    }).pipe(Effect.provide(live()))
  )

  it.effect(
    "at every seq, also inside a turn, a step, a pair, a pass of prunes, a compaction: as if it had died there",
    () =>
      Effect.gen(function* () {
        yield* next(
          call({ id: "c1", name: "read" }, { id: "c2", name: "read" }),
          say(long(300)),
          say(long(300)),
          call({ id: "c3", name: "approve" })
        )
        for (const prompt of ["one", "two"]) yield* Sessions.use("p", AgentLoop.run(prompt))
        yield* Sessions.use("p", CompactService.compactNow)
        yield* Sessions.use("p", AgentLoop.run("three"))
        const events = yield* logOf("p")
        const types = new Set(events.map(({ type }) => type))
        for (const type of ["compaction/prune", "compaction/summary", "step/end", "turn/end"] as const) {
          assert.isTrue(types.has(type), type)
        }
        const store = yield* LogStore.LogStore
        for (let at = 0; at < events.length; at++) {
          yield* Sessions.branch("p", { at, as: `b${at}` })
          const copy = yield* logOf(`b${at}`)
          assert.isUndefined(unsettled(copy), `at ${at}`)
          yield* Effect.scoped(
            Effect.flatMap(store.open(`died${at}`), (log) =>
              log.append({ seq: 0, events: events.slice(0, at + 1) }, { sync: true })
            )
          )
          assert.deepStrictEqual(yield* messagesOf(`b${at}`), yield* messagesOf(`died${at}`), `at ${at}`)
          assert.deepStrictEqual(
            copy.slice(at + 1).map(({ type }) => type),
            (yield* logOf(`died${at}`)).slice(at + 1).map(({ type }) => type),
            `at ${at}`
          )
        }
      }).pipe(Effect.provide(live({ window: 5_500, policy: { prune: { over: 500, head: 100, tail: 50 } } })))
  )

  it.scoped("in files, of a session that nobody has open, and read by another process's eyes", () =>
    Effect.gen(function* () {
      yield* next(say("answer"), say("mine"))
      yield* Sessions.use("p", AgentLoop.run("first")).pipe(Effect.provide(Sessions.layer()))
      yield* Sessions.branch("p", { at: 3, as: "b" }).pipe(Effect.provide(Sessions.layer()))
      const copy = yield* readLog(yield* LogStore.LogStore, "b")
      assert.deepStrictEqual(
        copy.map(({ seq }) => seq),
        [0, 1, 2, 3]
      )
      yield* Effect.gen(function* () {
        assert.deepStrictEqual((yield* messagesOf("b")).map(Message.text), ["first"])
        assert.strictEqual((yield* Sessions.use("b", AgentLoop.run("again"))).text, "mine")
      }).pipe(Effect.provide(Sessions.layer()))
    }).pipe(Effect.provide(scripted({ log: Layer.orDie(layerFileTemporary) })))
  )

  it.scoped("stands without its parent, with what a checkpoint before it stands for [RESUME-3]", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const log = Layer.orDie(layerLogStoreFile({ directory }))
      const before = yield* Effect.gen(function* () {
        yield* next(say(long(600)), say("newest answer"))
        yield* Sessions.use("p", AgentLoop.run("first"))
        yield* Sessions.use("p", AgentLoop.run("second"))
        yield* Sessions.use("p", CompactService.compactNow)
        yield* Sessions.branch("p", { at: (yield* logOf("p")).length - 1, as: "b" })
        return { messages: yield* messagesOf("p"), events: yield* logOf("p") }
      }).pipe(Effect.provide(live({ log })))
      rmSync(`${directory}/p.jsonl`)
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* messagesOf("b"), before.messages)
        assert.deepStrictEqual((yield* logOf("b")).slice(1, before.events.length), before.events.slice(1))
        yield* next(say(long(600)), say("and on"))
        yield* Sessions.use("b", AgentLoop.run("third"))
        yield* Sessions.use("b", AgentLoop.run("fourth"))
        assert.deepInclude(yield* Sessions.use("b", CompactService.compactNow), { _tag: "Reduced", generation: 2 })
        assert.deepInclude(yield* Effect.flip(Sessions.branch("p", { at: 0, as: "c" })), {
          _tag: "InvalidBranch",
          reason: "no-such-session"
        })
      }).pipe(Effect.provide(live({ log })))
    })
  )
})

/** A store with a session "p" that takes several batches to copy. */
const large = Effect.gen(function* () {
  const store = yield* LogStore.makeMemory
  const log = Layer.succeed(LogStore.LogStore, store)
  yield* Effect.forEach(letters, (letter) => Surface.append(Message.user(letter.repeat(600_000))), {
    discard: true
  }).pipe((appends) => Sessions.use("p", appends), Effect.provide(live({ log })))
  const events = yield* readLog(store, "p")
  return { store, log, at: events.length - 1 }
})

const letters = ["a", "b", "c"]
const lettersOf = (messages: ReadonlyArray<Message.Message>) => messages.map((message) => Message.text(message)[0])

describe("a copy that was cut off", () => {
  for (const does of ["fails", "doubts", "lands", "crashes", "hangs"] as const) {
    it.effect(`an append that ${does}: it is no session until the same call has finished it`, () =>
      Effect.gen(function* () {
        const { at, log, store } = yield* large
        let refused = 0
        // the first append is of the parent, which is opened
        for (let failing = 1; ; failing++) {
          const as = `b${failing}`
          const fault: Testing.Fault =
            does === "lands" ? { at: failing, does: "doubts", lands: true } : { at: failing, does }
          const faulty = Layer.provide(Testing.layerFaultyLog([fault]), log)
          const first = yield* Sessions.branch("p", { at, as }).pipe(
            Effect.provide(live({ log: faulty })),
            Effect.either,
            Effect.fork
          )
          yield* Effect.repeatN(
            Effect.zipRight(Effect.yieldNow(), does === "hangs" ? TestClock.adjust("31 seconds") : Effect.void),
            200
          )
          const done = yield* Fiber.join(first)
          if (Either.isRight(done)) break
          assert.strictEqual(done.left._tag, "LogWriteFailed")
          yield* Effect.gen(function* () {
            if (yield* store.exists(as)) {
              const opened = yield* Effect.either(messagesOf(as))
              if (Either.isRight(opened)) {
                // all of it had landed
                assert.strictEqual(does, "lands")
                assert.deepStrictEqual(lettersOf(opened.right), letters)
                return
              }
              refused++
              assert.deepInclude(opened.left, { _tag: "SessionCorrupt", session: as })
              assert.include(String(opened.left), `branch of session "p" at seq ${at}`)
              // something else cannot take its place, nor be branched off it
              const other = yield* Effect.flip(Sessions.branch("p", { at: 0, as }))
              assert.deepInclude(other, { _tag: "InvalidBranch", reason: "exists" })
              assert.deepInclude(yield* Effect.flip(Sessions.branch(as, { at: 0, as: "x" })), {
                _tag: "SessionCorrupt"
              })
            }
            yield* Sessions.branch("p", { at, as })
            assert.deepStrictEqual(lettersOf(yield* messagesOf(as)), letters)
          }).pipe(Effect.provide(live({ log })))
        }
        assert.isAbove(refused, 1)
      })
    )
  }

  it.effect("interrupted anywhere: the same, and the parent is as it was", () =>
    Effect.gen(function* () {
      const { at, log, store } = yield* large
      const before = lettersOf(yield* messagesOf("p").pipe(Effect.provide(live({ log }))))
      const seen = new Set<string>()
      for (let yields = 0; !seen.has("whole") && yields < 500; yields += 2) {
        const as = `b${yields}`
        yield* Effect.gen(function* () {
          const fiber = yield* Effect.fork(Sessions.branch("p", { at, as }))
          yield* Effect.repeatN(Effect.yieldNow(), yields)
          const exit = yield* Fiber.interrupt(fiber)
          if (Exit.isSuccess(exit)) seen.add("whole")
          else if (yield* store.exists(as)) {
            const opened = yield* Effect.either(messagesOf(as))
            // the last append may have been under way
            if (Either.isRight(opened)) return assert.deepStrictEqual(lettersOf(opened.right), letters)
            seen.add("half")
            assert.strictEqual(opened.left._tag, "SessionCorrupt")
          } else seen.add("nothing")
          if (Exit.isFailure(exit)) yield* Sessions.branch("p", { at, as })
          assert.deepStrictEqual(lettersOf(yield* messagesOf(as)), letters)
        }).pipe(Effect.provide(live({ log: slowly(6, log) })))
      }
      assert.sameMembers([...seen], ["nothing", "half", "whole"])
      assert.deepStrictEqual(lettersOf(yield* messagesOf("p").pipe(Effect.provide(live({ log })))), before)
    })
  )

  it.effect("who asks for it meanwhile waits for the whole; a second branch of that name is refused", () =>
    Effect.gen(function* () {
      const { at, log } = yield* large
      yield* Effect.gen(function* () {
        const [first, second, read] = yield* Effect.all(
          [
            Effect.either(Sessions.branch("p", { at, as: "b" })),
            Effect.either(Sessions.branch("p", { at, as: "b" })),
            Effect.repeatN(Effect.yieldNow(), 30).pipe(Effect.zipRight(messagesOf("b")))
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([first._tag, second._tag].sort(), ["Left", "Right"])
        assert.deepStrictEqual(lettersOf(read), letters)
      }).pipe(Effect.provide(live({ log: slowly(6, log) })))
    })
  )
})
