import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandNames } from "../../src/cli/command.ts"
import { meanings } from "../../src/cli/exitCode.ts"
import { names } from "../../src/cli/formatHelp.ts"
import { helpText } from "../../src/cli/plainConsole.ts"
import * as Formats from "../../src/formats/Formats.ts"
import { bundle, root } from "./bin.ts"

const small = join(root, "test/cli/fixtures/small.json")
/** No second line, and no colours. */
const oneSentence = /^effect-compaction: [ -~“”…–]+\n$/u
let bin: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  bin = await bundle()
  const write = (name: string, text: string) => writeFileSync(join(bin.folder, name), text)
  mkdirSync(join(bin.folder, "nothing"))
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
    ["a folder without sessions", ["nothing", ...window], ["nothing holds no .json"]],
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
    ["no window", [small], ["replay needs --window (effect-compaction replay --help"]],
    ["no transcript", window, ["<transcript>"]],
    ["a mistyped option", [small, "--widow", "8000"], ["no option --widow; did you mean --window?"]],
    [
      "an unknown provider",
      [small, ...window, "--provider", "simulate"],
      [
        '--provider takes simulated or openai-compatible, and not "simulate"; did you mean simulated?',
        "effect-compaction replay --help"
      ]
    ],
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

  it.each(["inspect", "meter", "classify", "simulate", "replay"])(
    "%s says of a mistyped option that it is none, where the file is what was forgotten",
    async (command) => {
      const { code, stderr, stdout } = await bin.run([command, "--jsno", ...(command === "replay" ? window : [])])
      assert.strictEqual(code, 2, stderr)
      assert.strictEqual(stdout, "")
      assert.match(stderr, oneSentence)
      assert.include(stderr, "there is no option --jsno; did you mean --json?")
    }
  )

  it.each([
    ["a command that is none", "bogus", /there is no command "bogus"; the commands are .*replay.*(?<!mean .*\?) \(/u],
    ["a mistyped command", "metr", /there is no command "metr"; .*; did you mean meter\?/u],
    ["two letters that changed places", "chta", /did you mean chat\?/u],
    ["an option of no command", "--versoin", /there is no option --versoin; did you mean --version\?/u],
    ["an option of one letter", "-v", /there is no option -v; did you mean --version\? \(/u]
  ])("%s", async (_, word, words) => {
    const { code, stderr } = await bin.run([word])
    assert.strictEqual(code, 2)
    assert.match(stderr, oneSentence)
    assert.match(stderr, words)
  })
})

describe("help", () => {
  it("of a command has its own examples, of the program the first of each and one line a command", async () => {
    const own = (await bin.run(["meter", "--help"])).stdout
    assert.include(own, "effect-compaction meter session.jsonl")
    assert.notInclude(own, "effect-compaction replay session.json")
    const { stdout } = await bin.run(["--help"])
    for (const name of commandNames) {
      assert.match(stdout, new RegExp(`^  ${name} +[A-Z]`, "mu"))
      assert.include(stdout, `    effect-compaction ${name}`)
    }
    for (const [code, meaning] of meanings) assert.include(stdout.replace(/\s+/gu, " "), `${code}: ${meaning}`)
  })

  it("is no wider than the terminal, and breaks no example", () => {
    const example = "    effect-compaction replay session.json --window 16000"
    const text = `One of the words here is longer than others are.\n\n  ${"word ".repeat(20)}\n\n${example}`
    const lines = helpText(text, { commands: commandNames, colours: false, columns: 30 }).split("\n")
    assert.isTrue(lines.every((line) => line.length <= 30 || line === example))
    assert.include(lines, example)
    assert.isAbove(lines.filter((line) => /^ {2}word/u.test(line)).length, 3)
  })

  it.skipIf(spawnSync("bash", ["--version"]).status !== 0)("completes words in bash", async () => {
    const { stdout } = await bin.run(["--completions", "bash"])
    const completed = (...words: ReadonlyArray<string>) => {
      const line = ["effect-compaction", ...words].map((word) => `'${word}'`).join(" ")
      const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}\n_effect-compaction_bash_completions effect-compaction\necho "\${COMPREPLY[*]}"`
      return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split(/\s+/u)
    }
    assert.includeMembers(completed(""), ["--help", ...commandNames])
    assert.deepStrictEqual(completed("re"), ["replay"])
    assert.deepStrictEqual(completed("replay", "--told"), ["--told-window"])
    assert.sameMembers(completed("provider", "--as", ""), ["deepseek", "openai", "anthropic"])
    for (const shell of ["zsh", "fish"]) assert.include((await bin.run(["--completions", shell])).stdout, "told-window")
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
    for (const line of stdout.split("\n").filter((each) => each.includes("│"))) assert.isAtMost(line.length, 80)
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

  it("replays a folder of sessions, and one that comes in", async () => {
    mkdirSync(join(bin.folder, "sessions"))
    for (const name of ["a.json", "b.json"]) copyFileSync(small, join(bin.folder, "sessions", name))
    const both = JSON.parse((await bin.run(["replay", "sessions", "--window", "3000", "--json"])).stdout)
    assert.deepInclude(both, { answered: 34, recorded: 34, replayVerified: true })
    assert.strictEqual(new Set(both.sessions.map((report: { session: string }) => report.session)).size, 2)
    const args = ["replay", "-", "--window", "3000", "--json"]
    const one = JSON.parse((await bin.run(args, { stdin: readFileSync(small, "utf8") })).stdout)
    assert.deepInclude(one, { answered: 17, recorded: 17 })
  })

  it("ends quietly where nobody reads on", () => {
    const quoted = [process.execPath, bin.file].map((word) => `'${word}'`).join(" ")
    const inShell = (line: string) => spawnSync("bash", ["-c", `set -o pipefail; ${line}`], { encoding: "utf8" })
    const head = inShell(`${quoted} replay --help | head -n 1`)
    assert.deepInclude(head, { status: 0, stdout: "effect-compaction\n", stderr: "" })
  })

  it("a failing provider is a failure, told in a sentence", async () => {
    const server = ["--provider", "openai-compatible", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    const { code, stderr, stdout } = await bin.run(["replay", small, "--window", "8000", "--json", ...server])
    assert.strictEqual(code, 1)
    assert.match(stderr, /effect-compaction: session "session": turn 1: [^\n]+\n$/u)
    assert.strictEqual(JSON.parse(stdout).failures.length, 1)
  })
})
