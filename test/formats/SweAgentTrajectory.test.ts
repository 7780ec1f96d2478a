import { assert, describe, it } from "@effect/vitest"
import { decoded, talk } from "./decoded.ts"

describe("SweAgentTrajectory", () => {
  it("reads the history, results by their list of ids, and a worked example as context", () => {
    const [session] = decoded(
      "swe-agent-traj",
      JSON.stringify({
        environment: "main",
        info: {},
        trajectory: [{ action: "ls", observation: "again" }],
        history: [
          { role: "system", content: "be short", agent: "main" },
          { role: "user", content: "an example", is_demo: true },
          { role: "user", content: "fix it" },
          {
            role: "assistant",
            content: "I look",
            thought: "I look",
            tool_calls: [{ id: "a", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }]
          },
          { role: "tool", content: "x\r\ny", tool_call_ids: ["a"] }
        ]
      })
    ).sessions
    assert.strictEqual(session.system, "be short")
    assert.deepStrictEqual(talk(session.messages), [
      "user: an example",
      "user: fix it",
      "assistant: I look bash#a",
      "tool: #a=x\r\ny"
    ])
    assert.deepStrictEqual(session.messages[0]?.metadata, { source: "context" })
    assert.deepStrictEqual(session.notes, [])
  })
})
