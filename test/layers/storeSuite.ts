import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { AgentLoop, Session, Summarizer, Surface, ToolRunner } from "../../src/index.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as Testing from "../../src/testing/index.ts"
import { readAll } from "./logs.ts"

const plain = { sync: false }

const open = (id: string) => Effect.flatMap(LogStore.LogStore, (store) => store.open(id))

/** Each is another session, on any file system and in any collation. */
const ids = [
  ["a", "A", "\u00c4", "a ", " a", "", ".", "..", "../../up", "/etc/x", "a.b", "con", "%41", "%", "_", '"', "$1", "?"],
  ["'; DROP TABLE batches; --", "\\", "\\u0000", "\0", "\ud83d", "\ude00", "\\ud83d", "\ufffd", "\u00e9", "e\u0301"],
  ["x".repeat(200), "\u{1f600}".repeat(200), `${"\u{1f600}".repeat(199)}x`]
].flat()

/**
 * What every store keeps. `missing` says why this machine lacks the store. The summary of a test run tells by the suites'
 * names which stores were tested.
 */
export const storeSuite = (name: string, layer: Layer.Layer<LogStore.LogStore, unknown>, missing?: string) =>
  describe.skipIf(missing !== undefined)(`log store: ${name}${missing === undefined ? "" : ` (${missing})`}`, () => {
    it.scoped("a log that nobody wrote is empty and does not exist", () =>
      Effect.gen(function* () {
        const store = yield* LogStore.LogStore
        assert.isFalse(yield* store.exists("s"))
        const log = yield* store.open("s")
        assert.deepStrictEqual(yield* readAll(log), [])
        assert.isFalse(yield* store.exists("s"))
        yield* log.append({ seq: 0, events: ["a"] }, plain)
        assert.isTrue(yield* store.exists("s"))
        assert.isFalse(yield* store.exists("t"))
      }).pipe(Effect.provide(layer))
    )

    it.scoped("gives back what was appended, from any seq, in this open and the next", () =>
      Effect.gen(function* () {
        const batches = [
          { seq: 0, events: [{ a: 1 }, null, "\ud83d\n"] },
          { seq: 3, events: [[]] },
          { seq: 4, events: ["ä", 2.5] }
        ]
        const check = Effect.fnUntraced(function* (log: LogStore.LogHandle) {
          for (const [from, first] of [0, 0, 0, 1, 2, 2, 3, 3].entries()) {
            assert.deepStrictEqual(yield* readAll(log, from), batches.slice(first), `from ${from}`)
          }
          return log.writer
        })
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* open("s")
            for (const batch of batches) yield* log.append(batch, { sync: batch.seq === 3 })
            return yield* check(log)
          })
        )
        const second = yield* Effect.scoped(Effect.flatMap(open("s"), check))
        assert.notStrictEqual(first, second)
      }).pipe(Effect.provide(layer))
    )

    it.scoped("an append is a description: nothing is written before it runs, and each run is a write of its own", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        const described = log.append({ seq: 0, events: ["a"] }, plain)
        assert.deepStrictEqual(yield* readAll(log), [])
        yield* described
        assert.strictEqual((yield* Effect.flip(described)).written, "no")
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: ["a"] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("takes the next free seq and no other", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        yield* log.append({ seq: 0, events: [0, 1] }, plain)
        for (const seq of [0, 1, 3]) {
          const error = yield* Effect.flip(log.append({ seq, events: ["x"] }, plain))
          assert.deepInclude(error, { _tag: "LogWriteFailed", session: "s", seq, written: "no" })
        }
        yield* log.append({ seq: 2, events: [2] }, plain)
        assert.deepStrictEqual(yield* readAll(log), [
          { seq: 0, events: [0, 1] },
          { seq: 2, events: [2] }
        ])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("of appends at the same seq at once, one is written", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        const tries = Array.from({ length: 20 }, (_, i) => Effect.either(log.append({ seq: 0, events: [i] }, plain)))
        const results = yield* Effect.all(tries, { concurrency: "unbounded" })
        assert.strictEqual(results.filter(Either.isRight).length, 1)
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: [results.findIndex(Either.isRight)] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("refuses what is no JSON, and goes on", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        const cyclic: Array<unknown> = []
        cyclic.push(cyclic)
        for (const event of [cyclic, 1n]) {
          const error = yield* Effect.flip(log.append({ seq: 0, events: ["fine", event] }, plain))
          assert.strictEqual(error.written, "no")
          assert.include(error.message, "cannot be written as JSON")
        }
        yield* log.append({ seq: 0, events: ["fine"] }, plain)
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: ["fine"] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("writes nothing for a batch without events", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        yield* log.append({ seq: 0, events: [] }, { sync: true })
        assert.deepStrictEqual(yield* readAll(log), [])
        yield* log.append({ seq: 0, events: [0] }, plain)
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: [0] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("keeps what was written from those who wrote and read it", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        const event = { text: "before" }
        yield* log.append({ seq: 0, events: [event] }, plain)
        event.text = "after"
        const [read] = yield* readAll(log)
        const seen = read!.events[0] as typeof event
        assert.strictEqual(seen.text, "before")
        seen.text = "changed"
        assert.deepStrictEqual(yield* readAll(log), [{ seq: 0, events: [{ text: "before" }] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("has one writer: the next is refused at once, and let in when the scope closes", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const log = yield* Scope.extend(open("s"), scope)
        const error = yield* Effect.flip(open("s"))
        assert.strictEqual(error._tag, "SessionLocked")
        assert.deepInclude(error, { session: "s", since: 0 })
        yield* open("another")
        yield* Scope.close(scope, Exit.void)
        const next = yield* open("s")
        const late = yield* Effect.flip(log.append({ seq: 0, events: ["late"] }, plain))
        assert.deepInclude(late, { written: "no", detail: "the log is closed" })
        yield* next.append({ seq: 0, events: ["next"] }, plain)
        assert.deepStrictEqual(yield* readAll(next), [{ seq: 0, events: ["next"] }])
      }).pipe(Effect.provide(layer))
    )

    it.scoped("of openers at once, exactly one gets in, each time", () =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          const tries = Array.from({ length: 20 }, () => Effect.either(open("s")))
          const results = yield* Effect.scoped(Effect.all(tries, { concurrency: "unbounded" }))
          assert.strictEqual(results.filter(Either.isRight).length, 1, `round ${round}`)
          for (const result of results.filter(Either.isLeft)) assert.strictEqual(result.left._tag, "SessionLocked")
        }
      }).pipe(Effect.provide(layer))
    )

    it.scoped("keeps sessions apart by their whole id, whatever is in it", () =>
      Effect.gen(function* () {
        const { exists, open } = yield* LogStore.LogStore
        for (const id of ids) {
          assert.isFalse(yield* exists(id), JSON.stringify(id))
          yield* Effect.scoped(Effect.flatMap(open(id), (log) => log.append({ seq: 0, events: [id] }, plain)))
          assert.isTrue(yield* exists(id), JSON.stringify(id))
        }
        for (const id of ids) {
          const read = yield* Effect.scoped(Effect.flatMap(open(id), readAll))
          assert.deepStrictEqual(read, [{ seq: 0, events: [id] }])
        }
      }).pipe(Effect.provide(layer))
    )

    it.scoped("an append that is interrupted is whole or not there, and the next one finds its place", () =>
      Effect.gen(function* () {
        const log = yield* open("s")
        let next = 0
        for (let yields = 0; yields < 20; yields++) {
          const append = yield* Effect.fork(log.append({ seq: next, events: [yields, "second"] }, plain))
          yield* Effect.repeatN(Effect.yieldNow(), yields)
          if (Exit.isSuccess(yield* Fiber.interrupt(append))) next += 2
          else {
            const read = yield* readAll(log)
            next = read.length * 2
          }
        }
        yield* log.append({ seq: next, events: ["last"] }, plain)
        const read = yield* readAll(log)
        assert.deepStrictEqual(
          read.map(({ seq }) => seq),
          read.map((_, i) => i * 2)
        )
      }).pipe(Effect.provide(layer))
    )

    it.scoped("holds a batch of 50 MB among small ones", () =>
      Effect.gen(function* () {
        const events = ["small", "é".repeat(25_000_000), "after"]
        yield* Effect.scoped(
          Effect.flatMap(open("s"), (log) =>
            Effect.forEach(events, (event, seq) => log.append({ seq, events: [event] }, plain), { discard: true })
          )
        )
        const read = yield* Effect.flatMap(open("s"), readAll)
        assert.isTrue(read.length === 3 && read.every((batch) => batch.events[0] === events[batch.seq]))
      }).pipe(Effect.provide(layer))
    )

    it.scoped("a whole session is played, closed and opened again, and goes on; its generation is in its log", () =>
      Effect.gen(function* () {
        const script = yield* Testing.Script
        // the store and the model are the test's, so that they outlive each open
        const session = Session.layerOne("s").pipe(
          Layer.provide([ToolRunner.layerNone, Summarizer.layerWith(() => Effect.succeed("summary"))])
        )
        const look = Effect.all({
          messages: Surface.messages,
          generation: Surface.generation,
          history: Effect.flatMap(Surface.Surface, (surface) =>
            Effect.map(Stream.runCollect(surface.history(0)), Chunk.toReadonlyArray)
          )
        })
        const play = (prompt: string) => Effect.zipRight(AgentLoop.run(prompt), look)
        yield* script.next(
          Testing.say("word ".repeat(5_000)),
          Testing.overflow({ limit: 4_000 }),
          Testing.say("完成 done")
        )
        const before = yield* Effect.provide(Effect.zipRight(play("first"), play("second")), session)
        assert.isAbove(before.generation, 0)

        const opened = yield* Effect.provide(look, session)
        // each open says so in the log
        const { history, ...same } = opened
        assert.deepStrictEqual({ history: history.slice(0, -1), ...same }, before)
        yield* script.next(Testing.say("word ".repeat(5_000)), Testing.overflow({ limit: 4_000 }), Testing.say("more"))
        const after = yield* Effect.provide(Effect.zipRight(play("third"), play("fourth")), session)
        assert.isAbove(after.generation, before.generation)
        const replaced = after.history.filter((event) => "data" in event && "replaces" in event.data)
        assert.lengthOf(replaced, after.generation)
      }).pipe(Effect.provide(Layer.merge(layer, Testing.layerScript({ window: 8_000 }))))
    )

    it.effect.prop(
      "brings any JSON back",
      [FastCheck.array(FastCheck.array(FastCheck.jsonValue(), { minLength: 1 }))],
      ([lists]) =>
        Effect.gen(function* () {
          let next = 0
          const batches = lists.map((events) => {
            const batch = { seq: next, events: JSON.parse(JSON.stringify(events)) }
            next += events.length
            return batch
          })
          const write = Effect.flatMap(open("s"), (log) =>
            Effect.forEach(batches, (batch) => log.append(batch, plain), { discard: true })
          )
          yield* Effect.scoped(write)
          const read = yield* Effect.scoped(Effect.flatMap(open("s"), readAll))
          assert.deepStrictEqual(read, batches)
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 30 } }
    )
  })
