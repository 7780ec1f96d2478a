import { assert, describe, it } from "@effect/vitest"
import { History } from "../../src/formats/index.ts"
import { asked, decoded, jsonLines, lastSeen, talk } from "./decoded.ts"

const header = { type: "session", version: 1, id: "d1", createdAt: 1, cwd: "/work" }
const text = (value: string) => [{ type: "text", text: value }]
const user = (value: string, surfaceOp: unknown = "append") => ({
  type: "user/message",
  data: { content: text(value), source: { kind: "user" } },
  surfaceOp
})
const usage = (inputTokens: number, cacheReadTokens = 0) => ({
  inputTokens,
  cacheReadTokens,
  outputTokens: 9,
  reasoningTokens: 4
})
const request = (system: string, tools: unknown) => ({
  type: "request/header",
  data: { header: { config: { provider: "deepseek", model: "v9" }, system, tools } }
})

describe("DshSession", () => {
  it("reads both layouts of messages, and the envelope of each request", () => {
    const [session] = decoded(
      "dsh-session",
      jsonLines(
        header,
        request("one\ntwo\nthree", [{ name: "bash", description: "runs", parameters: { type: "object" } }]),
        user("go"),
        { type: "assistant/chunk", data: { text: "ha" } },
        {
          type: "assistant/message",
          data: {
            content: [
              { type: "reasoning", text: "hm" },
              { type: "tool-call", id: "a", name: "bash", arguments: '{"command":"ls"}' }
            ],
            usage: usage(10, 90)
          },
          surfaceOp: "append"
        },
        { type: "tool/call", data: { callId: "a", name: "bash", arguments: "{}" } },
        { type: "tool/result", data: { callId: "a", content: text("A"), isError: true }, surfaceOp: "append" },
        { type: "request/header-delta", data: { system: { keepStart: 1, keepEnd: 1, insert: ["2"] } } },
        {
          type: "context/message",
          data: { content: text("changed"), source: { kind: "plugin" } },
          surfaceOp: "append"
        },
        {
          type: "assistant/message",
          data: {
            message: { role: "assistant", content: [{ type: "tool-call", id: "b", name: "bash", arguments: "{}" }] },
            usage: usage(120)
          },
          surfaceOp: "append"
        },
        {
          type: "tool/result",
          data: { message: { role: "user", content: [{ type: "tool-result", toolCallId: "b", content: text("B") }] } },
          surfaceOp: "append"
        }
      )
    ).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: go",
      "assistant: (hm) bash#a",
      "tool: #a=A",
      "user: changed",
      "assistant: bash#b",
      "tool: #b=B"
    ])
    assert.deepStrictEqual(asked(session), [
      ["line 5", 100, "user: go"],
      ["line 10", 120, "user: changed"]
    ])
    assert.strictEqual(session.system, "one\n2\nthree")
    assert.strictEqual(session.requests[0]?.system, "one\ntwo\nthree")
    assert.isUndefined(session.requests[1]?.system)
    assert.deepStrictEqual(session.tools, [{ name: "bash", description: "runs", parameters: { type: "object" } }])
    assert.deepStrictEqual(session.requests[0]?.usage, {
      inputTokens: 100,
      outputTokens: 9,
      cachedTokens: 90,
      reasoningTokens: 4
    })
    assert.strictEqual(session.visible, "full")
    assert.deepStrictEqual(session.messages[3]?.metadata, { source: "context" })
  })

  it("knows that system prompt and tools were taken out", () => {
    const answer = { type: "assistant/message", data: { content: text("x"), usage: usage(5) }, surfaceOp: "append" }
    const [session] = decoded(
      "dsh-session",
      jsonLines(header, request("{{system}}", "{{tools}}"), user("go"), answer)
    ).sessions
    assert.strictEqual(session.visible, "messages")
    assert.isUndefined(session.system)
  })

  it("follows replacements by the numbers of events", () => {
    const answer = (value: string) => ({
      type: "assistant/message",
      data: { content: text(value) },
      surfaceOp: "append"
    })
    const source = jsonLines(
      header,
      user("one"), // 0
      answer("1"), // 1
      user("two"), // 2
      answer("2"), // 3
      { type: "compaction/start", data: {} }, // 4
      user("S", { op: "replace", start: 1, end: 2 }), // 5
      user("three"), // 6
      user("T", { op: "replace", start: 0, end: 5 }), // 7
      user("lost", { op: "replace", start: 99, end: 99 }) // 8
    )
    const [session] = decoded("dsh-session", source).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: one",
      "assistant: 1",
      "user: two",
      "assistant: 2",
      "user: three",
      "user: lost"
    ])
    assert.deepStrictEqual(talk(History.promptBefore(session, 4)), ["user: one", "user: S", "assistant: 2"])
    assert.deepStrictEqual(talk(lastSeen(source).messages), ["user: T", "assistant: 2", "user: three", "user: lost"])
    assert.deepStrictEqual(session.notes, ["line 10: it replaces messages that are not there, and was added instead"])
  })
})
