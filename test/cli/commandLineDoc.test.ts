import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/cli/chat/commands.ts"
import { variables } from "../../src/cli/chat/settings.ts"
import { commandNames, optionsOf } from "../../src/cli/command.ts"
import { Config } from "../../src/cli/config.ts"
import { examples } from "../../src/cli/examples.ts"
import { meanings } from "../../src/cli/exitCode.ts"
import { root } from "./bin.ts"

const page = readFileSync(join(root, "docs/command-line.md"), "utf8")
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))

describe("docs/command-line.md", () => {
  it("has every command, and each command has examples of options that it has", () => {
    const named = rows.map((row) => row[1])
    for (const name of commandNames) {
      assert.include(named, name)
      const known = optionsOf(name).map((option) => option.name)
      const used = (examples[name] ?? []).flatMap(([, ...lines]) =>
        lines
          .filter((line) => line.includes(`effect-compaction ${name}`))
          .flatMap((line) => line.match(/ --[\w-]+/gu) ?? [])
          .map((option) => option.trim())
      )
      assert.includeMembers(known, used)
      assert.isAbove(examples[name]?.length ?? 0, 0, name)
    }
  })

  it("has the exit codes, the chat's commands and its settings as they are", () => {
    for (const [code, meaning] of meanings) assert.deepInclude(rows, ["", String(code), meaning, ""])
    for (const [command, what] of commands) assert.deepInclude(rows, ["", command, what, ""])
    const options = optionsOf("chat").map((option) => option.name)
    for (const [field, [variable, option]] of Object.entries(variables)) {
      assert.isTrue(
        rows.some((row) => row[1] === option && row[2] === variable && row[3] === field),
        field
      )
      assert.include(options, option)
    }
    assert.sameMembers(Object.keys(Config.fields), Object.keys(variables))
  })
})
