import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Report } from "../../../src/cli/inspect/report.ts"
import { render } from "../../../src/cli/inspect/table.ts"
import { bundle, root } from "../bin.ts"
import { inspected, long, reportOf } from "./sessions.ts"

const small = join(root, "test/cli/fixtures/small.json")
const runs = join(root, "test/cli/fixtures/runs.json")
let bin: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  bin = await bundle()
  mkdirSync(join(bin.folder, "empty"))
  writeFileSync(join(bin.folder, "policy.json"), '{"threshold": 2}')
})
afterAll(() => bin.remove())

describe("effect-compaction inspect", () => {
  it("prints a table, and the same figures as data", async () => {
    const { code, stderr, stdout } = await bin.run(["inspect", small])
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "what the next request carries")
    assert.include(stdout, "assumed")
    // a pipe gets no colours
    assert.notInclude(stdout, "\u001b")
    const report = JSON.parse((await bin.run(["inspect", small, "--json"])).stdout) as Report
    assert.strictEqual(report.version, 1)
    assert.strictEqual(report.format, "openai-chat")
    assert.include(stdout, report.sessions[0]!.tokens.toLocaleString("en-US"))
  })

  it("reads standard input, and a file as the format that is named", async () => {
    const stdin = readFileSync(small, "utf8")
    const piped = await bin.run(["inspect", "-", "--json", "--format", "openai-chat"], { stdin })
    const { sessions } = JSON.parse(piped.stdout) as Report
    const { sessions: same } = JSON.parse((await bin.run(["inspect", small, "--json"])).stdout) as Report
    assert.deepStrictEqual(sessions, same)
  })

  it("holds a session against a window and shows one of several", async () => {
    const { sessions } = JSON.parse((await bin.run(["inspect", runs, "--json"])).stdout) as Report
    assert.isAbove(sessions.length, 1)
    const id = sessions[1]!.id
    const { stdout } = await bin.run(["inspect", runs, "--session", id, "--window", "1000", "--json"])
    const only = (JSON.parse(stdout) as Report).sessions
    assert.deepStrictEqual(
      only.map((session) => [session.id, session.window]),
      [[id, { tokens: 1_000, from: "given", why: "given with --window" }]]
    )
  })

  it("writes a page that stands alone, beside the table", async () => {
    const { code, stderr, stdout } = await bin.run(["inspect", small, "--html", "report.html"])
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "Heaviest messages")
    const page = readFileSync(join(bin.folder, "report.html"), "utf8")
    assert.match(page, /^<!doctype html>/u)
    assert.include(page, '<script type="application/json" id="report">{"version":1,')
  })

  it.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["a missing file", ["nope.json"], ["nope.json", "no such file"]],
    ["a folder of nothing", ["empty"], ["holds no"]],
    ["a bad window", [small, "--window", "16k"], ["--window", '"16k"']],
    ["a bad policy", [small, "--policy", "policy.json"], ["policy.json", "threshold: "]],
    ["a session that is not there", [small, "--session", "other"], ['no session "other"', "it has"]],
    ["a page over the file", [small, "--html", small], ["is the session file itself"]],
    ["a page in no folder", [small, "--html", "nope/report.html"], ["nope/report.html"]],
    ["no file", [], ["<file>"]]
  ])("refuses %s in one sentence", async (_, args, parts) => {
    const before = readFileSync(small, "utf8")
    const { code, stderr, stdout } = await bin.run(["inspect", ...args])
    assert.strictEqual(code, 2, stderr)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^effect-compaction: [^\n]+\n$/u)
    for (const part of parts) assert.include(stderr, part)
    assert.strictEqual(readFileSync(small, "utf8"), before)
    assert.isFalse(existsSync(join(bin.folder, "nope")))
  })
})

describe("the table", () => {
  const report = reportOf(inspected(long(60, "", 25_000)))

  it.each([30, 44, 60, 80, 100, 160])("keeps within %i columns", (columns) => {
    const lines = render(report, { columns, bold: false }).split("\n")
    // a word that is longer than a line stays whole
    const wide = lines.filter((line) => [...line].length > columns && line.trim().includes(" "))
    assert.deepStrictEqual(wide, [])
    for (const { tokens } of report.sessions[0]!.heaviest.slice(0, 3)) {
      assert.isTrue(lines.some((line) => line.includes(tokens.toLocaleString("en-US"))))
    }
  })

  it("keeps within its columns where characters take two", () => {
    const [first] = report.sessions
    const heaviest = first!.heaviest.map((heavy) => ({ ...heavy, words: "\u5b57".repeat(40) }))
    const text = render({ ...report, sessions: [{ ...first!, heaviest }] }, { columns: 100, bold: false })
    const widths = text.split("\n").map((line) => [...line].length + (line.match(/\u5b57/gu) ?? []).length)
    assert.include(text, "\u5b57")
    assert.isAtMost(Math.max(...widths), 100)
  })

  it("stresses headings where it is told that it may", () => {
    assert.include(render(report, { columns: 80, bold: true }), "\u001b[1mWindow\u001b[0m")
    assert.notInclude(render(report, { columns: 80, bold: false }), "\u001b")
  })
})
