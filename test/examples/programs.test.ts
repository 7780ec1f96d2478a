import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as approval from "../../examples/approval.ts"
import * as chat from "../../examples/chat.ts"
import * as database from "../../examples/database.ts"
import * as gateway from "../../examples/gateway.ts"
import * as manual from "../../examples/manual.ts"
import * as once from "../../examples/once.ts"
import * as ownLoop from "../../examples/own-loop.ts"
import * as rewind from "../../examples/rewind.ts"
import * as tenants from "../../examples/tenants.ts"
import { databases } from "../sql/databases.ts"
import { logged } from "./simulated.ts"

const sqlite = databases.find(({ name }) => name === "SQLite")

const numbers = (line: string | undefined) => (line?.match(/\d+/g) ?? []).map(Number)

describe("the examples", () => {
  it.live("manual.ts: looks, plans and compacts by hand", () =>
    Effect.gen(function* () {
      const [size, plan, outcome, ...more] = yield* logged(manual.main)
      assert.match(size ?? "", /^\d+ tokens \(usage\)$/)
      assert.match(plan ?? "", /^would summarise \d+ tokens: /)
      const [before, after] = numbers(outcome)
      assert.isDefined(after)
      assert.isBelow(after ?? NaN, before ?? NaN)
      assert.strictEqual(before, numbers(size)[0])
      assert.deepStrictEqual(more, [])
    })
  )

  it.live("chat.ts: a chat goes on where it stopped, and AgentLoop runs on the same provider package", () =>
    Effect.gen(function* () {
      const [first, second, ...more] = yield* logged(chat.main)
      assert.deepStrictEqual([numbers(first), numbers(second)], [[30], [60]])
      assert.deepStrictEqual(more, [
        "all answered, with summaries of what came before",
        "the librarian says: It is short."
      ])
    })
  )

  it.live("own-loop.ts: a client of one's own is rescued, its window learned from its refusal", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged(ownLoop.main), ["Part 5 of the report. (replaced 1 times)"])
    })
  )

  it.live("own-loop.ts: errors stay the client's own, the same value", () =>
    Effect.gen(function* () {
      for (const error of [
        new ownLoop.MyHttpError({ status: 503, body: "down" }),
        new ownLoop.MyHttpError({ status: 400, body: '{"error":{"code":"context_length_exceeded"}}' })
      ]) {
        let calls = 0
        const client: ownLoop.MyClient = {
          chat: () =>
            Effect.suspend(() => {
              calls++
              return Effect.fail(error)
            })
        }
        const exit = yield* Effect.exit(Effect.provide(ownLoop.converse(client, "hi"), ownLoop.live(client, 1_000)))
        const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
        assert.strictEqual(failure, error)
        // nothing got smaller, so nothing was sent again
        assert.strictEqual(calls, 1)
      }
    })
  )

  it.live("gateway.ts: a row of one's own says what its words mean", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged(gateway.main), [
        "house/small refused the request as too long (9200 tokens requested, limit 8000) (status 400): Your pages weigh 9200 of 8000"
      ])
    })
  )

  it.live("tenants.ts: each tenant has a policy of its own", () =>
    Effect.gen(function* () {
      const [free, paid] = yield* logged(tenants.main)
      assert.match(free ?? "", /^free\/ann: \d+ tokens, replaced [1-9]\d* times$/)
      assert.match(paid ?? "", /^paid\/bob: \d+ tokens, replaced 0 times$/)
      assert.isBelow(numbers(free)[0] ?? NaN, numbers(paid)[0] ?? NaN)
    })
  )

  it.live.skipIf(sqlite?.missing !== undefined)("database.ts: a session in a database goes on where it was", () =>
    Effect.gen(function* () {
      const [first, second, ...more] = yield* logged(database.main)
      assert.match(first ?? "", /^Done\. \(\d+ events in the log\)$/)
      assert.isAbove(numbers(second)[0] ?? NaN, numbers(first)[0] ?? NaN)
      assert.deepStrictEqual(more, [])
    })
  )

  it.live("rewind.ts: a branch from before a compaction has the raw messages again, and goes on", () =>
    Effect.gen(function* () {
      const [compacted, raw, again] = yield* logged(rewind.main)
      assert.match(compacted ?? "", /^t42: 2 messages, \d+ characters$/)
      assert.match(raw ?? "", /^t42\/raw: 4 messages, \d+ characters$/)
      assert.isAbove(numbers(raw).at(-1) ?? NaN, 2_000)
      assert.isBelow(numbers(compacted).at(-1) ?? NaN, 2_000)
      assert.strictEqual(again, "completed: Done.")
    })
  )

  it.live("once.ts: an array gets smaller, with a model and without, or is left alone", () =>
    Effect.gen(function* () {
      const [summarised, cut, alone] = yield* logged(once.main)
      assert.match(summarised ?? "", /^[\w, ]+: \d+ tokens became \d+, in \d messages$/)
      assert.match(cut ?? "", /^prune: \d+ tokens became \d+, in 9 messages$/)
      for (const line of [summarised, cut]) {
        const [before = NaN, after = NaN] = numbers(line)
        // the threshold is 3,200
        assert.isBelow(after, 3_200)
        assert.isAbove(before, 3_200)
      }
      assert.strictEqual(alone, "nothing done: below-threshold, 0 repairs")
    })
  )

  it.live("approval.ts: a turn waits for a person, and goes on", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged(approval.main), ["suspended, waits for call_2", "completed: Done."])
    })
  )
})
