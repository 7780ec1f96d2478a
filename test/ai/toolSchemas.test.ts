import * as AnthropicTool from "@effect/ai-anthropic/AnthropicTool"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { toolSchemas } from "../../src/ai/toolSchemas.ts"

const toolkit = Toolkit.make(
  Tool.make("search", {
    description: "Searches the notes",
    parameters: {
      query: Schema.String.annotations({ description: "what to look for" }),
      limit: Schema.optional(Schema.Int)
    },
    success: Schema.Array(Schema.String)
  }),
  Tool.make("now"),
  AnthropicTool.WebSearch_20250305({ max_uses: 2 })
)

describe("toolSchemas", () => {
  it("tells a tool as the provider packages do", () => {
    const [search, now, web] = toolSchemas(toolkit.tools)
    assert.deepStrictEqual(search, {
      name: "search",
      description: "Searches the notes",
      parameters: Tool.getJsonSchema(toolkit.tools.search)
    })
    assert.deepStrictEqual(now, { name: "now", parameters: Tool.getJsonSchema(toolkit.tools.now) })
    assert.deepStrictEqual(web, {
      name: "AnthropicWebSearch",
      parameters: { id: "anthropic.web_search_20250305", args: { max_uses: 2 } }
    })
  })

  it("makes each schema once", () => {
    const [first] = toolSchemas(toolkit.tools)
    assert.strictEqual(toolSchemas({ ...toolkit.tools })[0], first)
  })
})
