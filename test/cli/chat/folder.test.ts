import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { statSync, symlinkSync, writeFileSync } from "node:fs"
import * as Fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../../src/cli/chat/files.ts"
import * as Folder from "../../../src/cli/chat/folder.ts"

let top: string
let work: string
let outside: string
let number = 0

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "effect-compaction-folder-"))
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

/** A working folder with a neighbour that no tool may see, and every way there that we know of. */
beforeEach(() => {
  const place = join(top, String(number++))
  work = join(place, "work")
  outside = join(place, "outside")
  mkdirSync(join(work, "sub"), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, "secret.txt"), "secret\n")
  writeFileSync(join(work, "a.txt"), "one\ntwo\n")
  writeFileSync(join(work, "sub/b.txt"), "three\n")
  symlinkSync("../outside", join(work, "folder-link"))
  symlinkSync("../outside/secret.txt", join(work, "file-link"))
  symlinkSync("../outside/new.txt", join(work, "dangling"))
  symlinkSync(join(outside, "secret.txt"), join(work, "absolute-link"))
  symlinkSync("sub/b.txt", join(work, "inner-link"))
  symlinkSync("loop", join(work, "loop"))
})

type Operation = (folder: Folder.Folder) => Effect.Effect<unknown, Folder.PathRefused>

const run = (operation: Operation, fs?: Parameters<typeof Folder.make>[1]) =>
  Effect.runPromise(Effect.either(Effect.flatMap(Folder.make(work, fs), operation)))

const refusal = async (operation: Operation, fs?: Parameters<typeof Folder.make>[1]) => {
  const result = await run(operation, fs)
  assert.isTrue(Either.isLeft(result), `it was not refused: ${JSON.stringify(result)}`)
  return Either.isLeft(result) ? result.left.message : ""
}

const answer = async (operation: Operation) => Either.getOrThrowWith(await run(operation), (error) => error)

const neighbours = () => [readdirSync(outside), readFileSync(join(outside, "secret.txt"), "utf8")]
const untouched = [["secret.txt"], "secret\n"]

const ways = [
  "../outside/secret.txt",
  "sub/../../outside/secret.txt",
  "folder-link/secret.txt",
  "sub/../folder-link/secret.txt",
  "file-link",
  "absolute-link",
  "/etc/passwd"
]

describe("the folder that tools cannot leave", () => {
  it.each([...ways, "dangling", "loop", ".."])("reads nothing by way of %s", async (path) => {
    assert.notInclude(await refusal((folder) => Files.read(folder, { path })), "secret\n")
    await refusal((folder) => Files.edit(folder, { path, replace: "secret", put: "known" }))
    assert.deepStrictEqual(neighbours(), untouched)
  })

  it.each([...ways, "dangling", "folder-link/new.txt", "folder-link/a/b/new.txt", "../outside/new.txt", "..", "loop"])(
    "writes nothing by way of %s",
    async (path) => {
      await refusal((folder) => Files.write(folder, { path, text: "mine" }))
      assert.deepStrictEqual(neighbours(), untouched)
      assert.deepStrictEqual(
        readdirSync(work).filter((name) => name.endsWith(".tmp")),
        []
      )
    }
  )

  it.each(["folder-link", "..", "../outside", "/", "sub/../.."])("lists and searches nothing of %s", async (path) => {
    await refusal((folder) => Files.list(folder, { path }))
    await refusal((folder) => Files.search(folder, { path, text: "secret" }))
  })

  it("says that an outside path is outside whether something is there or not", async () => {
    const there = await refusal((folder) => Files.read(folder, { path: "../outside/secret.txt" }))
    const not = await refusal((folder) => Files.read(folder, { path: "../outside/nothing" }))
    assert.strictEqual(there.replace("secret.txt", ""), not.replace("nothing", ""))
  })

  it("walks past links, and finds what is inside", async () => {
    const listed = await answer((folder) => Files.list(folder, { recursive: true }))
    assert.include(String(listed).split("\n"), "sub/b.txt")
    assert.include(String(listed).split("\n"), "folder-link (link)")
    assert.notInclude(listed, "secret.txt")
    assert.strictEqual(
      await answer((folder) => Files.search(folder, { text: "e" })),
      "a.txt:1: one\nsub/b.txt:1: three"
    )
  })

  it("goes up from a link to the folder that the link is in", async () => {
    await answer((folder) => Files.write(folder, { path: "folder-link/../secret.txt", text: "mine" }))
    assert.strictEqual(readFileSync(join(work, "secret.txt"), "utf8"), "mine")
    assert.deepStrictEqual(neighbours(), untouched)
  })

  it("takes a link to a file inside for that file, for reading and for writing", async () => {
    assert.strictEqual(await answer((folder) => Files.read(folder, { path: "inner-link" })), "1\tthree")
    await answer((folder) => Files.edit(folder, { path: "inner-link", replace: "three", put: "four" }))
    assert.strictEqual(readFileSync(join(work, "sub/b.txt"), "utf8"), "four\n")
  })

  it("takes absolute paths of the folder, also by the name that it was given", async () => {
    symlinkSync(work, join(top, `named-${number}`))
    const named = join(top, `named-${number}`)
    const folder = await Effect.runPromise(Folder.make(named))
    const read = (path: string) => Effect.runPromise(Files.read(folder, { path }))
    assert.strictEqual(await read(join(named, "sub/b.txt")), "1\tthree")
    assert.strictEqual(await read(join(folder.root, "sub/b.txt")), "1\tthree")
  })
})

