import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { type Arguments, copy as run } from "../../src/cli/copy/run.ts"
import { copySession } from "../../src/cli/copy/session.ts"
import * as LogStore from "../../src/layers/LogStore.ts"
import * as LogFrame from "../../src/session/LogFrame.ts"
import * as LogScan from "../../src/session/LogScan.ts"
import { SqlLogStore } from "../../src/sql/index.ts"
import { databases } from "../sql/databases.ts"
import { bundle, root } from "./bin.ts"

let bin: Awaited<ReturnType<typeof bundle>>
const golden = readFileSync(join(root, "test/session/golden/version1.jsonl"))
const session = "golden/é"
/** where the file store keeps that session */
const name = "golden%2f%c3%a9.jsonl"
const lines = golden.toString("utf8").split(/(?<=\n)/u)

const file = (path: string) => join(bin.folder, path)
const put = (path: string, bytes: Uint8Array | string) => {
  mkdirSync(join(file(path), ".."), { recursive: true })
  writeFileSync(file(path), bytes)
}
const isGolden = (path: string) => Buffer.compare(readFileSync(file(path)), golden) === 0
/** The command as it is shipped. */
const shipped = async (...args: ReadonlyArray<string>) => {
  const ended = await bin.run(["copy", ...args, "--json"])
  const sessions: ReadonlyArray<{ readonly [field: string]: unknown }> =
    ended.stdout === "" ? [] : JSON.parse(ended.stdout).sessions
  return { ...ended, sessions, first: sessions[0]! }
}

const isAddress = (place: string) => place.includes(":")

/** The same in this process, which is quicker. */
const copying = (from: string, to: string, options: Partial<Arguments> = {}) => {
  const at = (place: string) => (place === "" || isAddress(place) ? place : file(place))
  const given = { session: undefined, whileOpen: false, tablePrefix: undefined, ...options }
  return Effect.provide(run({ from: at(from), to: at(to), ...given }), NodeContext.layer)
}
const copy = async (from: string, to: string, options?: Partial<Arguments>) => {
  const { sessions } = await Effect.runPromise(copying(from, to, options))
  return { sessions, first: sessions[0]! as { readonly [field: string]: unknown; readonly reason?: string } }
}
const refusal = (from: string, to: string, options?: Partial<Arguments>) =>
  Effect.runPromise(Effect.map(Effect.flip(copying(from, to, options)), ({ message }) => message))

/** The line, changed, with a right sum again. */
const resummed = (line: string, from: string, to: string) => {
  assert.include(line, from)
  const text = line.slice(0, line.lastIndexOf(',"sum":"')).replace(from, to)
  return `${text},"sum":"${crc32(text).toString(16).padStart(8, "0")}"}\n`
}

beforeAll(async () => {
  bin = await bundle()
  put("logs/" + name, golden)
}, 60_000)
afterAll(() => bin.remove())

/** The lock of a live owner: the process that runs these tests, as another one sees it. */
const lock = {
  held: 1,
  owner: `pid ${process.ppid}`,
  pid: process.ppid,
  writer: "w",
  since: 0,
  ...(existsSync("/proc/sys/kernel/hostname") ? { host: readFileSync("/proc/sys/kernel/hostname", "utf8").trim() } : {})
}

