import { assert, describe, it } from "@effect/vitest"
import { decoded, talk } from "./decoded.ts"

const contents = [
  { role: "user", parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: "AA" } }] },
  {
    role: "model",
    parts: [
      { text: "hm", thought: true },
      { functionCall: { name: "read", args: { path: "a" } } },
      { functionCall: { id: "2", name: "list", args: {} } }
    ]
  },
  {
    role: "user",
    parts: [
      { functionResponse: { name: "read", response: { output: "A" } } },
      { functionResponse: { id: "2", name: "list", response: { files: 3, more: true } } }
    ]
  },
  { role: "model", parts: [{ text: "done" }] },
  { role: "user", parts: [{ functionResponse: { id: "gone", name: "read", response: { error: "no" } } }] }
]

describe("GeminiContents", () => {
  it("reads a list, pairs by id or by place, and keeps an orphan as text", () => {
    const [session] = decoded("gemini-contents", JSON.stringify(contents)).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: look <image>",
      "assistant: (hm) read#call_2 list#2",
      "tool: #call_2=A",
      'tool: #2={"files":3,"more":true}',
      "assistant: done",
      "user: [result of a tool call that is not in this transcript: read, gone]\n no"
    ])
    assert.lengthOf(session.notes, 3)
  })

  it("reads a request with its system prompt and its tools", () => {
    const request = {
      systemInstruction: { parts: [{ text: "be short" }] },
      tools: [{ functionDeclarations: [{ name: "read", description: "reads", parameters: { type: "object" } }] }],
      contents: contents.slice(0, 1)
    }
    const [session] = decoded("gemini-contents", JSON.stringify(request)).sessions
    assert.strictEqual(session.system, "be short")
    assert.deepStrictEqual(session.tools, [{ name: "read", description: "reads", parameters: { type: "object" } }])
  })
})
