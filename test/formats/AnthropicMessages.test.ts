import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats } from "../../src/formats/index.ts"
import { decoded, talk } from "./decoded.ts"

const request = {
  model: "m",
  max_tokens: 100,
  system: [
    { type: "text", text: "Be terse." },
    { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }
  ],
  tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }, { type: "x" }],
  messages: [
    { role: "user", content: "What is in a and b?" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Two files.", signature: "seal" },
        { type: "redacted_thinking", data: "secret" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "c2", name: "read", input: { path: "b" } }
      ]
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c2", content: "bbb", is_error: true },
        { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "aaa" }] },
        { type: "text", text: "Well?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
        { type: "document", source: { type: "file", file_id: "file-1" }, title: "a.pdf" },
        { type: "search_result", title: "odd" }
      ]
    }
  ]
}

describe("AnthropicMessages", () => {
  it("reads a request", () => {
    const [session] = decoded("anthropic-messages", JSON.stringify(request)).sessions
    assert.strictEqual(session.system, "Be terse.\n\nBe kind.")
    assert.deepStrictEqual(session.tools, [{ name: "read", description: "Reads.", parameters: { type: "object" } }])
    assert.deepStrictEqual(talk(session.messages), [
      "user: What is in a and b?",
      "assistant: (Two files.) () I look. read#c1 read#c2",
      "tool: #c1=aaa",
      "tool: #c2=bbb",
      "user: Well? <image> <file> <unknown>"
    ])
    assert.deepStrictEqual(session.messages[1]?.content.slice(0, 2), [
      { type: "reasoning", text: "Two files.", signature: "seal" },
      { type: "reasoning", text: "", redacted: "secret" }
    ])
    assert.deepStrictEqual(session.notes, [
      "1 tools have no name and were left out",
      'message 3: the result of call "c1" came after that of a later call; it was put in call order'
    ])
  })

  it("leaves plain messages to the chat form, which is the same", () => {
    assert.strictEqual(Formats.detect('[{"role":"user","content":"hi"}]'), "openai-chat")
    assert.strictEqual(
      Formats.detect('{"system":"s","messages":[{"role":"user","content":"hi"}]}'),
      "anthropic-messages"
    )
  })

  it("writes all results of an answer in one message, right behind it", () => {
    const transcript = decoded("anthropic-messages", JSON.stringify(request))
    const { notes, text } = Either.getOrThrow(Formats.encode(transcript))
    assert.deepStrictEqual(notes, [])
    const body = JSON.parse(text) as typeof request
    assert.strictEqual(body.system as unknown, "Be terse.\n\nBe kind.")
    assert.deepStrictEqual(body.messages.slice(2) as unknown, [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "aaa" },
          { type: "tool_result", tool_use_id: "c2", content: "bbb", is_error: true }
        ]
      },
      { role: "user", content: request.messages[2]?.content.slice(2) }
    ])
  })

  it("says what is no message", () => {
    const list = [...request.messages, 7, { role: "critic", content: "bad" }]
    const [session] = Either.getOrThrow(Formats.decode(JSON.stringify(list), { format: "anthropic-messages" })).sessions
    assert.includeMembers(
      [...session.notes],
      [
        "message 4: it is no message and was left out",
        'message 5: the role "critic" is unknown; it was read as the user\'s'
      ]
    )
    const empty = Formats.decode('{"messages":[]}', { format: "anthropic-messages" })
    assert.isTrue(Either.isLeft(empty) && empty.left.reason === "no-messages")
    const odd = Formats.decode('{"a":1}', { format: "anthropic-messages" })
    assert.isTrue(Either.isLeft(odd) && odd.left.reason === "unknown-shape")
  })
})
