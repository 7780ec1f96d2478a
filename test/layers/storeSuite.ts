import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LogStore from "../../src/layers/LogStore.ts"
import { readAll } from "./logs.ts"

const plain = { sync: false }

const open = (id: string) => Effect.flatMap(LogStore.LogStore, (store) => store.open(id))

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
