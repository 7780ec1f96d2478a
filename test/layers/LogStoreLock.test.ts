import * as PlatformError from "@effect/platform/Error"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { buildSync } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import type { Readable } from "node:stream"
import { Worker } from "node:worker_threads"
import { LogStore } from "../../src/layers/LogStore.ts"
import { layerLogStoreFile } from "../../src/layers/node/index.ts"
import { layerWith, makeDirectory, readAll, withLog } from "./logs.ts"

const bundle = mkdtempSync(`${tmpdir()}/hold-log-`)
const fixture = `${bundle}/holdLog.mjs`

beforeAll(() => {
  buildSync({
    entryPoints: [`${import.meta.dirname}/fixtures/holdLog.ts`],
    outfile: fixture,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
  })
  return () => rmSync(bundle, { recursive: true })
})

const firstLine = (output: Readable) =>
  Effect.promise(async () => {
    for await (const chunk of output) return String(chunk).trim()
    return ""
  })

/** Another process that opens the log; killed with the scope. `said` is "open" or the tag of its error. */
const holder = (directory: string, sync = "batch") =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [fixture, directory, sync], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const said = yield* firstLine(child.stdout)
    const kill = Effect.promise(async () => {
      const exit = once(child, "exit")
      child.kill("SIGKILL")
      await exit
    })
    return { pid: child.pid!, said, kill }
  })

const locked = (directory: string) => Effect.flip(withLog(directory)(() => Effect.void))

const lockFolder = (directory: string) => `${directory}/s.lock`

/** Leaves a lock as another owner would have left it. */
const leaveLock = (directory: string, content: string | Record<string, unknown>, epoch = 5) => {
  mkdirSync(lockFolder(directory), { recursive: true })
  const text = typeof content === "string" ? content : JSON.stringify({ held: 1, ...content })
  writeFileSync(`${lockFolder(directory)}/${String(epoch).padStart(10, "0")}`, text)
}

/** Elsewhere it is not known when a process started. */
const hasProc = existsSync("/proc/self/stat")
const boot = hasProc ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : ""

/** Field 22 of /proc/<pid>/stat; the second one is the command, which may hold blanks. */
const started = (pid: number) => {
  if (!hasProc) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return `${boot}:${stat.slice(stat.lastIndexOf(")")).split(" ")[20]}`
}

const owner = (pid: number, more: Record<string, unknown> = {}) => ({
  owner: `pid ${pid} on ${hostname()}`,
  pid,
  host: hostname(),
  started: started(pid),
  writer: "another",
  since: 1000,
  ...more
})

