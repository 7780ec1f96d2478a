import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, talk } from "./decoded.ts"

const usage = (prompt_tokens: number) => ({
  prompt_tokens,
  completion_tokens: 9,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 4 }
})
const call = (id: string) => ({ id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } })

describe("MiniSweAgent", () => {
  it("reads messages, and the usage of the provider's own responses", () => {
    const [session] = decoded(
      "mini-swe-agent",
      JSON.stringify({
        trajectory_format: "mini-swe-agent-1.1",
        instance_id: "i1",
        info: { config: { model: { model_name: "deepseek/deepseek-reasoner" } } },
        messages: [
          { role: "system", content: "Be good." },
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: "",
            reasoning_content: "hm",
            tool_calls: [call("a")],
            extra: { response: { model: "deepseek-reasoner", usage: usage(50), choices: ["not this"] } }
          },
          { role: "tool", tool_call_id: "a", content: "A", extra: { raw_output: "not this" } },
          { role: "assistant", content: "ok", extra: { response: { model: "deepseek-reasoner", usage: usage(80) } } },
          { role: "exit", content: "bye" }
        ]
      })
    ).sessions
    assert.strictEqual(session.id, "i1")
    assert.strictEqual(session.system, "Be good.")
    assert.deepStrictEqual(talk(session.messages), [
      "user: go",
      "assistant: (hm) bash#a",
      "tool: #a=A",
      "assistant: ok"
    ])
    assert.deepStrictEqual(asked(session), [
      ["message 2", 50, "user: go"],
      ["message 4", 80, "tool: #a=A"]
    ])
    assert.deepInclude(session.requests[0], { provider: "deepseek", model: "deepseek-reasoner" })
    assert.deepStrictEqual(session.requests[0]?.usage, {
      inputTokens: 50,
      outputTokens: 9,
      cachedTokens: 2,
      reasoningTokens: 4
    })
    assert.strictEqual(session.visible, "no-tool-schemas")
    assert.deepStrictEqual(session.notes, [])
  })
})