describe("effect-compaction copy", () => {
  it("copies a file into a folder, byte for byte, and leaves the source as it was", async () => {
    put("one.jsonl", golden)
    const { code, first, stderr } = await shipped("one.jsonl", "folder/deep")
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, `copying session "${session}": 32 events`)
    assert.deepStrictEqual(first, {
      session,
      outcome: "copied",
      events: 32,
      written: 32,
      batches: 19,
      bytes: golden.length,
      generation: 2,
      messages: first.messages,
      tokens: first.tokens,
      whileOpen: false
    })
    assert.isTrue(isGolden(`folder/deep/${name}`))
    assert.strictEqual(statSync(file(`folder/deep/${name}`)).mode & 0o777, 0o600)
    assert.isFalse(existsSync(file("one.lock")))
    assert.isTrue(isGolden("one.jsonl"))
  })

  it("copies a folder's session into a file of any name, and says so in words", async () => {
    const { code, stderr, stdout } = await bin.run(["copy", "logs", "kept.jsonl", "--session", session])
    assert.strictEqual(code, 0, stderr)
    assert.match(
      stdout,
      /^session "golden\/é": copied 32 events in 19 batches, 7,665 bytes; generation 2, \d+ messages, [\d,]+ tokens; the same at both ends\n$/u
    )
    assert.isTrue(isGolden("kept.jsonl"))
  })

  it("goes on with a copy that was cut off, at whatever byte, and writes nothing where all is there", async () => {
    const cut = lines.slice(0, 7).join("").length
    for (const [folder, length, written] of [
      ["cut", Buffer.byteLength(lines.slice(0, 7).join("")), undefined],
      ["torn", cut + 30, undefined],
      ["empty", 0, 32]
    ] as const) {
      put(`${folder}/${name}`, golden.subarray(0, length))
      const { first } = await copy("logs", folder)
      assert.strictEqual(first.outcome, written === undefined ? "continued" : "copied")
      assert.isTrue(isGolden(`${folder}/${name}`))
    }
    const again = await copy("logs", "cut")
    assert.deepInclude(again.first, { outcome: "same", written: 0 })
  })

  it("leaves out an unfinished write at the source, as an opening does", async () => {
    put("unfinished.jsonl", Buffer.concat([golden, golden.subarray(0, 50)]))
    assert.strictEqual((await copy("unfinished.jsonl", "finished.jsonl")).first.outcome, "copied")
    assert.isTrue(isGolden("finished.jsonl"))
  })

  it("overwrites no session: not another one, and not one that went on", async () => {
    put(`other/${name}`, [resummed(lines[0]!, '"time":', '"time":1'), ...lines.slice(1, 3)].join(""))
    const other = readFileSync(file(`other/${name}`))
    const { code, first, stderr } = await shipped("logs", "other")
    assert.strictEqual(code, 1)
    assert.include(stderr, "1 of 1 session from logs to other was not copied")
    assert.strictEqual(first.outcome, "refused")
    assert.include(first.reason, "another session of that id, from its batch 1 on: it is not overwritten")
    assert.strictEqual(Buffer.compare(readFileSync(file(`other/${name}`)), other), 0)

    put("shorter.jsonl", lines.slice(0, 5).join(""))
    const longer = await copy("shorter.jsonl", "logs")
    assert.include(longer.first.reason, "goes on behind the source's last event")
    assert.isTrue(isGolden(`logs/${name}`))
  })

  it("refuses a session that somebody has open, with who, and copies it with --while-open", async () => {
    put(`open/${name}`, golden)
    put("open/golden%2f%c3%a9.lock/0000000001", JSON.stringify(lock))
    const held = await copy("open", "fromOpen")
    assert.strictEqual(held.first.outcome, "refused")
    assert.strictEqual(
      held.first.reason,
      `${lock.owner} has it open since 1970-01-01T00:00:00.000Z; --while-open copies what is written up to now`
    )
    assert.isFalse(existsSync(file(`fromOpen/${name}`)))
    const open = await copy("open", "fromOpen", { whileOpen: true })
    assert.deepInclude(open.first, { outcome: "copied", whileOpen: true })
    assert.isTrue(isGolden(`fromOpen/${name}`))

    const target = await copy("logs", "open")
    assert.include(target.first.reason, `${lock.owner} holds it since`)
  })

  it("copies what it can of a folder, and says what it cannot", async () => {
    put(`mixed/${name}`, golden)
    put("mixed/copy of it.jsonl", golden)
    put("mixed/newer.jsonl", lines.map((line) => resummed(line, '{"v":1', '{"v":2')).join(""))
    put(
      "mixed/broken.jsonl",
      lines
        .filter((_, i) => i !== 4)
        .map((line, i) => (i === 0 ? resummed(line, session, "broken") : line))
        .join("")
    )
    put("mixed/none.jsonl", "")
    put("mixed/notes.txt", "mine")
    const { sessions } = await copy("mixed", "sorted")
    assert.lengthOf(sessions, 4)
    const reasons = new Map(sessions.map((one) => [one.session, "reason" in one ? one.reason : undefined]))
    assert.include(reasons.get("copy of it.jsonl"), `whose file is named ${name}: copy it as a file`)
    assert.include(reasons.get("newer.jsonl"), "format version 2, newer than version 1")
    assert.include(reasons.get("broken"), 'the log of session "broken" cannot be read at seq')
    assert.isUndefined(reasons.get(session))
    assert.deepStrictEqual(
      readdirSync(file("sorted")).filter((entry) => entry.endsWith(".jsonl")),
      [name]
    )
  })

  it("refuses a branch whose own copy was cut off: it is no session yet", async () => {
    put("branch.jsonl", lines[0]!)
    const { first } = await copy("branch.jsonl", "branches")
    assert.strictEqual(first.outcome, "refused")
    assert.include(first.reason, "whose copy was not finished")
    assert.isFalse(existsSync(file("branches")))
  })

  it("refuses what it would not write with the same bytes", async () => {
    put("spaced.jsonl", [lines[0]!, resummed(lines[1]!, '"time":', '"time": ')].join(""))
    const { first } = await copy("spaced.jsonl", "spacedCopy")
    assert.include(first.reason, "not laid out as this library writes it")
  })

  it("ends with 2 where a store cannot be used, and makes nothing", async () => {
    put("text.txt", "mine")
    symlinkSync("text.jsonl", file("linked.jsonl"))
    put("text.jsonl", "mine")
    put("newer.jsonl", resummed(lines[0]!, '{"v":1', '{"v":2'))
    put(`two/${name}`, golden)
    put("two/second.jsonl", resummed(lines[0]!, session, "second"))
    for (const [from, to, words, options] of [
      ["absent", "x", "there is no such file or folder"],
      ["logs", "logs", "both the source and the destination"],
      ["text.jsonl", "linked.jsonl", "both the source and the destination"],
      ["logs", "x", 'there is no session "nobody" in', { session: "nobody" }],
      ["one.jsonl", "x", `is the log of session "${session}", not of "nobody"`, { session: "nobody" }],
      ["logs", "text.txt", "a log's name ends with .jsonl"],
      ["two", "x.jsonl", "has 2 sessions: choose one with --session"],
      ["text.jsonl", "x", "cannot be read at seq 0, line 1"],
      ["newer.jsonl", "x", "format version 2, newer than version 1"],
      ["sqlite:absent.db", "x", "there is no such file"],
      ["sqlite:", "x", "sqlite: needs a file"],
      ["postgres://a b", "x", "is no URL"],
      ["logs", "x", "--table-prefix takes", { tablePrefix: "A-" }]
    ] as const) {
      assert.include(await refusal(from, to, options), words)
    }
    assert.isFalse(existsSync(file("x")))
    assert.isFalse(existsSync(file("x.jsonl")))
    const { code, stderr } = await bin.run(["copy", "absent", "x"])
    assert.strictEqual(code, 2, stderr)
  })

  it("says which driver is missing, and never a password", async () => {
    const sqlite = await bin.run(["copy", "logs", "sqlite:x.db"])
    assert.deepStrictEqual(
      [sqlite.code, sqlite.stderr],
      [2, "effect-compaction: sqlite:x.db needs a driver that is not installed: npm install @effect/sql-sqlite-node\n"]
    )
    const closed = await refusal("postgres://me:secret@127.0.0.1:1/app?password=secret", "x")
    assert.include(closed, "postgres://me@127.0.0.1:1/app cannot be opened: ")
    assert.notInclude(closed, "secret")
  })

  it("shows examples and what the places are", async () => {
    const { stdout } = await bin.run(["copy", "--help"])
    assert.include(stdout, "effect-compaction copy logs sqlite:sessions.db")
    assert.include(stdout, "--while-open")
  })
})

