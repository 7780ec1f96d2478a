import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { names } from "../../src/cli/formatHelp.ts"
import * as Formats from "../../src/formats/Formats.ts"
import { bundle, root } from "./bin.ts"

const small = join(root, "test/cli/fixtures/small.json")
/** No second line, and no colours. */
const oneSentence = /^effect-compaction: [ -~“”…–]+\n$/u
let bin: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  bin = await bundle()
  const write = (name: string, text: string) => writeFileSync(join(bin.folder, name), text)
  write("empty.json", "")
  write("no-messages.json", "[]")
  write("broken.json", '[\n{"role": "user",,\n]')
  write("broken.jsonl", '{"v":1,"seq":0,"count":0,"events":[]}\nnot json\n{"v":1,"seq":0,"count":0,"events":[]}\n')
  write("other.json", '{"a": 1}')
  write("policy.json", '{"threshold": 2, "prune": {"over": "x"}}')
})
afterAll(() => bin.remove())

describe("bad input: one sentence on stderr, exit code 2, nothing written", () => {
  const window = ["--window", "8000"]
  it.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["a missing file", ["nope.json", ...window], ["nope.json", "no such file"]],
    ["a folder", [".", ...window], ["folder"]],
    ["an empty file", ["empty.json", ...window], ["empty.json", "empty"]],
    ["a transcript without messages", ["no-messages.json", ...window], ["holds no messages"]],
    ["broken JSON", ["broken.json", ...window], ["not JSON", "line 2"]],
    ["a broken line of a log", ["broken.jsonl", ...window], ["line 2"]],
    ["an unknown form", ["other.json", ...window], ["no known form"]],
    ["an unknown format", [small, ...window, "--format", "foo"], ['no format "foo"', "openai-chat"]],
    ["a window of nothing", [small, "--window", "0"], ["--window", "whole number", '"0"']],
    ["a window that is no number", [small, "--window", "16k"], ["--window", '"16k"']],
    ["a told window below 0", [small, ...window, "--told-window", "-5"], ["--told-window", '"-5"']],
    [
      "a window below the system prompt",
      [small, "--window", "20"],
      ["20 tokens cannot hold the system prompt", "takes"]
    ],
    ["a bad policy", [small, ...window, "--policy", "policy.json"], ["policy.json", "threshold: ", "prune.over: "]],
    ["a missing policy", [small, ...window, "--policy", "nope.json"], ["policy nope.json", "no such file"]],
    ["an unknown option", [small, ...window, "--bogus"], ["--bogus"]],
    ["no window", [small], ["--window"]],
    ["no transcript", window, ["<transcript>"]],
    ["an unknown provider", [small, ...window, "--provider", "foo"], ["simulated, openai-compatible"]],
    ["no address", [small, ...window, "--provider", "openai-compatible"], ["--base-url and --model"]],
    ["a folder that is a file", [small, ...window, "--dir", "empty.json"], ["--dir empty.json is a file"]],
    ["resume without a folder", [small, ...window, "--resume"], ["--resume needs --dir"]]
  ])("%s", async (_, args, parts) => {
    const before = readdirSync(bin.folder)
    const { code, stderr, stdout } = await bin.run(["replay", ...args])
    assert.strictEqual(code, 2, stderr)
    assert.strictEqual(stdout, "")
    assert.match(stderr, oneSentence)
    for (const part of parts) assert.include(stderr, part)
    assert.deepStrictEqual(readdirSync(bin.folder), before)
  })

  it("a subcommand that is none", async () => {
    const { code, stderr } = await bin.run(["bogus"])
    assert.strictEqual(code, 2)
    assert.match(stderr, oneSentence)
  })
})

describe("the command", () => {
  it("explains itself, without colours where there is no terminal", async () => {
    const { code, stdout } = await bin.run(["replay", "--help"])
    assert.strictEqual(code, 0)
    for (const part of ["$ effect-compaction replay", "--told-window", "Default:", "EXAMPLES", "EXIT CODES"]) {
      assert.include(stdout, part)
    }
    assert.notInclude(stdout, "\u001b")
    assert.deepInclude(await bin.run(["--version"]), { code: 0, stdout: "0.1.0\n" })
  })

  it("names every format in its help, and belongs to the program in each command's", async () => {
    assert.sameMembers(
      [...names],
      Formats.all.map(({ name }) => name)
    )
    const { code, stdout } = await bin.run(["meter", "--help"])
    assert.strictEqual(code, 0)
    for (const part of ["$ effect-compaction meter", "roo-task", "WHAT METER REPORTS"]) assert.include(stdout, part)
    assert.include((await bin.run(["meter"])).stderr, "effect-compaction meter --help")
  })

  it("prints a table for people, and the progress in plain lines where there is no terminal", async () => {
    const { code, stderr, stdout } = await bin.run(["replay", small, "--window", "3000", "--told-window", "8000"])
    assert.strictEqual(code, 0, stderr)
    for (const part of ["17 of 17", "retries without progress", "replay verified", "logs: "])
      assert.include(stdout, part)
    assert.match(stderr, /session: refused, limit 3,000, requested [\d,]+\n/u)
    assert.match(stderr, /session: context-overflow by prune, [\d,]+ -> [\d,]+ tokens, generation 1\n/u)
    assert.match(stderr, /session: pressure by summarise, [\d,]+ -> [\d,]+ tokens, generation \d+\n/u)
    assert.notInclude(stdout + stderr, "\u001b")
  })

  it("refuses a session that is there already, goes on with it by --resume, and plays nothing twice", async () => {
    const args = ["replay", small, "--window", "3000", "--dir", "logs", "--json"]
    let killed = false
    const first = await bin.run(args, {
      onStderr: (text, kill) => {
        if (killed || !text.includes("generation 2\n")) return
        killed = true
        kill()
      }
    })
    assert.strictEqual(first.code, 130, first.stderr)
    assert.strictEqual(first.stdout, "")
    assert.include(first.stderr, "--resume")
    const log = join(bin.folder, "logs/session.jsonl")
    assert.isTrue(existsSync(log))
    const written = readFileSync(log, "utf8")

    const refused = await bin.run(args)
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "--resume")
    assert.strictEqual(readFileSync(log, "utf8"), written)

    const resumed = await bin.run([...args, "--resume"])
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    const report = JSON.parse(resumed.stdout)
    assert.deepInclude(report, { answered: 17, recorded: 17, skipped: 0, replayVerified: true, failures: [] })
    assert.isTrue(readFileSync(log, "utf8").startsWith(written))

    const whole = readFileSync(log, "utf8")
    const again = await bin.run([...args, "--resume"])
    assert.strictEqual(again.stdout, resumed.stdout)
    assert.strictEqual(readFileSync(log, "utf8"), whole)
  })

  it("a failing provider is a failure, told in a sentence", async () => {
    const server = ["--provider", "openai-compatible", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    const { code, stderr, stdout } = await bin.run(["replay", small, "--window", "8000", "--json", ...server])
    assert.strictEqual(code, 1)
    assert.match(stderr, /effect-compaction: session "session": turn 1: [^\n]+\n$/u)
    assert.strictEqual(JSON.parse(stdout).failures.length, 1)
  })
})
