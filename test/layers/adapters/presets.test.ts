import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { type Preset, presetOf, presets } from "../../../src/layers/adapters/openAiChatPresets.ts"
import { defaultQuirks, encodeBody } from "../../../src/layers/adapters/openAiChatRequest.ts"
import * as Message from "../../../src/session/Message.ts"

const page = readFileSync(new URL("../../../docs/providers.md", import.meta.url), "utf8")

/** The cells of each line of a table that begins with a provider's name. */
const lines = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
const all: ReadonlyArray<readonly [string, Preset]> = Object.entries(presets)
const number = (value: number) => value.toLocaleString("en-US")

describe("docs/providers.md", () => {
  it("has each preset's base URL and the places where it is asked", () => {
    assert.deepStrictEqual(
      lines.filter((cells) => cells.length === 4).map(([name, baseUrl, asked]) => [name, baseUrl, asked]),
      all.map(([name, { baseUrl, lookups = [] }]) => [
        `\`${name}\``,
        `\`${baseUrl}\``,
        lookups.map(({ path }) => `\`${path}\``).join(", then ")
      ])
    )
  })

  it("has each row's figures, date and source", () => {
    assert.deepStrictEqual(
      lines.filter((cells) => cells.length === 6),
      all.flatMap(([name, { windows }]) =>
        Object.entries(windows).map(([model, { date, outputLimit, source, window }]) => [
          `\`${name}\``,
          `\`${model}\``,
          number(window),
          number(outputLimit),
          date,
          source
        ])
      )
    )
  })

  it("has each preset's quirks", () => {
    assert.deepStrictEqual(
      lines.filter((cells) => cells.length === 2),
      all.map(([name, { quirks }]) => {
        const said = Object.entries(quirks).map(([quirk, value]) => `\`${quirk}: ${value}\``)
        return [`\`${name}\``, said.length === 0 ? "nothing" : said.join(", ")]
      })
    )
  })
})

describe("the presets", () => {
  it("have rows with a date, a source, and an output that fits the window", () => {
    for (const [name, { windows }] of all) {
      for (const [model, row] of Object.entries(windows)) {
        assert.match(row.date, /^20\d\d-\d\d-\d\d$/, `${name}/${model}`)
        assert.strictEqual(new URL(row.source).protocol, "https:")
        assert.isAtMost(row.outputLimit, row.window)
      }
    }
  })

  it("have windows of their own only where the server runs elsewhere", () => {
    for (const [name, { baseUrl, lookups, windows }] of all) {
      if (new URL(baseUrl).hostname !== "localhost") continue
      assert.deepStrictEqual(windows, {}, name)
      assert.isNotEmpty(lookups)
    }
  })

  it("make of a summary request in the middle of a turn what Mistral takes: an answer between results and the user", () => {
    const { messages } = encodeBody(
      {
        id: "s/1",
        generation: 0,
        envelope: { route: { provider: "mistral", model: "m" } },
        messages: [
          Message.user("Go"),
          Message.assistant([Message.toolCall("call_0123456789", "f", {})]),
          Message.toolResult({ id: "call_0123456789", name: "f", content: "x" }),
          Message.user("Summarise")
        ],
        toolUse: "none"
      },
      { ...defaultQuirks, ...presets.mistral.quirks }
    )
    assert.deepStrictEqual(
      (messages as ReadonlyArray<{ role: string }>).map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"]
    )
    assert.match(JSON.stringify(messages), /"tool_call_id":"[a-z0-9]{9}"/)
  })

  it("are found by their own names only", () => {
    assert.strictEqual(presetOf("llama.cpp"), presets["llama.cpp"])
    assert.isUndefined(presetOf("toString"))
  })
})