for (const database of databases) {
  describe(`effect-compaction copy: ${database.name}`, () => {
    const live = database.missing === undefined ? it.scopedLive : it.scopedLive.skip
    live(
      database.missing ?? "there and back, byte for byte, resumed and refused as files are",
      () =>
        Effect.gen(function* () {
          const { address, client, tablePrefix } = yield* database.fresh
          if (!existsSync(file("node_modules"))) symlinkSync(join(root, "node_modules"), file("node_modules"))
          const place =
            "filename" in address
              ? `sqlite:${address.filename}`
              : `postgres://postgres@127.0.0.1:${address.port}/postgres`
          const run = (from: string, to: string) => Effect.promise(() => copy(from, to, { tablePrefix }))
          const nothing = yield* Effect.promise(() => refusal(place, "nothing", { tablePrefix }))
          assert.include(nothing, "no logs can be read in the tables")

          put("beginning.jsonl", lines.slice(0, 5).join(""))
          assert.deepInclude((yield* run("beginning.jsonl", place)).first, { outcome: "copied" })
          // the driver is the user's, the command brings Effect in its bundle
          const rest = yield* Effect.promise(() => shipped("logs", place, "--table-prefix", tablePrefix))
          assert.deepInclude(rest.first, { outcome: "continued", events: 32, batches: 19 }, rest.stderr)
          const back = `from${database.name}`
          assert.strictEqual((yield* run(place, back)).first.outcome, "copied")
          assert.isTrue(isGolden(`${back}/${name}`))
          assert.include((yield* run("beginning.jsonl", place)).first.reason, "goes on behind the source's last event")

          const store = yield* SqlLogStore.make({ tablePrefix }).pipe(Effect.provide(yield* Layer.build(client)))
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* store.open(session)
              assert.include((yield* run(place, "held")).first.reason, `pid ${process.pid}`)
              assert.include((yield* run("logs", place)).first.reason, "is open elsewhere")
            })
          )
        }),
      60_000
    )
  })
}

