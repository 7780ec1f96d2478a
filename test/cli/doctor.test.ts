import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundle, root } from "./bin.ts"

let bin: Awaited<ReturnType<typeof bundle>>
const golden = readFileSync(join(root, "test/session/golden/version1.jsonl"))
const file = (name: string) => join(bin.folder, name)
const put = (name: string, bytes: Uint8Array | string) => writeFileSync(file(name), bytes)

beforeAll(async () => {
  bin = await bundle()
}, 60_000)
afterAll(() => bin.remove())

describe("effect-compaction doctor", () => {
  it("says what is in a sound log, and ends with 0", async () => {
    put("sound.jsonl", golden)
    const { code, stderr, stdout } = await bin.run(["doctor", "sound.jsonl"])
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, `session "golden/é", ${golden.length} bytes, 19 lines`)
    assert.include(stdout, "turns: 1; compactions: 2; generation: 2")
    assert.include(stdout, "nothing is wrong")
  })

  it("says what is wrong, ends with 1, and repairs into a new file that is sound", async () => {
    const torn = Buffer.concat([golden, golden.subarray(0, 40)])
    put("torn.jsonl", torn)
    const found = await bin.run(["doctor", "torn.jsonl", "--json", "--repair", "whole.jsonl"])
    assert.strictEqual(found.code, 1)
    assert.strictEqual(found.stderr, "effect-compaction: 1 thing is wrong with torn.jsonl\n")
    const report = JSON.parse(found.stdout)
    assert.deepStrictEqual(report.findings, [
      {
        kind: "fault",
        rule: "torn-tail",
        seq: 32,
        line: 20,
        offset: golden.length,
        detail: "40 bytes of a write that was cut short"
      }
    ])
    assert.deepStrictEqual([report.faults, report.events, report.lock], [1, 32, null])
    assert.strictEqual(Buffer.compare(readFileSync(file("whole.jsonl")), golden), 0)
    assert.strictEqual(statSync(file("whole.jsonl")).mode & 0o777, 0o600)
    assert.strictEqual(Buffer.compare(readFileSync(file("torn.jsonl")), torn), 0)
    assert.strictEqual((await bin.run(["doctor", "whole.jsonl"])).code, 0)
  })

  it("overwrites nothing, and writes no empty log", async () => {
    put("there.jsonl", "mine")
    const { code, stderr } = await bin.run(["doctor", "torn.jsonl", "--repair", "there.jsonl"])
    assert.deepStrictEqual([code, readFileSync(file("there.jsonl"), "utf8")], [2, "mine"])
    assert.include(stderr, "is not overwritten")
    const itself = await bin.run(["doctor", "torn.jsonl", "--repair", "torn.jsonl"])
    assert.strictEqual(itself.code, 2)

    const nothing = await bin.run(["doctor", "there.jsonl", "--repair", "none.jsonl"])
    assert.deepStrictEqual([nothing.code, existsSync(file("none.jsonl"))], [1, false])
    assert.include(nothing.stderr, "nothing of there.jsonl can be kept")
  })

  it("says of a file that is no log at all that it is none", async () => {
    put("other.json", '[\n{"role": "user", "content": "a"}\n]\n')
    const { code, stderr } = await bin.run(["doctor", "other.json"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "other.json is no log of this library, or nothing is left of it: no line is a batch")
  })

  it("ends with 2 where there is nothing to look at", async () => {
    for (const args of [["doctor"], ["doctor", "absent.jsonl"], ["doctor", "."], ["doctor", "sound.jsonl", "--no"]]) {
      const { code, stderr } = await bin.run(args)
      assert.strictEqual(code, 2, stderr)
    }
  })

  it("says whose lock lies beside the log, and whether its owner lives", async () => {
    mkdirSync(file("sound.lock"))
    const owner = { owner: `pid ${process.pid}`, pid: process.pid, writer: "w", since: 0 }
    const host = existsSync("/proc/sys/kernel/hostname")
      ? { host: readFileSync("/proc/sys/kernel/hostname", "utf8").trim() }
      : {}
    writeFileSync(file("sound.lock/0000000001"), JSON.stringify({ held: 1, ...owner, ...host }))
    const live = await bin.run(["doctor", "sound.jsonl", "--json"])
    assert.deepStrictEqual(JSON.parse(live.stdout).lock, { owner: owner.owner, since: 0, state: "live" })
    assert.strictEqual(live.code, 0)
    writeFileSync(file("sound.lock/0000000002"), JSON.stringify({ held: 1, ...owner, ...host, pid: 4_194_304 }))
    const gone = await bin.run(["doctor", "sound.jsonl"])
    assert.include(gone.stdout, "it is gone: the next open takes the lock over")
    writeFileSync(file("sound.lock/0000000003"), JSON.stringify({ held: 0, ...owner, ...host }))
    assert.notInclude((await bin.run(["doctor", "sound.jsonl"])).stdout, "lock:")
  })

  it("finds nothing wrong with what a real session writes: prunes, summaries, rescues", async () => {
    const transcript = join(root, "examples/transcript/session.json")
    const replayed = await bin.run([
      "replay",
      transcript,
      "--window",
      "16000",
      "--told-window",
      "24000",
      "--dir",
      "logs"
    ])
    assert.strictEqual(replayed.code, 0, replayed.stderr)
    const logs = readdirSync(file("logs")).filter((name) => name.endsWith(".jsonl"))
    assert.isNotEmpty(logs)
    for (const name of logs) {
      const { code, stdout } = await bin.run(["doctor", join("logs", name), "--json"])
      const { compactions, findings, types } = JSON.parse(stdout)
      assert.deepStrictEqual(findings, [])
      assert.strictEqual(code, 0)
      assert.isAbove(compactions, 0)
      assert.isAbove(types["rescue/end"], 0)
    }
  })
})
