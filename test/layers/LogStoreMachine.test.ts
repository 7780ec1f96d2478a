// Faults of a real machine, each where it can be had: the message of a skipped test says what is missing.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { buildSync } from "esbuild"
import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { first, layerFiles, makeDirectory, makeLog, plain, readAll, second, withLog } from "./logs.ts"

const mount = (...args: ReadonlyArray<string>) => spawnSync("mount", args).status === 0

/** A file system of its own, in memory, of so many bytes. */
const mounted = (size: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(`${tmpdir()}/small-disk-`)
      assert.isTrue(mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder))
      return folder
    }),
    (folder) =>
      Effect.sync(() => {
        spawnSync("umount", [folder])
        rmSync(folder, { recursive: true })
      })
  )

const canMount = (() => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(`${tmpdir()}/can-mount-`)
  const can = mount("-t", "tmpfs", "tmpfs", folder)
  if (can) spawnSync("umount", [folder])
  rmSync(folder, { recursive: true })
  return can
})()
const needsMount = canMount ? "" : " (skipped: this user may not mount)"

const hasFull = existsSync("/dev/full")
const hasShell = process.platform !== "win32" && existsSync("/bin/sh")

const opened = (directory: string) => Effect.flip(withLog(directory)(() => Effect.void))

describe("the file store on a machine", () => {
  it.scoped.runIf(canMount)(
    `whose disk is full says so, loses nothing, and goes on once there is room${needsMount}`,
    () =>
      Effect.gen(function* () {
        const directory = yield* mounted("64k")
        writeFileSync(`${directory}/ballast`, new Uint8Array(20_000))
        const batch = (seq: number) => ({ seq, events: [`${seq} ${"x".repeat(3_000)}`] })
        const written = yield* withLog(directory)((log) =>
          Effect.gen(function* () {
            let seq = 0
            let error
            while (error === undefined) {
              const wrote = yield* Effect.either(log.append(batch(seq), plain))
              if (wrote._tag === "Left") error = wrote.left
              else seq++
            }
            assert.deepInclude(error, { _tag: "LogWriteFailed", session: "s", seq, written: "no" })
            assert.include(error.message, "ENOSPC")
            assert.isAbove(seq, 5)
            return seq
          })
        )
        // the lock cannot be written, and is not left behind
        const fill = spawnSync("dd", ["if=/dev/zero", `of=${directory}/more`, "bs=1k"])
        assert.notStrictEqual(fill.status, 0)
        assert.include((yield* opened(directory)).message, "ENOSPC")
        rmSync(`${directory}/more`)
        rmSync(`${directory}/ballast`)
        yield* withLog(directory)((log) => log.append(batch(written), plain))
        const all = Array.from({ length: written + 1 }, (_, seq) => batch(seq))
        assert.deepStrictEqual(yield* withLog(directory)(readAll), all)
      })
  )

  it.scoped.runIf(canMount)(
    `whose folder became read-only says so, and opens the session when it is not${needsMount}`,
    () =>
      Effect.gen(function* () {
        const directory = yield* mounted("1m")
        yield* withLog(directory)((log) => log.append(first, plain))
        assert.isTrue(mount("-o", "remount,ro", directory))
        const error = yield* opened(directory)
        assert.deepInclude(error, { _tag: "LogWriteFailed", written: "no" })
        assert.match(error.message, /the log could not be opened: EROFS/)
        assert.isTrue(mount("-o", "remount,rw", directory))
        assert.deepStrictEqual(yield* withLog(directory)(readAll), [first])
      })
  )

  it.scoped.runIf(hasFull)("on whose device nothing can be written says so, and keeps what was (needs /dev/full)", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeLog
      const full = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.open("/dev/full", { flag: "a" })).pipe(
        Effect.provide(NodeFileSystem.layer)
      )
      const disk = layerFiles((_, path) => (path.endsWith(".jsonl") ? { writeAll: (line) => full.writeAll(line) } : {}))
      const error = yield* Effect.flip(
        withLog(directory, "s", disk)((log) => log.append({ seq: 3, events: [3] }, plain))
      )
      assert.deepInclude(error, { written: "no" })
      assert.include(error.message, "ENOSPC")
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second])
    })
  )

  it.scoped.runIf(hasShell)(
    "that lets no file grow further says so, and keeps what was (needs a shell with ulimit)",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const fixture = `${directory}/fillLog.mjs`
        buildSync({
          entryPoints: [`${import.meta.dirname}/fixtures/fillLog.ts`],
          outfile: fixture,
          bundle: true,
          platform: "node",
          format: "esm",
          logLevel: "error",
          banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
        })
        const command = `ulimit -f 40; exec "${process.execPath}" "${fixture}" "${directory}/logs"`
        const said = JSON.parse(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }))
        assert.strictEqual(said.written, "no")
        assert.include(said.message, "EFBIG")
        assert.isAbove(said.acknowledged, 5)
        const left = yield* withLog(`${directory}/logs`)(readAll)
        assert.deepStrictEqual(
          left.map(({ seq }) => seq),
          Array.from({ length: said.acknowledged }, (_, seq) => seq)
        )
      })
  )

  it.scoped("where something else than a file has the log's name says what it is, at once", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const path = `${directory}/s.jsonl`
      mkdirSync(path)
      assert.match((yield* opened(directory)).message, /s\.jsonl is a Directory, not a file/)
      rmSync(path, { recursive: true })
      if (hasFull) {
        symlinkSync("/dev/full", path)
        assert.match((yield* opened(directory)).message, /is a CharacterDevice, not a file/)
        rmSync(path)
      }
      if (spawnSync("mkfifo", [path]).status === 0) {
        assert.match((yield* opened(directory)).message, /is a FIFO, not a file/)
        rmSync(path)
      }
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [])
    })
  )

  it.scoped("where 50 MB of an unfinished write, or of something else, follow", () =>
    Effect.gen(function* () {
      const { bytes, directory, path } = yield* makeLog
      const long = Buffer.alloc(50_000_000, "x")
      appendFileSync(path, '{"v":1,"seq":3,"count":1,"events":["')
      appendFileSync(path, long)
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second])
      writeFileSync(path, bytes)
      appendFileSync(path, long)
      const error = yield* opened(directory)
      assert.deepInclude(error, { _tag: "SessionCorrupt", seq: 3, line: 3, reason: "the line is not a batch" })
      writeFileSync(path, bytes)
      assert.deepStrictEqual(yield* withLog(directory)(readAll), [first, second])
    })
  )
})
