import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, talk } from "./decoded.ts"

describe("ClineSession", () => {
  it("reads what was sent last, with attached files, answers of a tool, and counts", () => {
    const metrics = { inputTokens: 40, outputTokens: 3, cacheReadTokens: 30, cacheWriteTokens: 5 }
    const [session] = decoded(
      "cline-sdk",
      JSON.stringify({
        version: 1,
        sessionId: "c",
        agent: "main",
        system_prompt: "be short",
        messages: [
          {
            role: "user",
            content: [{ type: "text", text: "Context summary: S" }],
            metadata: { kind: "compaction_summary", summary: "S" }
          },
          { role: "user", content: [{ type: "file", path: "a.ts", content: "x" }] },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "a", name: "search", input: {} }],
            modelInfo: { id: "m", provider: "p" },
            metrics
          },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "a",
                content: [
                  { query: "one", result: "A", success: true },
                  { query: "two", result: { b: 1 }, success: true }
                ]
              }
            ]
          }
        ]
      })
    ).sessions
    assert.strictEqual(session.system, "be short")
    assert.deepStrictEqual(talk(session.messages), [
      "user: Context summary: S",
      'user: <file path="a.ts">\nx\n</file>',
      "assistant: search#a",
      'tool: #a=A+{"b":1}'
    ])
    assert.deepStrictEqual(asked(session), [["message 2", 40, 'user: <file path="a.ts">\nx\n</file>']])
    assert.deepInclude(session.requests[0], { provider: "p", model: "m" })
    assert.deepStrictEqual(session.notes, ["message 0: the tool compacted; what was before the summary is not there"])
  })
})
