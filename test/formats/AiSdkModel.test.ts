import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats } from "../../src/formats/index.ts"
import { decoded, talk } from "./decoded.ts"

const result = (toolCallId: string, output: unknown) => ({ type: "tool-result", toolCallId, toolName: "read", output })
const call = (toolCallId: string) => ({ type: "tool-call", toolCallId, toolName: "read", input: { path: toolCallId } })

const messages = [
  { role: "system", content: "Be terse." },
  {
    role: "user",
    content: [
      { type: "text", text: "Look." },
      { type: "image", image: "QUJD", mediaType: "image/png" }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "seal" } } },
      { type: "text", text: "I look." },
      call("c1"),
      call("c2"),
      call("c3"),
      call("c4")
    ]
  },
  {
    role: "tool",
    content: [
      result("c1", { type: "text", value: "aaa" }),
      result("c2", { type: "json", value: { n: 1 } }),
      result("c3", { type: "error-text", value: "no" }),
      result("c4", {
        type: "content",
        value: [
          { type: "text", text: "x" },
          { type: "media", data: "QUJD", mediaType: "image/png" }
        ]
      })
    ]
  },
  { role: "system", content: "It is late." },
  { role: "user", content: [{ type: "file", data: "https://example.test/a.pdf", mediaType: "application/pdf" }] }
]

describe("AiSdkModel", () => {
  it("reads every kind of part", () => {
    const [session] = decoded("ai-sdk-model", JSON.stringify(messages)).sessions
    assert.strictEqual(session.system, "Be terse.")
    assert.deepStrictEqual(talk(session.messages), [
      "user: Look. <image>",
      "assistant: (Hm.) I look. read#c1 read#c2 read#c3 read#c4",
      "tool: #c1=aaa",
      'tool: #c2={"n":1}',
      "tool: #c3=no",
      "tool: #c4=x+<image>",
      "user: It is late.",
      "user: <file>"
    ])
    assert.deepStrictEqual(session.messages[1]?.content[0], { type: "reasoning", text: "Hm.", signature: "seal" })
    assert.deepInclude(session.messages[4]?.content[0], { isError: true })
    assert.deepStrictEqual(session.notes, [
      "message 5: a system message in the middle was read as context in the user's role"
    ])
  })

  it("writes what it read", () => {
    const { notes, text } = Either.getOrThrow(Formats.encode(decoded("ai-sdk-model", JSON.stringify(messages))))
    assert.deepStrictEqual(notes, [])
    const written = JSON.parse(text) as typeof messages
    assert.deepStrictEqual(written.slice(0, 3), messages.slice(0, 3))
    assert.deepStrictEqual(written.slice(4), messages.slice(4))
    assert.deepStrictEqual(
      written[3]?.content.at(3) as unknown,
      result("c4", {
        type: "content",
        value: [
          { type: "text", text: "x" },
          { type: "image-data", data: "QUJD", mediaType: "image/png" }
        ]
      })
    )
  })
})
