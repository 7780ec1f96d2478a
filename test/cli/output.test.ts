// A file that a person named for the output: what it is stays what it is, and the session is never lost to it.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BadInput } from "../../src/cli/exitCode.ts"
import { refuseOutput, replaceFile, sameFile } from "../../src/cli/output.ts"

const inFolder = (
  name: string,
  body: (path: (name: string) => string) => Effect.Effect<void, unknown, NodeContext.NodeContext>
) =>
  it.effect(name, () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-compaction-output-"))),
      (folder) => body((name) => join(folder, name)),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ).pipe(Effect.provide(NodeContext.layer))
  )

const write = (path: string, text = "new") => replaceFile({ option: "--out", path, force: true }, text)

describe("a file that is written over", () => {
  inFolder("keeps who may read it", (path) =>
    Effect.gen(function* () {
      writeFileSync(path("a"), "old")
      chmodSync(path("a"), 0o600)
      yield* write(path("a"))
      assert.deepStrictEqual([readFileSync(path("a"), "utf8"), statSync(path("a")).mode & 0o777], ["new", 0o600])
    })
  )

  inFolder("takes nothing away that another left beside it", (path) =>
    Effect.gen(function* () {
      const beside = path(`a.${process.pid}.part`)
      writeFileSync(beside, "another's")
      assert.include((yield* Effect.flip(write(path("a")))).message, "could not be written")
      assert.strictEqual(readFileSync(beside, "utf8"), "another's")
      assert.isFalse(existsSync(path("a")))
    })
  )

  inFolder("stays behind its link, to a file that is there and to one that is not", (path) =>
    Effect.gen(function* () {
      mkdirSync(path("real"))
      writeFileSync(path("real/a"), "old")
      for (const name of ["a", "none"]) {
        symlinkSync(`real/${name}`, path(name))
        yield* write(path(name))
        assert.isTrue(lstatSync(path(name)).isSymbolicLink())
        assert.strictEqual(readFileSync(path(`real/${name}`), "utf8"), "new")
      }
      assert.deepStrictEqual(readdirSync(path("real")).toSorted(), ["a", "none"])
    })
  )

  inFolder("that is a device or a pipe is written to, and stays one", (path) =>
    Effect.gen(function* () {
      execFileSync("mkfifo", [path("pipe")])
      const reader = Effect.promise(() => import("node:fs/promises").then((fs) => fs.readFile(path("pipe"), "utf8")))
      const [read] = yield* Effect.all([reader, write(path("pipe"))], { concurrency: 2 })
      assert.strictEqual(read, "new")
      assert.isTrue(lstatSync(path("pipe")).isFIFO())
    })
  )

  inFolder("is not, where it came while the session was compacted and nobody said so", (path) =>
    Effect.gen(function* () {
      yield* refuseOutput({ option: "--out", path: path("a"), force: false })
      writeFileSync(path("a"), "somebody else's")
      const written = yield* Effect.either(replaceFile({ option: "--out", path: path("a"), force: false }, "new"))
      assert.isTrue(Either.isLeft(written))
      assert.strictEqual(readFileSync(path("a"), "utf8"), "somebody else's")
      assert.deepStrictEqual(readdirSync(path(".")), ["a"])
    })
  )
})

describe("a place where nothing can be written", () => {
  const refused = (path: string, force: boolean) =>
    Effect.map(Effect.flip(refuseOutput({ option: "--out", path, force })), (error) => {
      assert.instanceOf(error, BadInput)
      return error.message.replace(path, "X")
    })

  inFolder("is told before anything is done", (path) =>
    Effect.gen(function* () {
      writeFileSync(path("a"), "old")
      assert.strictEqual(yield* refused(path("a"), false), "--out X is there already; --force overwrites it")
      symlinkSync("nowhere", path("dangling"))
      assert.strictEqual(yield* refused(path("dangling"), false), "--out X is there already; --force overwrites it")
      for (const force of [false, true]) {
        assert.strictEqual(yield* refused(path("."), force), "--out X is a folder")
        assert.strictEqual(
          yield* refused(path("none/a"), force),
          "--out X cannot be written: there is no folder for it"
        )
        assert.strictEqual(yield* refused(path("a/b"), force), "--out X cannot be written: there is no folder for it")
      }
      assert.isFalse(existsSync(path("none")))
    })
  )
})

describe("the session file as the output", () => {
  inFolder("is known by another path, a link and a hard link", (path) =>
    Effect.gen(function* () {
      mkdirSync(path("sub"))
      writeFileSync(path("a"), "old")
      writeFileSync(path("b"), "old")
      symlinkSync("a", path("soft"))
      linkSync(path("a"), path("hard"))
      for (const same of ["a", "sub/../a", "soft", "hard"]) assert.isTrue(yield* sameFile(path(same), path("a")), same)
      for (const other of ["b", "none", "sub"]) assert.isFalse(yield* sameFile(path(other), path("a")), other)
    })
  )
})