describe("the lock of a file", () => {
  it.scopedLive("keeps out while another process holds it, and lets in at once when that was killed", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const child = yield* holder(directory)
      assert.strictEqual(child.said, "open")
      const error = yield* locked(directory)
      assert.strictEqual(error._tag, "SessionLocked")
      assert.match(error.message, new RegExp(`open elsewhere: pid ${child.pid} on ${hostname()} holds it since 2`))
      yield* child.kill
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [{ seq: 0, events: [child.pid] }])
    })
  )

  it.scopedLive("is followed with all that was acknowledged, however the killed process synced", () =>
    Effect.gen(function* () {
      for (const sync of ["turn", "none"]) {
        const directory = yield* makeDirectory
        const child = yield* holder(directory, sync)
        yield* child.kill
        assert.deepStrictEqual(yield* withLog(directory)(readAll), [{ seq: 0, events: [child.pid] }])
      }
    })
  )

  it.scopedLive("lets in who waits for it once the process that held it was killed", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const child = yield* holder(directory)
      const store = yield* Effect.provide(LogStore, layerLogStoreFile({ directory, whenLocked: "wait" }))
      const waits = yield* Effect.fork(Effect.scoped(Effect.flatMap(store.open("s"), readAll)))
      yield* child.kill
      assert.deepStrictEqual(yield* Fiber.join(waits), [{ seq: 0, events: [child.pid] }])
    })
  )

  it.scopedLive("keeps another process out while this one holds it", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const child = yield* withLog(directory)(() => Effect.scoped(holder(directory)))
      assert.strictEqual(child.said, "SessionLocked")
    })
  )

  it.scopedLive.runIf(hasProc)("keeps out another thread of this process, which has the same pid", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const said = yield* withLog(directory)(() =>
        Effect.acquireUseRelease(
          Effect.sync(() => new Worker(fixture, { argv: [directory], stdout: true })),
          (worker) => firstLine(worker.stdout),
          (worker) => Effect.promise(() => worker.terminate())
        )
      )
      assert.strictEqual(said, "SessionLocked")
    })
  )

  it.scopedLive.runIf(hasProc)("lets exactly one of several processes follow a dead owner", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      leaveLock(directory, owner(process.pid, { started: `${boot}:1` }))
      const children = yield* Effect.all(
        Array.from({ length: 4 }, () => holder(directory)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(children.map((child) => child.said).sort(), [
        "SessionLocked",
        "SessionLocked",
        "SessionLocked",
        "open"
      ])
    })
  )

  it.scoped.runIf(hasProc)("is free after each owner that is known to be gone", () =>
    Effect.gen(function* () {
      const gone = {
        "a pid that nobody has": owner(process.pid, { pid: 2 ** 22 + 1 }),
        "this pid, of an earlier process": owner(process.pid, { started: `${boot}:1` }),
        "this pid, before the machine started": owner(process.pid, { started: "another boot:1" }),
        "this pid, without a start: every process of a container may have it": owner(process.pid, {
          started: undefined
        }),
        "a pid that another process has now": owner(process.ppid, { started: `${boot}:1` }),
        "one who let go": owner(process.ppid, { held: 0 })
      }
      for (const [name, content] of Object.entries(gone)) {
        const directory = yield* makeDirectory
        leaveLock(directory, content)
        // of one who died before that
        leaveLock(directory, content, 3)
        const files = Effect.sync(() => readdirSync(lockFolder(directory)))
        const result = yield* Effect.either(withLog(directory)(() => files))
        assert.deepStrictEqual(result, Either.right(["0000000005", "0000000006"]), name)
        assert.deepStrictEqual(yield* files, ["0000000006"], "the file before it goes when the lock is let go")
      }
    })
  )

  it.scopedLive.runIf(hasProc)("is free after an owner that nobody reaps", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      // the child's parent becomes a program that never asks what became of it
      const parent = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn("sh", ["-c", "sh -c 'echo $$; read line' <&3 & exec sleep 60"], {
            stdio: ["ignore", "pipe", "ignore", "pipe"]
          })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const pid = Number(yield* firstLine(parent.stdout!))
      leaveLock(directory, owner(pid))
      assert.strictEqual((yield* locked(directory))._tag, "SessionLocked")
      process.kill(pid, "SIGKILL")
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) yield* Effect.sleep("1 millis")
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [])
    })
  )

  it.scoped.runIf(hasProc)("is held by each owner that may be alive", () =>
    Effect.gen(function* () {
      const alive = {
        "another process": owner(process.ppid),
        "another process that did not say when it started": owner(process.ppid, { started: undefined }),
        "another thread": owner(process.pid),
        "another machine": owner(process.pid, { host: "elsewhere", owner: "pid 1 on elsewhere" }),
        "somebody without a pid": owner(process.pid, { pid: undefined })
      }
      for (const [name, content] of Object.entries(alive)) {
        const directory = yield* makeDirectory
        leaveLock(directory, content)
        const error = yield* locked(directory)
        assert.deepInclude(error, { _tag: "SessionLocked", session: "s", since: 1000 }, name)
        assert.include(error.message, content.owner)
        assert.deepStrictEqual(readdirSync(lockFolder(directory)), ["0000000005"], name)
        if (name === "another machine") assert.include(error.message, `remove ${lockFolder(directory)}`)
      }
    })
  )

  it.scopedLive("that cannot be read is taken to be held, and the error says what to do", () =>
    Effect.gen(function* () {
      for (const content of ["", "{", '{"owner":1}', "\u0000\u0000"]) {
        const directory = yield* makeDirectory
        leaveLock(directory, content)
        const error = yield* locked(directory)
        assert.strictEqual(error._tag, "SessionLocked")
        assert.include(error.message, `if no process uses the session, remove ${lockFolder(directory)}`)
      }
    })
  )

  it.scoped("is not won by one who was asleep and takes an old number", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      leaveLock(directory, owner(process.ppid), 7)
      let looks = 0
      const asleep = layerWith((fs) => ({
        // what it saw before it slept
        readDirectory: (path) => (looks++ === 0 ? Effect.succeed([]) : fs.readDirectory(path))
      }))
      const error = yield* Effect.flip(withLog(directory, "s", asleep)(() => Effect.void))
      assert.strictEqual(error._tag, "SessionLocked")
      assert.isAbove(looks, 1)
      assert.include(readFileSync(`${lockFolder(directory)}/0000000007`, "utf8"), `"pid":${process.ppid}`)
      leaveLock(directory, owner(process.ppid, { held: 0 }), 7)
      yield* withLog(directory)(() => Effect.void)
      assert.deepStrictEqual(readdirSync(lockFolder(directory)), ["0000000008"])
    })
  )

  it.scoped("that was removed and taken by another is not released for that other", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      yield* withLog(directory)(() =>
        Effect.sync(() => {
          rmSync(lockFolder(directory), { recursive: true })
          leaveLock(directory, owner(process.ppid), 1)
        })
      )
      assert.strictEqual((yield* locked(directory))._tag, "SessionLocked")
    })
  )

  const broken = new PlatformError.SystemError({ reason: "Unknown", module: "FileSystem", method: "link" })

  it.scoped("works on a file system without hard links", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const layer = layerWith(() => ({ link: () => broken }))
      let inside = 0
      const use = Effect.acquireUseRelease(
        Effect.sync(() => ++inside),
        (count) => Effect.as(Effect.yieldNow(), count),
        () => Effect.sync(() => inside--)
      )
      for (let round = 0; round < 3; round++) {
        const tries = Array.from({ length: 10 }, () => Effect.either(withLog(directory, "s", layer)(() => use)))
        const results = yield* Effect.all(tries, { concurrency: "unbounded" })
        const counts = results.filter(Either.isRight).map((result) => result.right)
        assert.isAbove(counts.length, 0)
        assert.deepStrictEqual(new Set(counts), new Set([1]))
      }
      assert.deepStrictEqual(yield* withLog(directory, "s", layer)(readAll), [])
    })
  )

  it.scoped("that could not be released is free for this process, which knows", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const readOnly = layerWith((fs) => ({
        open: (path, options) => (options?.flag === "r+" ? broken : fs.open(path, options))
      }))
      yield* withLog(directory, "s", readOnly)(() => Effect.void)
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [])
    })
  )

  it.scoped("that could not be written leaves nothing that keeps others out", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      for (const step of ["the draft", "the lock, without hard links"]) {
        const full = layerWith((fs) => ({
          ...(step === "the draft" ? {} : { link: () => broken }),
          open: (path, options) =>
            Effect.map(fs.open(path, options), (file) =>
              options?.flag === "wx" && (step === "the draft" || /\/\d+$/.test(path))
                ? Object.create(file, { writeAll: { value: () => broken } })
                : file
            )
        }))
        const error = yield* Effect.flip(withLog(directory, "s", full)(() => Effect.void))
        assert.strictEqual(error._tag, "LogWriteFailed", step)
        assert.deepStrictEqual(readdirSync(lockFolder(directory)), [], step)
      }
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [])
    })
  )
})
