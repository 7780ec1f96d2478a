import { assert, describe, it } from "@effect/vitest"
import * as Answer from "../../src/compaction/answer.ts"

const made = (parts: ReadonlyArray<Answer.Part>) => {
  const answer = Answer.make()
  for (const part of parts) answer.add(part)
  return answer
}

const value = { type: "server_tool_use", id: "s" }

describe("an answer put together", () => {
  it("keeps what its provider sealed in its place, with the provider's name", () => {
    const { message } = made([
      { type: "reasoning-delta", delta: "h" },
      { type: "reasoning-delta", delta: "m" },
      { type: "reasoning-end", signature: "s1", provider: "a" },
      // its text is not shown
      { type: "reasoning-end", signature: "s2", provider: "a" },
      { type: "reasoning-end", redacted: "AAAA", provider: "a" },
      { type: "tool-call", id: "c", name: "f", arguments: {} },
      { type: "unknown", value, provider: "a" },
      { type: "reasoning-delta", delta: "open" },
      { type: "reasoning-end" },
      { type: "reasoning-end" },
      { type: "text-delta", delta: "so" },
      { type: "finish", reason: "tool-calls" }
    ]).answer()
    assert.deepStrictEqual(message.content, [
      { type: "reasoning", text: "hm", signature: "s1", provider: "a" },
      { type: "reasoning", text: "", signature: "s2", provider: "a" },
      { type: "reasoning", text: "", redacted: "AAAA", provider: "a" },
      { type: "tool-call", id: "c", name: "f", arguments: {} },
      { type: "unknown", value, provider: "a" },
      { type: "reasoning", text: "open" },
      { type: "text", text: "so" }
    ])
  })

  it("that will not end keeps its text", () => {
    const cut = made([
      { type: "text-delta", delta: "a" },
      { type: "unknown", value, provider: "a" },
      { type: "tool-call", id: "c", name: "f", arguments: {} },
      { type: "reasoning-delta", delta: "hm" }
    ])
    assert.deepStrictEqual(cut.partial().content, [{ type: "text", text: "a" }])
  })
})
