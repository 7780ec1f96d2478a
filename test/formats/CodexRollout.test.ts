import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, jsonLines, lastSeen, talk } from "./decoded.ts"

const line = (type: string, payload: object) => ({ timestamp: "t", type, payload })
const item = (payload: object) => line("response_item", payload)
const words = (role: string, text: string) =>
  item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] })
const call = (call_id: string) => item({ type: "function_call", name: "shell", arguments: '{"a":1}', call_id })
const output = (call_id: string, text: string) => item({ type: "function_call_output", call_id, output: text })
const count = (input_tokens: number, total: number) =>
  line("event_msg", {
    type: "token_count",
    info: {
      last_token_usage: { input_tokens, cached_input_tokens: 1, output_tokens: 9, reasoning_output_tokens: 4 },
      total_token_usage: { total_tokens: total }
    }
  })

describe("CodexRollout", () => {
  it("takes a run of items for one answer, and a repeated count for none", () => {
    const [session] = decoded(
      "codex-rollout",
      jsonLines(
        line("session_meta", { id: "c1", base_instructions: { text: "Be good." } }),
        line("turn_context", { model: "gpt-x" }),
        words("developer", "rules"),
        words("user", "look"),
        line("event_msg", { type: "token_count", info: null }),
        item({
          type: "reasoning",
          summary: [{ type: "summary_text", text: "hm" }],
          content: null,
          encrypted_content: "zz"
        }),
        words("assistant", "I look"),
        call("a"),
        call("b"),
        output("a", "A"),
        count(50, 59),
        count(50, 59),
        output("b", "B"),
        item({ type: "custom_tool_call", name: "patch", input: "{}", call_id: "c" }),
        item({ type: "custom_tool_call_output", call_id: "c", output: '{"output":"ok"}' }),
        count(70, 138)
      )
    ).sessions
    assert.strictEqual(session.system, "Be good.")
    assert.deepStrictEqual(talk(session.messages), [
      "user: rules",
      "user: look",
      "assistant: (hm) I look shell#a shell#b",
      "tool: #a=A",
      "tool: #b=B",
      "assistant: patch#c",
      'tool: #c={"output":"ok"}'
    ])
    assert.deepStrictEqual(asked(session), [
      ["line 11", 50, "user: look"],
      ["line 16", 70, "tool: #b=B"]
    ])
    assert.deepStrictEqual(session.requests[0]?.usage, {
      inputTokens: 50,
      outputTokens: 9,
      cachedTokens: 1,
      reasoningTokens: 4
    })
    assert.strictEqual(session.requests[0]?.model, "gpt-x")
    // a custom tool's input is text, JSON or not
    assert.deepInclude(session.messages[5]?.content[0], { arguments: "{}" })
  })

  it("survives counts and outputs that were blacked out, and results that were dropped", () => {
    const redacted = { type: "token_count", info: { last_token_usage: "[REDACTED]", total_token_usage: "[REDACTED]" } }
    const [session] = decoded(
      "codex-rollout",
      jsonLines(words("user", "go"), call("a"), line("event_msg", redacted), count(30, 39), call("b"), count(40, 88))
    ).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: go",
      "assistant: shell#a",
      "tool: #a=no result was recorded",
      "assistant: shell#b",
      "tool: #b=no result was recorded"
    ])
    assert.include(session.notes, "1 token counts are not readable")
    assert.isUndefined(session.requests[0]?.model)
  })

  it("reads what the model saw after a compaction", () => {
    const replacement_history = [{ type: "message", role: "user", content: [{ type: "input_text", text: "S" }] }]
    const text = jsonLines(
      words("user", "one"),
      words("assistant", "1"),
      line("compacted", { message: "S", replacement_history }),
      words("user", "two")
    )
    const [session] = decoded("codex-rollout", text).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: one", "assistant: 1", "user: two"])
    assert.deepStrictEqual(talk(lastSeen(text).messages), ["user: S", "user: two"])
  })

  it("reads the layout of 2025", () => {
    const [session] = decoded(
      "codex-rollout",
      jsonLines(
        { id: "old", timestamp: "t", instructions: null, git: {} },
        { record_type: "state" },
        { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
        { type: "function_call", name: "shell", arguments: "{}", call_id: "a" },
        { type: "function_call_output", call_id: "a", output: '{"output":"A"}' }
      )
    ).sessions
    assert.strictEqual(session.id, "old")
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: shell#a", 'tool: #a={"output":"A"}'])
    assert.deepStrictEqual(session.notes, [])
  })
})
