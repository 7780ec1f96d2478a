import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { mkdirSync, writeFileSync } from "node:fs"
import { LogStore } from "../../src/index.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import { makeDirectory, plain, readAll } from "./logs.ts"

const storeIn = (directory: string, waitAtMost?: Duration.DurationInput) =>
  Effect.provide(
    LogStore.LogStore,
    layerLogStoreFile({ directory, whenLocked: "wait", ...(waitAtMost === undefined ? {} : { waitAtMost }) })
  )

/** Real time, but not for the test: the fiber is looked at once it had several chances to get on. */
const stillWaits = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.map(Effect.zipRight(Effect.sleep("100 millis"), Fiber.poll(fiber)), Option.isNone)

describe('a file store told to wait (whenLocked: "wait")', () => {
  it.scopedLive("waits until the owner closed the session, says for whom, and gets in", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* storeIn(directory)
      const said: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void said.push(String(message)))
      )
      const scope = yield* Scope.make()
      const first = yield* Scope.extend(store.open("s"), scope)
      const waits = Effect.scoped(Effect.flatMap(store.open("s"), readAll))
      const second = yield* Effect.fork(waits.pipe(Effect.provide(logger), Logger.withMinimumLogLevel(LogLevel.Debug)))
      assert.isTrue(yield* stillWaits(second))
      yield* first.append({ seq: 0, events: ["by the first"] }, plain)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(second), [{ seq: 0, events: ["by the first"] }])
      assert.strictEqual(said.length, 1)
      assert.match(said[0]!, new RegExp(`waiting for it: session "s" is open elsewhere: pid ${process.pid} on`))
    })
  )

  it.scopedLive("of several that wait each gets in, one after the other", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* storeIn(directory)
      let inside = 0
      const use = Effect.scoped(
        Effect.gen(function* () {
          yield* store.open("s")
          assert.strictEqual(++inside, 1)
          yield* Effect.sleep("5 millis")
          inside--
        })
      )
      yield* Effect.all(
        Array.from({ length: 5 }, () => use),
        { concurrency: "unbounded" }
      )
    })
  )

  it.scopedLive("gives up when its time is over, with the owner", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* storeIn(directory, "60 millis")
      yield* store.open("s")
      const error = yield* Effect.flip(Effect.scoped(store.open("s")))
      assert.strictEqual(error._tag, "SessionLocked")
      assert.include(error.message, `pid ${process.pid}`)
    })
  )

  it.scopedLive("can be interrupted, and then holds nothing", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* storeIn(directory)
      const scope = yield* Scope.make()
      yield* Scope.extend(store.open("s"), scope)
      const waits = yield* Effect.fork(Effect.scoped(store.open("s")))
      assert.isTrue(yield* stillWaits(waits))
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(waits)))
      yield* Scope.close(scope, Exit.void)
      yield* store.open("s")
    })
  )

  it.scopedLive("does not wait for an owner that cannot be asked", () =>
    Effect.gen(function* () {
      const owner = { owner: "pid 1 on elsewhere", pid: 1, host: "elsewhere", writer: "w", since: 1000 }
      const locks = {
        "which cannot be asked from here": JSON.stringify({ held: 1, ...owner }),
        "an owner that cannot be read": "half a fi"
      }
      for (const [said, content] of Object.entries(locks)) {
        const directory = yield* makeDirectory
        mkdirSync(`${directory}/s.lock`)
        writeFileSync(`${directory}/s.lock/0000000001`, content)
        const store = yield* storeIn(directory)
        const error = yield* Effect.flip(Effect.scoped(store.open("s")))
        assert.strictEqual(error._tag, "SessionLocked")
        assert.include(error.message, said)
      }
    })
  )
})
