import { assert, describe, it } from "@effect/vitest"
import { History } from "../../src/formats/index.ts"
import { asked, decoded, jsonLines, lastSeen, talk } from "./decoded.ts"

const header = { type: "session", id: "pi-1", timestamp: "2026-01-01T00:00:00Z", cwd: "/work" }
const message = (fields: object) => ({ type: "message", message: fields })
const user = (text: string) => message({ role: "user", content: [{ type: "text", text }] })
const counted = (input: number, cacheRead = 0, cacheWrite = 0) => ({ input, output: 5, cacheRead, cacheWrite })
const assistant = (content: ReadonlyArray<object>, usage: object, stopReason = "stop") =>
  message({ role: "assistant", provider: "anthropic", model: "m1", content, usage, stopReason })
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { path: id } })
const result = (toolCallId: string, text: string) =>
  message({ role: "toolResult", toolCallId, toolName: "read", content: [{ type: "text", text }], isError: false })

describe("PiSession", () => {
  it("reads messages, pairs and usage", () => {
    const [session] = decoded(
      "pi-session",
      jsonLines(
        header,
        { type: "thinking_level_change", thinkingLevel: "high" },
        user("look"),
        assistant(
          [{ type: "thinking", thinking: "hm", thinkingSignature: "s" }, call("a"), call("b")],
          counted(3, 10, 7)
        ),
        result("b", "B"),
        result("a", "A"),
        message({ role: "bashExecution", command: "ls", output: "x\n", exitCode: 1, cancelled: false }),
        assistant([{ type: "text", text: "done" }], counted(40))
      )
    ).sessions
    assert.strictEqual(session.id, "pi-1")
    assert.deepStrictEqual(talk(session.messages), [
      "user: look",
      "assistant: (hm) read#a read#b",
      "tool: #a=A",
      "tool: #b=B",
      "user: Ran `ls`\n```\nx\n\n```\n\nCommand exited with code 1",
      "assistant: done"
    ])
    assert.deepStrictEqual(session.messages[1]?.content[0], { type: "reasoning", text: "hm", signature: "s" })
    assert.deepStrictEqual(asked(session), [
      ["line 4", 20, "user: look"],
      ["line 8", 40, "user: Ran `ls`\n```\nx\n\n```\n\nCommand exited with code 1"]
    ])
    const { model, provider, usage } = session.requests[0]!
    assert.deepStrictEqual(
      { model, provider, usage },
      {
        model: "m1",
        provider: "anthropic",
        usage: { inputTokens: 20, outputTokens: 5, cachedTokens: 10, cacheWriteTokens: 7 }
      }
    )
    assert.strictEqual(session.visible, "messages")
  })

  it("takes an aborted answer for no request, and gives its calls a result", () => {
    const [session] = decoded(
      "pi-session",
      jsonLines(header, user("go"), assistant([], counted(0), "aborted"), assistant([call("a")], counted(0), "aborted"))
    ).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: read#a", "tool: #a=no result was recorded"])
    assert.deepStrictEqual(session.requests, [])
    assert.lengthOf(session.notes, 2)
  })

  it("gives everything, and what the model saw last, of a session that was compacted", () => {
    const last = JSON.stringify(assistant([{ type: "text", text: "two" }], counted(30)))
    const compaction = { type: "compaction", summary: "S", firstKeptEntryIndex: 3, tokensBefore: 30 }
    // two records on one line, as the tool writes them sometimes
    const text =
      jsonLines(header, user("one"), assistant([{ type: "text", text: "1" }], counted(10)), user("more")) +
      `${last}${JSON.stringify(compaction)}\n` +
      jsonLines(user("go on"), assistant([{ type: "text", text: "three" }], counted(25)))
    const [session] = decoded("pi-session", text).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: one",
      "assistant: 1",
      "user: more",
      "assistant: two",
      "user: go on",
      "assistant: three"
    ])
    assert.deepStrictEqual(session.notes, ["line 5: 2 records stand on one line"])
    assert.strictEqual(talk(History.promptBefore(session, session.requests[1]!.at))[0], "user: one")
    const seen = talk(lastSeen(text).messages)
    assert.include(seen[0], "<summary>\nS\n</summary>")
    assert.deepStrictEqual(seen.slice(1), ["user: more", "assistant: two", "user: go on", "assistant: three"])
    assert.deepStrictEqual(
      lastSeen(text).requests.map(({ at, usage }) => [at, usage.inputTokens]),
      [[4, 25]]
    )
  })
})

describe("PiSession as a tree", () => {
  const entry = (id: string, parentId: string | null, record: object) => ({ id, parentId, ...record })
  const said = (id: string, parentId: string | null, role: "user" | "assistant", words: string) =>
    entry(id, parentId, { type: "message", message: { role, content: [{ type: "text", text: words }] } })
  const source = (...records: ReadonlyArray<object>) => jsonLines({ ...header, version: 3 }, ...records)

  it("goes back and on from an earlier record, and sees no more what was said in between", () => {
    const text = source(
      said("1", null, "user", "one"),
      said("2", "1", "assistant", "1"),
      said("3", "2", "user", "left"),
      said("4", "3", "assistant", "left too"),
      entry("5", "2", { type: "branch_summary", fromId: "4", summary: "B" }),
      said("6", "5", "user", "two"),
      entry("7", "6", { type: "label", targetId: "1", label: "x" }),
      entry("8", "7", { type: "custom_message", customType: "x", content: "by an extension" }),
      said("9", "8", "assistant", "2")
    )
    const [session] = decoded("pi-session", text).sessions
    assert.lengthOf(session.messages, 8)
    assert.deepStrictEqual(session.notes, ["line 6: the conversation went back and on from an earlier place"])
    const [first, second, branch, ...rest] = talk(lastSeen(text).messages)
    assert.deepStrictEqual([first, second], ["user: one", "assistant: 1"])
    assert.include(branch, "<summary>\nB\n</summary>")
    assert.deepStrictEqual(rest, ["user: two", "user: by an extension", "assistant: 2"])
  })

  it("keeps what stands behind the first record that a compaction keeps, on its own branch", () => {
    const text = source(
      said("1", null, "user", "one"),
      said("2", "1", "assistant", "1"),
      said("3", "2", "user", "left"),
      said("4", "2", "user", "two"),
      said("5", "4", "assistant", "2"),
      entry("6", "5", { type: "compaction", summary: "S", firstKeptEntryId: "2" }),
      said("7", "6", "user", "three")
    )
    const seen = talk(lastSeen(text).messages)
    assert.include(seen[0], "<summary>\nS\n</summary>")
    assert.deepStrictEqual(seen.slice(1), ["assistant: 1", "user: two", "assistant: 2", "user: three"])
  })

  it("goes back to before a compaction", () => {
    const text = source(
      said("1", null, "user", "one"),
      said("2", "1", "assistant", "1"),
      entry("3", "2", { type: "compaction", summary: "S", firstKeptEntryId: "2" }),
      said("4", "3", "user", "left"),
      said("5", "1", "assistant", "otherwise")
    )
    assert.deepStrictEqual(talk(lastSeen(text).messages), ["user: one", "assistant: otherwise"])
  })
})
