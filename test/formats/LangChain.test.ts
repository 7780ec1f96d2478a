import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, talk } from "./decoded.ts"

const constructor = (name: string, kwargs: object) => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", name],
  kwargs
})
const call = (id: string) => ({ type: "tool_call", id, name: "run", args: { command: "ls" } })
const counted = (input_tokens: number) => ({
  input_tokens,
  output_tokens: 4,
  total_tokens: input_tokens + 4,
  input_token_details: { cache_read: 2 },
  output_token_details: { reasoning: 1 }
})

describe("LangChain", () => {
  it("reads constructors, with what was counted", () => {
    const [session] = decoded(
      "langchain",
      JSON.stringify([
        constructor("SystemMessage", { content: "be short" }),
        constructor("HumanMessage", { content: [{ type: "text", text: "go" }] }),
        constructor("AIMessage", {
          content: [
            { type: "text", text: "I look" },
            { type: "tool_use", id: "a", name: "run", input: {} }
          ],
          tool_calls: [call("a")],
          additional_kwargs: { reasoning_content: "hm" },
          response_metadata: { model_name: "m", model_provider: "deepseek" },
          usage_metadata: counted(30)
        }),
        constructor("ToolMessage", { content: "A", tool_call_id: "a", name: "run", status: "error" }),
        constructor("AIMessage", { content: "done", usage_metadata: counted(40) })
      ])
    ).sessions
    assert.strictEqual(session.system, "be short")
    assert.deepStrictEqual(talk(session.messages), [
      "user: go",
      "assistant: (hm) I look run#a",
      "tool: #a=A",
      "assistant: done"
    ])
    assert.deepStrictEqual(asked(session), [
      ["message 2", 30, "user: go"],
      ["message 4", 40, "tool: #a=A"]
    ])
    assert.deepInclude(session.requests[0], { provider: "deepseek", model: "m" })
    assert.deepStrictEqual(session.notes, [])
  })

  it("reads stored threads, each as a session", () => {
    const stored = (type: string, data: object) => ({ type, data: { content: "", ...data } })
    const { sessions } = decoded(
      "langchain",
      JSON.stringify([
        { thread_id: "one", messages: [stored("human", { content: "go" }), stored("ai", { tool_calls: [call("a")] })] },
        {
          thread_id: "two",
          messages: [
            stored("human", { content: "hi" }),
            stored("system", { content: "note" }),
            stored("chat", { content: "who" })
          ]
        }
      ])
    )
    assert.deepStrictEqual(
      sessions.map(({ id, messages }) => [id, talk(messages)]),
      [
        ["one", ["user: go", "assistant: run#a", "tool: #a=no result was recorded"]],
        ["two", ["user: hi", "user: note", "user: who"]]
      ]
    )
    assert.deepStrictEqual(sessions[1]?.notes, [
      "message 1: a system message in the middle was read as context in the user's role",
      'message 2: the kind "chat" is unknown; it was read as the user\'s'
    ])
  })
})

describe("LangGraphStream", () => {
  const human = constructor("HumanMessage", { content: "go", id: "h" })
  const answer = (more: object) =>
    constructor("AIMessageChunk", { content: "", id: "r", tool_calls: [call("a")], ...more })

  it("reads the newest state, and finds the count of an answer in its last piece", () => {
    const [session] = decoded(
      "langgraph-stream",
      JSON.stringify([
        ["values", { messages: [human] }],
        ["messages", [constructor("AIMessageChunk", { content: "pie", id: "r" }), {}]],
        ["messages", [constructor("AIMessageChunk", { content: "ce", id: "r", usage_metadata: counted(30) }), {}]],
        [
          "values",
          {
            messages: [
              human,
              answer({
                usage_metadata: counted(30),
                response_metadata: { tools: [{ name: "run", parameters: { type: "object" } }] }
              })
            ]
          }
        ],
        ["values", { __interrupt__: [] }],
        ["invented", {}]
      ])
    ).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: run#a", "tool: #a=no result was recorded"])
    assert.deepStrictEqual(asked(session), [["event 2", 30, "user: go"]])
    assert.deepStrictEqual(session.tools, [{ name: "run", parameters: { type: "object" } }])
    assert.deepStrictEqual(session.notes, [
      '1 events of the unknown mode "invented" were left out',
      "the graph waits for a person, so that its last calls have no results yet",
      'message 1: call "a" of "run" has no result; an error result was put in'
    ])
  })
})
