import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import * as AgentLoop from "../../src/layers/AgentLoop.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as LogLock from "../../src/layers/logLock.ts"
import { writers } from "../../src/layers/logOwner.ts"
import * as Session from "../../src/layers/Session.ts"
import * as Sessions from "../../src/layers/Sessions.ts"
import * as Surface from "../../src/layers/Surface.ts"
import * as Message from "../../src/session/Message.ts"
import { layerFiles, layerWith, makeDirectory } from "../layers/logs.ts"
import { scripted } from "./scripted.ts"

/** A thousand take a machine a while: SESSIONS=1000 npx vitest run test/loop/manySessions.test.ts */
const many = Number(process.env["SESSIONS"] ?? 150)
const ids = Array.from({ length: many }, (_, i) => `session ${i}`)

/** Files of this process in the folder that are open; where the system does not tell, none are known. */
const openFiles = (directory: string): number => {
  if (!existsSync("/proc/self/fd")) return 0
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory)
    } catch {
      return false
    }
  }).length
}

/** Waits in real time, since files are closed by the system. */
const until = (holds: () => boolean) =>
  TestServices.provideLive(
    Effect.repeat(Effect.sleep("5 millis"), { until: () => Effect.sync(holds) }).pipe(
      Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => "it did not come to that" })
    )
  )

/** Counts the logs that are open. */
const counting = (store: LogStore.LogStore["Type"]) => {
  const counts = { opened: 0, open: 0 }
  const counted = LogStore.LogStore.of({
    ...store,
    open: (id, replay) =>
      Effect.zipRight(
        Effect.acquireRelease(
          Effect.sync(() => void counts.open++),
          () => Effect.sync(() => void counts.open--)
        ),
        Effect.tap(store.open(id, replay), () => Effect.sync(() => void counts.opened++))
      )
  })
  return { counts, counted }
}

/** All of them are open at once, each takes a message, and they are let go of together. */
const useAll = Effect.gen(function* () {
  let waiting = 0
  const all = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const users = yield* Effect.fork(
    Effect.forEach(
      ids,
      (id) =>
        Sessions.use(
          id,
          Effect.gen(function* () {
            yield* Surface.append(Message.user(`for ${id}`))
            if (++waiting === many) yield* Deferred.succeed(all, undefined)
            yield* Deferred.await(go)
            return yield* Surface.messages
          })
        ),
      { concurrency: "unbounded" }
    )
  )
  yield* Deferred.await(all)
  return {
    finish: Effect.map(Effect.zipRight(Deferred.succeed(go, undefined), Fiber.join(users)), (messages) =>
      messages.map((each) => each.map(Message.text))
    )
  }
})

const idle = { idleTimeToLive: "5 minutes" } as const

describe(`${many} sessions at once`, () => {
  it.effect(
    "in memory: each has its own, and idle ones are released",
    () =>
      Effect.gen(function* () {
        const { counted, counts } = counting(yield* LogStore.makeMemory)
        yield* Effect.gen(function* () {
          const { finish } = yield* useAll
          assert.deepStrictEqual(counts, { opened: many, open: many })
          assert.deepStrictEqual(
            yield* finish,
            ids.map((id) => [`for ${id}`])
          )
          yield* TestClock.adjust("4 minutes")
          yield* Sessions.use(ids[0]!, Effect.void)
          yield* TestClock.adjust("2 minutes")
          assert.deepStrictEqual(counts, { opened: many, open: 1 })
          yield* TestClock.adjust("5 minutes")
          assert.strictEqual(counts.open, 0)
        }).pipe(
          Effect.provide(
            Layer.provideMerge(Sessions.layer(idle), scripted({ log: Layer.succeed(LogStore.LogStore, counted) }))
          )
        )
      }),
    240_000
  )

  it.scoped(
    "in files: one open file each, and none once they are idle",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        // what a sync promises is shown elsewhere, and thousands of them take long
        const log = Layer.provide(
          LogStore.layerFile({ directory }),
          layerFiles(() => ({ sync: Effect.void }))
        )
        yield* Effect.gen(function* () {
          const { finish } = yield* useAll
          if (existsSync("/proc/self/fd")) yield* until(() => openFiles(directory) === many)
          assert.lengthOf(yield* finish, many)
          yield* TestClock.adjust("6 minutes")
          yield* until(() => openFiles(directory) === 0)
          assert.lengthOf(
            readdirSync(directory).filter((name) => name.endsWith(".jsonl")),
            many
          )
        }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(idle), scripted({ log }))))
        assert.strictEqual(openFiles(directory), 0)
      }),
    240_000
  )
})

/** A store whose logs never close. */
const hangs = Effect.map(LogStore.makeMemory, (store) =>
  LogStore.LogStore.of({
    ...store,
    open: (id, replay) => Effect.tap(store.open(id, replay), () => Effect.addFinalizer(() => Effect.never))
  })
)
const hanging = Layer.effect(LogStore.LogStore, hangs)

