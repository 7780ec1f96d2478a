import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, talk } from "./decoded.ts"

const call = (id: string, status: string, response?: object) => ({
  id,
  name: "read",
  args: { path: "a" },
  status,
  ...(response === undefined ? {} : { result: [{ functionResponse: { id, name: "read", response } }] })
})
const tokens = (input: number) => ({ input, output: 5, cached: 2, thoughts: 3, tool: 0, total: input + 8 })

const chat = (...messages: ReadonlyArray<object>) =>
  JSON.stringify({ sessionId: "g", projectHash: "h", startTime: "t", messages })

describe("GeminiCliChat", () => {
  it("puts thoughts, words and calls into one answer, and each result behind it", () => {
    const [session] = decoded(
      "gemini-cli-chat",
      chat(
        { type: "user", content: "look" },
        {
          type: "gemini",
          content: "I look",
          model: "gemini-x",
          thoughts: [{ subject: "Plan", description: "read it" }],
          toolCalls: [call("a", "success", { output: "A" }), call("b", "error", { error: "no" })],
          tokens: tokens(40)
        },
        { type: "info", content: "an update is there" },
        { type: "gemini", content: "", toolCalls: [call("c", "cancelled")], tokens: tokens(0) },
        { type: "gemini", content: "done", tokens: tokens(60) },
        { type: "invented", content: "x" }
      )
    ).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: look",
      "assistant: (Plan\nread it) I look read#a read#b",
      "tool: #a=A",
      "tool: #b=no",
      "assistant: read#c",
      "tool: #c=no result was recorded",
      "assistant: done"
    ])
    assert.deepStrictEqual(asked(session), [
      ["message 1", 40, "user: look"],
      ["message 4", 60, "tool: #c=no result was recorded"]
    ])
    assert.deepStrictEqual(session.requests[0]?.usage, {
      inputTokens: 40,
      outputTokens: 8,
      cachedTokens: 2,
      reasoningTokens: 3
    })
    assert.deepStrictEqual(session.messages[3]?.content[0], {
      type: "tool-result",
      id: "b",
      name: "read",
      content: [{ type: "text", text: "no" }],
      isError: true
    })
    assert.deepStrictEqual(session.notes, [
      '1 messages of the unknown type "invented" were left out',
      'message 3: call "c" of "read" has no result; an error result was put in'
    ])
  })
})
