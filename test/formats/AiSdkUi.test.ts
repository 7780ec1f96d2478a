import { assert, describe, it } from "@effect/vitest"
import { decoded, talk } from "./decoded.ts"

describe("AiSdkUi", () => {
  it("takes a message of many steps apart, and a call and its result", () => {
    const [session] = decoded(
      "ai-sdk-ui",
      JSON.stringify([
        { id: "0", role: "system", parts: [{ type: "text", text: "be short" }] },
        {
          id: "1",
          role: "user",
          parts: [
            { type: "text", text: "look" },
            { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA" },
            { type: "file", mediaType: "application/pdf", filename: "a.pdf", url: "data:application/pdf;base64,AA" }
          ]
        },
        {
          id: "2",
          role: "assistant",
          parts: [
            { type: "step-start" },
            { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "s" } } },
            { type: "text", text: "I look", state: "done" },
            {
              type: "tool-read",
              toolCallId: "a",
              state: "output-available",
              input: { path: "x" },
              output: { lines: 2 }
            },
            {
              type: "dynamic-tool",
              toolName: "list",
              toolCallId: "b",
              state: "output-error",
              input: {},
              errorText: "no"
            },
            { type: "step-start" },
            { type: "source-url", url: "https://example.test" },
            { type: "text", text: "done" },
            { type: "tool-ask", toolCallId: "c", state: "input-available", input: {} },
            { type: "invented" }
          ]
        }
      ])
    ).sessions
    assert.strictEqual(session.system, "be short")
    assert.deepStrictEqual(talk(session.messages), [
      "user: look <image> <file>",
      "assistant: (hm) I look read#a list#b",
      'tool: #a={"lines":2}',
      "tool: #b=no",
      "assistant: done ask#c",
      "tool: #c=no result was recorded"
    ])
    assert.deepStrictEqual(session.messages[1]?.content[0], { type: "reasoning", text: "hm", signature: "s" })
    assert.deepStrictEqual(session.notes, [
      '1 parts of the unknown type "invented" were left out',
      'message 3: call "c" of "ask" has no result; an error result was put in'
    ])
  })
})
