import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Errors from "../../../src/errors/ModelError.ts"
import { retryAfter } from "../../../src/layers/adapters/httpFailure.ts"
import { defaults, delayAfter, retryTransient } from "../../../src/layers/adapters/transientRetry.ts"

const route = { provider: "p", model: "m" }
const unavailable = (after?: number) =>
  new Errors.ProviderUnavailable({ route, detail: "", ...(after === undefined ? {} : { retryAfter: after }) })
const limited = (more: object) => new Errors.RateLimited({ route, detail: "", ...more })

describe("transientRetry", () => {
  it("waits longer each time, within a fifth, and never above the cap", () => {
    assert.deepStrictEqual(
      [0, 0.5, 1].map((random) => delayAfter(unavailable(), 1, random, { times: 9, base: 100, cap: 1000 })?.toFixed()),
      ["160", "200", "240"]
    )
    assert.strictEqual(delayAfter(unavailable(), 8, 0.5, { times: 9, base: 100, cap: 1000 }), 1000)
  })

  it("honours what the provider asks for, up to the cap", () => {
    const options = { times: 1, base: 100, cap: 5000 }
    assert.strictEqual(delayAfter(limited({ retryAfter: 4000 }), 0, 0.5, options), 4000)
    assert.strictEqual(delayAfter(limited({ retryAfter: 6000 }), 0, 0.5, options), undefined)
    assert.strictEqual(delayAfter(limited({ retryAfter: 1, neverFits: true }), 0, 0.5, options), undefined)
    assert.strictEqual(delayAfter(unavailable(), 1, 0.5, options), undefined)
  })

  it("leaves every other error alone", () => {
    for (const error of [
      new Errors.ContextWindowExceeded({ route, detail: "" }),
      new Errors.AuthenticationFailed({ route, detail: "" }),
      new Errors.MalformedResponse({ route, detail: "" }),
      new Errors.EmptyResponse({ route, detail: "" })
    ])
      assert.strictEqual(delayAfter(error, 0, 0.5, defaults), undefined)
  })

  it("reads Retry-After as seconds, as a date and as milliseconds", () => {
    const now = Date.parse("2026-01-05T10:00:00Z")
    assert.strictEqual(retryAfter({ "retry-after": "1.5" }, now), 1500)
    assert.strictEqual(retryAfter({ "retry-after": "Mon, 05 Jan 2026 10:00:07 GMT" }, now), 7000)
    assert.strictEqual(retryAfter({ "retry-after": "Mon, 05 Jan 2026 09:00:00 GMT" }, now), 0)
    assert.strictEqual(retryAfter({ "retry-after": "9", "retry-after-ms": "20" }, now), 20)
    assert.strictEqual(retryAfter({ "retry-after": "soon" }, now), undefined)
    assert.strictEqual(retryAfter({}, now), undefined)
  })

  it("takes no figure that is none for a date in the past, which would be no wait at all", () => {
    const now = Date.parse("2026-01-05T10:00:00Z")
    for (const odd of ["-5", "+5", "5;", "1.", "NaN", "Infinity", "1e3", "0x10", "12 -3"]) {
      assert.strictEqual(retryAfter({ "retry-after": odd }, now), undefined, odd)
    }
    assert.strictEqual(retryAfter({ "retry-after": "2026-01-05T10:00:07Z" }, now), 7000)
    assert.isTrue(Number.isFinite(retryAfter({ "retry-after": "9".repeat(400) }, now)))
    assert.isTrue(Number.isFinite(retryAfter({ "retry-after-ms": "9".repeat(400) }, now)))
  })

  it("waits by itself where a provider asks for no wait", () => {
    const options = { times: 1, base: 100, cap: 5000 }
    assert.strictEqual(delayAfter(limited({ retryAfter: 0 }), 0, 0.5, options), 100)
  })

  const script = (...attempts: ReadonlyArray<Stream.Stream<string, Errors.ModelError>>) => {
    const log: Array<string> = []
    const stream = Stream.unwrapScoped(
      Effect.suspend(() => {
        const attempt = log.filter((line) => line.startsWith("open")).length
        log.push(`open ${attempt}`)
        return Effect.as(
          Effect.addFinalizer(() => Effect.sync(() => log.push(`close ${attempt}`))),
          attempts[attempt] ?? Stream.die("one attempt too many")
        )
      })
    )
    return { log, run: Effect.fork(Effect.exit(Stream.runCollect(retryTransient(stream, defaults)))) }
  }

  it.effect("sends again after the wait, one attempt's scope closed before the next", () =>
    Effect.gen(function* () {
      const { log, run } = script(
        Stream.fail(unavailable(3000)),
        Stream.fail(limited({ retryAfter: 1000 })),
        Stream.make("a", "b")
      )
      const fiber = yield* run
      yield* TestClock.adjust(2999)
      assert.deepStrictEqual(log, ["open 0", "close 0"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(log, ["open 0", "close 0", "open 1", "close 1"])
      yield* TestClock.adjust(1000)
      const parts = yield* yield* Fiber.join(fiber)
      assert.deepStrictEqual(Chunk.toReadonlyArray(parts), [
        { type: "repeated", attempt: 1, delay: 3000, error: "ProviderUnavailable", retryAfter: 3000 },
        { type: "repeated", attempt: 2, delay: 1000, error: "RateLimited", retryAfter: 1000 },
        "a",
        "b"
      ])
      assert.deepStrictEqual(log.slice(4), ["open 2", "close 2"])
    })
  )

  it.effect("tells of an attempt before it waits, and not of one that nothing follows", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const stream = Stream.tap(
        retryTransient(Stream.fail(unavailable()), { times: 1, base: 1000, cap: "1 minute" }),
        (part) => Effect.sync(() => told.push(part))
      )
      const fiber = yield* Effect.fork(Effect.flip(Stream.runDrain(stream)))
      yield* TestClock.adjust(1)
      assert.lengthOf(told, 1)
      assert.deepInclude(told[0], { type: "repeated", attempt: 1, error: "ProviderUnavailable" })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ProviderUnavailable")
      assert.lengthOf(told, 1)
    })
  )

  it.effect("gives up with the last error when the budget is used up", () =>
    Effect.gen(function* () {
      const last = unavailable()
      const { log, run } = script(Stream.fail(unavailable()), Stream.fail(unavailable()), Stream.fail(last))
      const fiber = yield* run
      yield* TestClock.adjust("1 hour")
      const error = yield* Effect.flip(yield* Fiber.join(fiber))
      assert.strictEqual(error, last)
      assert.lengthOf(log, 6)
    })
  )

  it.effect("never after a part came out", () =>
    Effect.gen(function* () {
      const { log, run } = script(Stream.concat(Stream.make("a"), Stream.fail(unavailable())))
      const fiber = yield* run
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(yield* Fiber.join(fiber)))._tag, "ProviderUnavailable")
      assert.deepStrictEqual(log, ["open 0", "close 0"])
    })
  )

  it.effect("a stream that ends without a part is left as it is", () =>
    Effect.gen(function* () {
      const { run } = script(Stream.empty)
      assert.lengthOf(yield* yield* Fiber.join(yield* run), 0)
    })
  )

  it.effect("an interrupt during the wait ends it, with everything closed [TRANSIENT-3]", () =>
    Effect.gen(function* () {
      const { log, run } = script(Stream.fail(unavailable(1000)), Stream.make("a"))
      const fiber = yield* run
      yield* TestClock.adjust(500)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(log, ["open 0", "close 0"])
    })
  )
})