const batches = Either.getOrThrowWith(LogScan.make().push(golden), ({ reason }) => new Error(reason)).map(
  ({ bytes, header }) => ({
    ...header,
    bytes: bytes.length + 1,
    json: Either.getOrThrow(LogFrame.eventsOf(bytes, header))
  })
)

/** Copies the golden log into a store in memory that does something to each text that it is given. */
const intoMemory = (change: (json: string) => string) =>
  Effect.gen(function* () {
    const memory = yield* LogStore.makeMemory
    const target = LogStore.LogStore.of({
      ...memory,
      open: (id) =>
        Effect.map(memory.open(id), (log) => ({
          ...log,
          append: (batch, options) =>
            log.append({ ...batch, events: JSON.parse(change(JSON.stringify(batch.events))) }, options)
        }))
    })
    return yield* copySession({
      source: { session, owner: Effect.succeed(undefined), batches: Stream.fromIterable(batches) },
      target,
      whileOpen: false,
      progress: () => ({ written: () => {}, done: () => {} })
    })
  })

describe("copySession", () => {
  it.effect("copies into a store that holds no JSON", () =>
    Effect.map(
      intoMemory((json) => json),
      (outcome) => assert.deepInclude(outcome, { outcome: "copied", events: 32 })
    )
  )

  it.effect("tells what is not the same in the copy", () =>
    Effect.gen(function* () {
      for (const [from, to, says] of [
        ["by the way", "by the bye", "surface: message"],
        ['"parent":{"session":"', '"parent":{"session":"X', "records: "],
        ['"time":', '"time":1', "its batches have other bytes"]
      ] as const) {
        const outcome = yield* intoMemory((json) => json.replaceAll(from, to))
        assert.strictEqual(outcome.outcome, "failed")
        assert.include((outcome as { readonly reason: string }).reason, says)
      }
    })
  )
})