describe("links that are made between the check and the use", () => {
  /** Puts a link to the neighbour in the place of `sub`, once, just before `name` is called on something of it. */
  const swapping = (name: "open" | "readdir" | "rename" | "mkdir", back = false): typeof Fs => {
    let done = false
    const swap = () => {
      if (done) return
      done = true
      renameSync(join(work, "sub"), join(work, "moved"))
      symlinkSync("../outside", join(work, "sub"))
    }
    const restore = () => {
      rmSync(join(work, "sub"))
      renameSync(join(work, "moved"), join(work, "sub"))
    }
    const original = Fs[name] as (...words: ReadonlyArray<unknown>) => Promise<unknown>
    const changed = async (...words: ReadonlyArray<unknown>) => {
      const isFirst = !done
      swap()
      const result = await original(...words)
      if (back && isFirst) restore()
      return result
    }
    return { ...Fs, [name]: changed } as typeof Fs
  }

  it.each([false, true])("reading opens nothing outside (put back at once: %s)", async (back) => {
    writeFileSync(join(outside, "b.txt"), "secret\n")
    const message = await refusal((folder) => Files.read(folder, { path: "sub/b.txt" }), swapping("open", back))
    assert.notInclude(message, "secret\n")
    assert.include(message, "replaced while it was opened")
  })

  it("a file that becomes a link is not followed", async () => {
    const fs = {
      ...Fs,
      open: ((...words: Parameters<typeof Fs.open>) => {
        rmSync(join(work, "a.txt"))
        symlinkSync("../outside/secret.txt", join(work, "a.txt"))
        return Fs.open(...words)
      }) as typeof Fs.open
    }
    assert.include(await refusal((folder) => Files.read(folder, { path: "a.txt" }), fs), "it is a link")
  })

  it("listing shows nothing outside", async () => {
    const message = await refusal((folder) => Files.list(folder, { path: "sub" }), swapping("readdir"))
    assert.notInclude(message, "secret.txt")
  })

  it.each([
    ["open", false],
    ["open", true],
    ["rename", false]
  ] as const)("writing changes and adds nothing outside (before %s; put back: %s)", async (name, back) => {
    writeFileSync(join(outside, "b.txt"), "theirs\n")
    const fs = swapping(name, back)
    await refusal((folder) => Files.write(folder, { path: "sub/new.txt", text: "mine" }), fs)
    assert.strictEqual(readFileSync(join(outside, "b.txt"), "utf8"), "theirs\n")
    const left = readdirSync(outside).filter((name) => !["secret.txt", "b.txt"].includes(name))
    // at most an empty file under a name of our own, where it was put back before we could take it away
    for (const name of left) assert.strictEqual(readFileSync(join(outside, name), "utf8"), "")
    assert.isAtMost(left.length, back ? 1 : 0)
  })

  it("making folders makes none outside", async () => {
    const fs = swapping("mkdir")
    await refusal((folder) => Files.write(folder, { path: "sub/deep/er/new.txt", text: "mine" }), fs)
    assert.isFalse(existsSync(join(outside, "deep/er")))
  })

  it("reads never give what is outside while links come and go", async () => {
    writeFileSync(join(outside, "b.txt"), "secret\n")
    const flips = `cd "$1"; i=0; while [ $i -lt 200 ]; do mv sub moved; ln -s ../outside sub; rm sub; mv moved sub; i=$((i+1)); done`
    const state = { over: false }
    const flipping = new Promise<void>((resolve, reject) => {
      import("node:child_process").then(({ execFile }) =>
        execFile("sh", ["-c", flips, "sh", work], (error) => {
          state.over = true
          if (error === null) resolve()
          else reject(error)
        })
      )
    })
    const folder = await Effect.runPromise(Folder.make(work))
    const seen = new Set<string>()
    while (!state.over) {
      const read = await Effect.runPromise(Effect.either(Files.read(folder, { path: "sub/b.txt" })))
      if (Either.isRight(read)) seen.add(read.right)
    }
    await flipping
    assert.notInclude([...seen], "1\tsecret")
  })
})

