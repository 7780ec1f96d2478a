import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compare, faults, kindOf } from "../../src/cli/classify/expected.ts"
import { read } from "../../src/cli/classify/line.ts"
import { judge } from "../../src/errors/classify.ts"
import { missingCorpus, overflowCorpus } from "../shared.ts"
import { bundle } from "./bin.ts"

let bin: Awaited<ReturnType<typeof bundle>>

const lines = (...values: ReadonlyArray<unknown>) =>
  `${values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n")}\n`

const tooLong = "prompt is too long: 950 tokens > 900 maximum"
const overflow = {
  id: "a",
  status: 400,
  body: { error: { message: tooLong } },
  expected: "overflow",
  limit: 900,
  requested: 950
}
const hidden = { id: "b", status: 400, body: "no", expected: "overflow", limit: null, requested: null }
const limited = { id: "c", status: 429, body: "slow down", expected: "rate-limit", limit: null, requested: null }
const misnamed = { id: "d", status: 429, body: "slow down", expected: "quota" }

beforeAll(async () => {
  bin = await bundle()
}, 60_000)
afterAll(() => bin.remove())

const classify = (text: string, ...args: ReadonlyArray<string>) => bin.run(["classify", ...args], { stdin: text })

describe("effect-compaction classify", () => {
  it("gives one verdict a line, for errors in any form", async () => {
    const { code, stderr, stdout } = await classify(
      lines(
        { provider: "p", api: "chat", delivery: "http", status: 400, body: { error: { message: tooLong } } },
        { status: null, delivery: "finish-reason", body: { stop_reason: "model_context_window_exceeded" } },
        { provider: "p", status: 429, body: tooLong },
        { error: { message: tooLong } },
        "",
        tooLong,
        '{"error": {"message": "prompt is too long: 950 tok',
        { body: tooLong, status: "failed" },
        null
      ),
      "-",
      "--json"
    )
    assert.strictEqual(code, 0, stderr)
    const verdicts = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    for (const verdict of verdicts) assert.hasAllKeys(verdict, ["tag", "limit", "requested", "row", "why"])
    const full = { tag: "ContextWindowExceeded", limit: 900, requested: 950, row: "anthropic-prompt-too-long" }
    const none = { limit: null, requested: null }
    assert.deepStrictEqual(
      verdicts.map(({ why: _why, ...verdict }) => verdict),
      [
        full,
        { ...none, tag: "ContextWindowExceeded", row: "finish-context-window" },
        { ...none, tag: "RateLimited", row: null },
        full,
        full,
        { ...none, tag: "ContextWindowExceeded", row: "general-too-long" },
        // a field body beside fields of another meaning: an error as it is, whose text may be anybody's
        { ...none, tag: "ProviderError", row: null },
        { ...none, tag: "ProviderError", row: null }
      ]
    )
    assert.strictEqual(verdicts[2].why, "the status 429")
    assert.include(verdicts[0].why, tooLong.slice(0, 30))
  })

  it("says it in words without --json, from a file or from stdin", async () => {
    writeFileSync(join(bin.folder, "errors.jsonl"), lines(overflow, "odd"))
    const said =
      `a: ContextWindowExceeded, limit 900, requested 950: the words "prompt is too long: 950 tokens > 900" (anthropic-prompt-too-long)\n` +
      "line 2: ProviderError: nothing in it is known\n"
    const [file, stdin] = [await bin.run(["classify", "errors.jsonl"]), await classify(lines(overflow, "odd"))]
    assert.deepStrictEqual([file.stdout, file.code], [said, 0])
    assert.deepStrictEqual([stdin.stdout, stdin.code], [said, 0])
  })

  it("keeps stdout for the verdicts where both are asked for", async () => {
    const { stderr, stdout } = await classify(lines(overflow, limited), "--expect", "--json")
    assert.lengthOf(stdout.trimEnd().split("\n"), 2)
    assert.include(stderr, "expected \\ found")
  })

  it("compares, names each difference, and fails by them", async () => {
    const given = lines(overflow, hidden, misnamed, { ...overflow, id: "e", limit: 1 }, "no expectation")
    const { code, stderr, stdout } = await classify(given, "--expect", "--allow", "0")
    assert.strictEqual(code, 1)
    for (const part of [
      "expected \\ found",
      "missed: b: expected overflow, found InvalidRequest by no row: the status 400\n",
      "differs: d: expected quota, found RateLimited by no row: the status 429\n",
      "wrong figures: e: limit 900, and it is 1 (ContextWindowExceeded by anthropic",
      "4 errors compared, 1 without an expected field",
      "overflows: 1 of 3 missed (and 0 of the hard ones), 0 false, 1 with wrong figures\n",
      "others: 1 of 1 in another class than expected (0 allowed)\n"
    ]) {
      assert.include(stdout, part)
    }
    assert.strictEqual(
      stderr,
      "effect-compaction: 1 overflow is missed; the figures of 1 error are wrong; 1 other differs, and 0 may\n"
    )
  })

  it.each<readonly [string, string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["a missing file", "", ["nope.jsonl"], ["nope.jsonl", "no such file"]],
    ["a number that is none", lines(limited), ["--expect", "--allow", "few"], ["--allow", '"few"']],
    ["--allow on its own", lines(limited), ["--allow", "2"], ["--allow needs --expect"]],
    ["nothing to compare with", lines("x"), ["--expect"], ["stdin", "expected"]],
    ["an unknown kind", lines(limited, { ...limited, expected: "huge" }), ["--expect"], ["line 2", '"huge"', "quota"]],
    ["an unknown option", "", ["x", "--bogus"], ["--bogus", "classify --help"]]
  ])("bad input: %s", async (_, text, args, parts) => {
    const { code, stderr, stdout } = await classify(text, ...args)
    assert.strictEqual(code, 2, stdout + stderr)
    assert.match(stderr, /^effect-compaction: [ -~]+\n$/u)
    for (const part of parts) assert.include(stderr, part)
  })

  it("explains itself", async () => {
    const { code, stdout } = await bin.run(["classify", "--help"])
    assert.strictEqual(code, 0)
    for (const part of ["$ effect-compaction classify", "--expect", "--allow N", "finish-reason", "EXIT CODES"]) {
      assert.include(stdout, part)
    }
  })

  it("the shared corpus: no overflow missed, none false, no figure wrong, nothing else in another class [P1]", async (context) => {
    if (overflowCorpus === undefined) return context.skip(missingCorpus)
    const { code, stdout } = await bin.run(["classify", fileURLToPath(overflowCorpus), "--expect"])
    assert.strictEqual(code, 0, stdout)
    assert.include(stdout, "(and 0 of the hard ones)")
  })
})