describe("a store whose close hangs", () => {
  it.effect("does not hold up the end of an application: Sessions", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const app = Layer.provideMerge(Sessions.layer(idle), scripted({ log: hanging }))
      const sessions = Context.get(yield* Layer.buildWithScope(app, scope), Sessions.Sessions)
      for (const id of ["one", "two"]) yield* sessions.use(id, Surface.append(Message.user("a")))
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isSome(yield* Fiber.poll(closing)))
    })
  )

  it.effect("does not hold up the end of an application: one session", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const app = Layer.provide(Session.layerOne("s"), scripted({ log: hanging }))
      const session = yield* Layer.buildWithScope(app, scope)
      yield* Effect.provide(AgentLoop.inject(Message.user("a")), session)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isSome(yield* Fiber.poll(closing)))
    })
  )

  it.effect("a session of one's own that hangs holds up nobody either, and its next open is refused in words", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const layer = Sessions.layer({
        ...idle,
        session: (id) =>
          id === "hangs"
            ? Layer.merge(Session.layer, Layer.scopedDiscard(Effect.addFinalizer(() => Effect.never)))
            : Session.layer
      })
      const app = Layer.provideMerge(layer, scripted())
      const sessions = Context.get(yield* Layer.buildWithScope(app, scope), Sessions.Sessions)
      yield* sessions.use("hangs", Effect.void)
      yield* TestClock.adjust("6 minutes")
      const again = yield* Effect.fork(Effect.flip(sessions.use("hangs", Effect.void)))
      yield* sessions.use("other", Effect.void)
      yield* TestClock.adjust("1 minute")
      const refused = yield* Fiber.join(again)
      assert.strictEqual(refused._tag, "SessionLocked")
      assert.include(refused.message, "did not close")
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isSome(yield* Fiber.poll(closing)))
    })
  )
})

/** Calls `reached` before the operation with that number, and lets it go on a little later. */
const watched = (at: number, reached: Effect.Effect<void>) => {
  const seen = { operations: 0 }
  const step = Effect.suspend(() =>
    seen.operations++ === at ? Effect.zipRight(reached, Effect.repeatN(Effect.yieldNow(), 20)) : Effect.void
  )
  const before = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.zipRight(step, effect)
  const layer = layerWith((fs) => ({
    exists: (path) => before(fs.exists(path)),
    link: (...args) => before(fs.link(...args)),
    makeDirectory: (...args) => before(fs.makeDirectory(...args)),
    readDirectory: (...args) => before(fs.readDirectory(...args)),
    readFileString: (...args) => before(fs.readFileString(...args)),
    remove: (...args) => before(fs.remove(...args)),
    stream: (...args) => Stream.zipRight(Stream.fromEffect(step), fs.stream(...args)),
    open: (...args) =>
      Effect.map(before(fs.open(...args)), (file): FileSystem.File =>
        Object.create(file, {
          sync: { get: () => before(file.sync) },
          // with the place that this one has, which its methods keep in it
          truncate: {
            value(this: FileSystem.File, size: FileSystem.SizeInput) {
              return before(file.truncate.call(this, size))
            }
          },
          writeAll: {
            value(this: FileSystem.File, bytes: Uint8Array) {
              return before(file.writeAll.call(this, bytes))
            }
          }
        })
      )
  }))
  return { layer, seen }
}

describe("an open that is interrupted", () => {
  it.scopedLive("leaves no lock and no file open, wherever it was, and the next one opens", () =>
    Effect.gen(function* () {
      // how many operations an open takes, and a close after it
      const whole = watched(-1, Effect.void)
      yield* Sessions.use("s", Effect.void).pipe(
        Effect.provide(
          Layer.provideMerge(
            Sessions.layer(idle),
            scripted({ log: Layer.provide(LogStore.layerFile({ directory: yield* makeDirectory }), whole.layer) })
          )
        )
      )
      const all = whole.seen.operations
      let interrupted = 0
      for (let at = 0; at < all; at++) {
        const directory = yield* makeDirectory
        const reached = yield* Deferred.make<void>()
        const { layer } = watched(at, Effect.asVoid(Deferred.succeed(reached, undefined)))
        const log = Layer.provide(LogStore.layerFile({ directory }), layer)
        yield* Effect.gen(function* () {
          const opening = yield* Effect.fork(Sessions.use("s", Effect.void))
          yield* Effect.race(Deferred.await(reached), Fiber.await(opening))
          const exit = yield* Fiber.interrupt(opening)
          if (Exit.isInterrupted(exit)) interrupted++
          yield* Sessions.use("s", Surface.append(Message.user("still works")))
        }).pipe(Effect.provide(Layer.provideMerge(Sessions.layer(idle), scripted({ log }))))

        assert.strictEqual(openFiles(directory), 0, `operation ${at}`)
        const fs = yield* FileSystem.FileSystem
        assert.deepStrictEqual(yield* LogLock.holder(fs, `${directory}/s.lock`), Option.none(), `operation ${at}`)
        assert.include(readFileSync(`${directory}/s.jsonl`, "utf8"), "still works")
      }
      assert.isAbove(interrupted, 10)
      assert.isAbove(all, interrupted)
      assert.deepStrictEqual(
        [...writers().values()].filter((held) => held),
        []
      )
    }).pipe(Effect.provide(layerFiles(() => ({}))))
  )
})
