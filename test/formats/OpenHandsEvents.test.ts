import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, talk } from "./decoded.ts"

let count = 0
const event = (kind: string, fields: object) => {
  const number = String(count++).padStart(5, "0")
  return {
    name: `events/event-${number}-x.json`,
    text: JSON.stringify({ kind, source: "agent", timestamp: "t", ...fields })
  }
}
const words = (text: string) => [{ type: "text", text }]
const action = (id: string, response: string, thought = "") =>
  event("ActionEvent", {
    thought: words(thought),
    reasoning_content: thought === "" ? null : "hm",
    tool_name: "run",
    tool_call_id: id,
    tool_call: { id, name: "run", arguments: '{"command":"ls"}' },
    llm_response_id: response
  })
const observation = (id: string, text: string, is_error = false) =>
  event("ObservationEvent", { tool_name: "run", tool_call_id: id, observation: { content: words(text), is_error } })

const state = {
  name: "base_state.json",
  text: JSON.stringify({
    id: "c1",
    agent: {},
    stats: {
      usage_to_metrics: {
        main: {
          token_usages: [
            { response_id: "r1", model: "m", prompt_tokens: 20, completion_tokens: 3, cache_read_tokens: 4 }
          ]
        }
      }
    }
  })
}

describe("OpenHandsEvents", () => {
  it("joins parallel calls of one answer, and finds its count in the state", () => {
    const { sessions } = decoded("openhands-events", [
      state,
      event("SystemPromptEvent", {
        system_prompt: { text: "be short" },
        tools: [{ type: "function", function: { name: "run", parameters: { type: "object" } } }]
      }),
      event("MessageEvent", { llm_message: { role: "user", content: words("go") } }),
      action("a", "r1", "I look"),
      action("b", "r1"),
      observation("a", "A"),
      observation("b", "B", true),
      event("AgentErrorEvent", { tool_name: "run", tool_call_id: "zz", error: "lost" }),
      event("ConversationStateUpdateEvent", {}),
      event("InventedEvent", {}),
      event("MessageEvent", { llm_message: { role: "assistant", content: words("done") } })
    ])
    const [session] = sessions
    assert.strictEqual(session.id, "c1")
    assert.strictEqual(session.system, "be short")
    assert.lengthOf(session.tools ?? [], 1)
    assert.deepStrictEqual(talk(session.messages), [
      "user: go",
      "assistant: (hm) I look run#a run#b",
      "tool: #a=A",
      "tool: #b=B",
      "user: [result of a tool call that is not in this transcript: run, zz]\n lost",
      "assistant: done"
    ])
    assert.deepStrictEqual(
      asked(session).map(([, tokens, last]) => [tokens, last]),
      [[20, "user: go"]]
    )
    assert.include(session.notes, '1 events of the unknown kind "InventedEvent" were left out')
    assert.lengthOf(session.notes, 2)
  })
})