describe("what files are", () => {
  it("tells binary files, folders and pipes, and reads none of them", async () => {
    writeFileSync(join(work, "image.png"), new Uint8Array([137, 80, 78, 71, 0, 1, 2]))
    writeFileSync(join(work, "latin.txt"), new Uint8Array([0x61, 0xe9, 0x62]))
    execFileSync("mkfifo", [join(work, "pipe")])
    const message = (path: string) => refusal((folder) => Files.read(folder, { path }))
    assert.include(await message("image.png"), "image.png is a binary file (.png) of 7 bytes")
    assert.include(await message("latin.txt"), "binary file")
    assert.include(await message("pipe"), "no ordinary file")
    assert.include(await message("sub"), "it is a folder")
    assert.include(await message("nothing"), "there is no such file")
    assert.include(await message("a\0b"), "is no path")
  })

  it("bounds what it reads, and says how to read on", async () => {
    writeFileSync(join(work, "long.txt"), Array.from({ length: 2_000 }, (_, i) => `line ${i + 1}`).join("\n"))
    writeFileSync(join(work, "wide.txt"), "x".repeat(1_000_000))
    const first = String(await answer((folder) => Files.read(folder, { path: "long.txt" })))
    assert.match(first, /^1\tline 1\n[^]*\n600\tline 600\n\[1,400 more lines: read on from 601\]$/u)
    const part = await answer((folder) => Files.read(folder, { path: "long.txt", from: 1_999, lines: 5 }))
    assert.strictEqual(part, "1999\tline 1999\n2000\tline 2000")
    assert.isBelow(String(await answer((folder) => Files.read(folder, { path: "wide.txt" }))).length, 1_000)
    assert.include(await refusal((folder) => Files.read(folder, { path: "a.txt", from: 9 })), "has 2 lines")
  })

  it("bounds what it lists and finds", async () => {
    mkdirSync(join(work, "many"))
    for (let i = 0; i < 420; i++) writeFileSync(join(work, "many", `f${i}`), "needle\n")
    const listed = String(await answer((folder) => Files.list(folder, { path: "many" }))).split("\n")
    assert.strictEqual(listed.length, 401)
    const found = String(await answer((folder) => Files.search(folder, { text: "NEEDLE", ignoreCase: true }))).split(
      "\n"
    )
    assert.strictEqual(found.length, 101)
    assert.include(found.at(-1), "only 100 are shown")
  })
})

describe("edits", () => {
  it("replace one place, show it, and keep the file's mode", async () => {
    chmodSync(join(work, "a.txt"), 0o750)
    const change = await answer((folder) => Files.edit(folder, { path: "a.txt", replace: "two", put: "2\n3" }))
    assert.deepStrictEqual(change, {
      told: "changed a.txt (+2 -1 lines)",
      lines: ["@@ -1,2 +1,3 @@", " one", "-two", "+2", "+3"]
    })
    assert.strictEqual(readFileSync(join(work, "a.txt"), "utf8"), "one\n2\n3\n")
    assert.strictEqual(statSync(join(work, "a.txt")).mode & 0o777, 0o750)
  })

  it.each([
    ["that is not there", "three", "does not hold the text"],
    ["that is there twice", "o", "more than once"],
    ["that is empty", "", "does not hold the text"]
  ])("refuse a text %s", async (_, replace, words) => {
    assert.include(await refusal((folder) => Files.edit(folder, { path: "a.txt", replace, put: "x" })), words)
    assert.strictEqual(readFileSync(join(work, "a.txt"), "utf8"), "one\ntwo\n")
  })

  it("refuse a file that somebody else changed meanwhile", async () => {
    let opens = 0
    const fs = {
      ...Fs,
      realpath: (async (path: string) => {
        // the second look at it is for writing
        if (path.endsWith("/a.txt") && ++opens === 2) writeFileSync(join(work, "a.txt"), "theirs, and longer\n")
        return Fs.realpath(path)
      }) as typeof Fs.realpath
    }
    await refusal((folder) => Files.edit(folder, { path: "a.txt", replace: "two", put: "mine" }), fs)
    assert.strictEqual(readFileSync(join(work, "a.txt"), "utf8"), "theirs, and longer\n")
  })

  it("make new files with the folders that they need", async () => {
    const change = await answer((folder) => Files.write(folder, { path: "new/deep/c.txt", text: "hello\n" }))
    assert.deepInclude(change, { told: "made new/deep/c.txt (+1 -0 lines)" })
    assert.strictEqual(readFileSync(join(work, "new/deep/c.txt"), "utf8"), "hello\n")
  })
})