describe("what counts as a fault", () => {
  const faultsOf = (given: ReadonlyArray<object>, allow: number) =>
    faults(
      given.map((value, index) => {
        const line = read(JSON.stringify(value), index + 1)
        return compare(line, kindOf(line.expected) ?? "?", judge(line.evidence))
      }),
      allow
    )

  it.each<readonly [string, ReadonlyArray<object>, number, string | undefined]>([
    ["a missed overflow", [overflow, hidden], 9, "1 overflow is missed"],
    ["a missed overflow that is hard", [overflow, { ...hidden, id: "hard-b" }], 0, undefined],
    ["a false overflow", [{ ...overflow, expected: "invalid-request" }], 9, "1 overflow is false"],
    ["a hard one that is no overflow", [{ ...overflow, id: "hard-x", expected: "server" }], 9, "1 overflow is false"],
    ["a wrong limit", [{ ...overflow, limit: 901 }], 9, "the figures of 1 error are wrong"],
    ["a wrong count", [{ ...overflow, requested: 5 }], 9, "the figures of 1 error are wrong"],
    ["a figure that is not there", [{ ...overflow, limit: null }], 9, "the figures of 1 error are wrong"],
    ["a figure that nobody speaks of", [{ ...overflow, limit: undefined }], 0, undefined],
    ["a limit of a rate that was not read", [{ ...limited, limit: 5 }], 9, "the figures of 1 error are wrong"],
    ["another class", [misnamed, limited], 0, "1 other differs, and 0 may"],
    ["as many as are allowed", [misnamed, limited], 1, undefined],
    ["more than are allowed", [misnamed, misnamed, limited], 1, "2 others differ, and 1 may"],
    ["our own names", [{ ...overflow, expected: "ContextWindowExceeded" }], 0, undefined]
  ])("%s", (_, given, allow, fault) => {
    assert.deepStrictEqual(faultsOf(given, allow), fault === undefined ? [] : [fault])
  })
})
