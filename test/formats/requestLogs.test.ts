import { assert, describe, it } from "@effect/vitest"
import { History } from "../../src/formats/index.ts"
import { asked, decoded, jsonLines, talk } from "./decoded.ts"

const system = { role: "system", content: "Be good." }
const user = (content: string) => ({ role: "user", content })
const call = { id: "a", type: "function", function: { name: "bash", arguments: "{}" } }
const calling = { role: "assistant", content: "", tool_calls: [call] }
const result = (content: string) => ({ role: "tool", tool_call_id: "a", content })
const tool = { type: "function", function: { name: "bash", parameters: { type: "object" } } }
const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 0 })

describe("SweAgentLlmLog", () => {
  const request = (...messages: ReadonlyArray<object>) => ({
    type: "request",
    request_params: { model: "asked", messages, tools: [tool] }
  })
  const response = (message: object, prompt_tokens: number) => ({
    type: "response",
    response: { model: "answered", choices: [{ message }], usage: usage(prompt_tokens) }
  })

  it("tells a conversation once, of which each request holds all so far", () => {
    const [session] = decoded(
      "swe-agent-llm-log",
      jsonLines(
        request(system, user("go")),
        response(calling, 10),
        request(system, user("go"), calling, result("A")),
        response({ role: "assistant", content: "done" }, 20)
      )
    ).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: bash#a", "tool: #a=A", "assistant: done"])
    assert.strictEqual(session.system, "Be good.")
    assert.deepStrictEqual(session.tools, [{ name: "bash", parameters: { type: "object" } }])
    assert.deepStrictEqual(asked(session), [
      ["request line 1, response line 2", 10, "user: go"],
      ["request line 3, response line 4", 20, "tool: #a=A"]
    ])
    assert.deepInclude(session.requests[0], { model: "answered", counted: "relay" })
  })

  it("takes what a later request leaves out or rewords for a compaction", () => {
    const [session] = decoded(
      "swe-agent-llm-log",
      jsonLines(
        request(system, user("go"), calling, result("long")),
        response({ role: "assistant", content: "1" }, 30),
        request(system, user("go"), calling, result("cut"), user("more")),
        request(system, user("go"), calling, result("cut"), user("more")),
        response({ role: "assistant", content: "2" }, 20)
      )
    ).sessions
    assert.lengthOf(session.compactions, 1)
    const last = session.requests.at(-1)!
    const seen = talk(History.promptBefore(session, last.at))
    assert.deepStrictEqual(seen.slice(0, 2), ["user: go", "assistant: bash#a"])
    assert.strictEqual(seen.at(-1), "user: more")
    assert.include(session.notes[0], "does not hold all that the one before it held")
  })
})

describe("OpenHandsLlmLog", () => {
  const file = (name: string, messages: ReadonlyArray<object>, more: object = {}) => ({
    name,
    text: JSON.stringify({
      messages,
      tools: [tool],
      latency_sec: 1,
      response: {
        model: "proxy/m",
        choices: [{ message: { role: "assistant", content: "done" } }],
        usage: usage(name === "2.json" ? 10 : 20)
      },
      ...more
    })
  })

  it("reads a folder in the order of its numbers", () => {
    const [session] = decoded("openhands-llm-log", [
      file("10.json", [system, user("go"), calling, result("A")]),
      file("2.json", [system, user("go")]),
      { name: "index.json", text: "{}" }
    ]).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: bash#a", "tool: #a=A", "assistant: done"])
    assert.deepStrictEqual(asked(session), [
      ["2.json", 10, "user: go"],
      ["10.json", 20, "tool: #a=A"]
    ])
    assert.deepStrictEqual(session.notes, ["index.json: it is no log of a completion and was left out"])
    assert.strictEqual(session.requests[0]?.counted, "provider")
    assert.lengthOf(session.tools ?? [], 1)
  })

  it("reads one file alone, and adds no tools that the system prompt tells of", () => {
    const [session] = decoded(
      "openhands-llm-log",
      file("1.json", [system, user("go")], { raw_messages: [system, user("go")] }).text
    ).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: done"])
    assert.isUndefined(session.tools)
  })
})
