import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { CompactionPolicy } from "effect-compaction"

const read = (path: string) => readFileSync(path, "utf8")
const readme = read("README.md")
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)

/** The lines of a text without their indentation, so that a part of a program may be shown on its own. */
const flat = (text: string) => `\n${text.replace(/^[ \t]+/gm, "").trim()}\n`

describe("README.md", () => {
  const programs = files("examples").map(read).map(flat)
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? "")

  it("shows code", () => assert.isAbove(blocks.length, 5))

  for (const block of blocks) {
    it(`shows what an example holds: ${flat(block).trim().split("\n")[0]}`, () => {
      assert.isTrue(
        programs.some((program) => program.includes(flat(block))),
        `no example holds these lines:\n${block}`
      )
    })
  }

  it("tells the newcomer two commands, and both are scripts", () => {
    const [commands = ""] = /(?<=^```sh\n)[\s\S]*?(?=^```$)/m.exec(readme) ?? []
    assert.deepStrictEqual(
      commands
        .trim()
        .split("\n")
        .map((line) => line.replace(/\s+#.*/, "")),
      ["npm ci && npm start", "npm ci && npm test"]
    )
    assert.containsAllKeys(JSON.parse(read("package.json")).scripts, ["start", "test"])
  })

  it("names every field of the policy, and the defaults that they have", () => {
    const { prune, runTimeLimit: _runTimeLimit, summary, ...defaults } = CompactionPolicy.defaults
    const rows = new Map(
      [...readme.matchAll(/^\| `([\w.]+)` +\| (.*?) +\|/gm)].map(([, field = "", value = ""]) => [field, value])
    )
    for (const [field, value] of [...Object.entries(defaults), ...Object.entries(summary)]) {
      const row = rows.get(field) ?? rows.get(`summary.${field}`)
      assert.isDefined(row, field)
      if (typeof value === "number") assert.strictEqual(row, String(value), field)
    }
    assert.strictEqual(
      rows.get("prune"),
      `\`${JSON.stringify(prune).replaceAll('"', "").replaceAll(":", ": ").replaceAll(",", ", ").replace("{", "{ ").replace("}", " }")}\``
    )
    for (const field of ["outputReserve", "runTimeLimit", "summary.route", "summary.maxTokens"]) {
      assert.isTrue(rows.has(field), field)
    }
  })

  it("names every entry point, and no other", () => {
    const { exports } = JSON.parse(read("package.json"))
    const named = [...readme.matchAll(/^\| `effect-compaction(\/?\w*)`/gm)].map((match) => `.${match[1]}`)
    assert.sameMembers(
      named,
      Object.keys(exports).filter((name) => name !== "./package.json")
    )
  })
})

describe("docs/classification.md", () => {
  it("shows what an example holds", () => {
    const block = /```ts\n([\s\S]*?)```/.exec(read("docs/classification.md"))?.[1] ?? ""
    assert.isNotEmpty(block)
    assert.include(flat(read("examples/gateway.ts")), flat(block))
  })
})

describe("docs/design.md", () => {
  it("shows in section 16 what is compiled and run", () => {
    const block = /## 16\.[\s\S]*?```ts\n([\s\S]*?)```/.exec(read("docs/design.md"))?.[1] ?? ""
    assert.include(flat(read("test/examples/design.test.ts")), flat(block))
  })
})

describe("references", () => {
  it("lead to files that are there", () => {
    for (const path of [
      "README.md",
      "docs/design.md",
      "docs/classification.md",
      ...files("src"),
      ...files("examples")
    ]) {
      const links = path.endsWith(".md") ? [...read(path).matchAll(/\]\((?!https:)([^)]+)\)/g)] : []
      const names = read(path).matchAll(/`((?:examples|docs|test)\/[\w./-]*)`/g)
      for (const [, target = ""] of [...links, ...names]) assert.isTrue(existsSync(target), `${path}: ${target}`)
    }
  })

  it("stand in place of examples in comments, which nothing would compile", () => {
    for (const path of files("src")) assert.notInclude(read(path), "@example", path)
  })
})
