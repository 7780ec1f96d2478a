import { assert, describe, it } from "@effect/vitest"
import { History } from "../../src/formats/index.ts"
import { asked, decoded, jsonLines, lastSeen, talk } from "./decoded.ts"

let lines = 0
const record = (fields: object) => ({ uuid: `u${++lines}`, parentUuid: null, sessionId: "s", ...fields })
const said = (type: "user" | "assistant", message: object, more: object = {}) =>
  record({ type, message: { role: type, ...message }, ...more })
const usage = (input_tokens: number, read = 0, write = 0) => ({
  input_tokens,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  output_tokens: 1
})
const answer = (id: string, block: object, counted: object) =>
  said("assistant", { id, model: "claude-x", content: [block], usage: counted })
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} })
const result = (id: string, content: unknown) =>
  said(
    "user",
    { content: [{ type: "tool_result", tool_use_id: id, content }] },
    { toolUseResult: { text: "not this" } }
  )

describe("ClaudeCode", () => {
  it("merges an answer's lines, and counts its usage once", () => {
    const [session] = decoded(
      "claude-code",
      jsonLines(
        { type: "file-history-snapshot", messageId: "x" },
        said("user", { content: "look" }),
        answer("m1", { type: "thinking", thinking: "hm", signature: "s" }, usage(1, 2, 3)),
        answer("m1", call("a"), usage(1, 2, 3)),
        result("a", "A"),
        answer("m1", call("b"), { ...usage(1, 2, 3), output_tokens: 70 }),
        result("b", [
          { type: "text", text: "B" },
          { type: "image", source: { type: "base64", data: "AA", media_type: "image/png" } }
        ]),
        answer("m2", { type: "text", text: "done" }, usage(20))
      )
    ).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: look",
      "assistant: (hm) Read#a Read#b",
      "tool: #a=A",
      "tool: #b=B+<image>",
      "assistant: done"
    ])
    assert.deepStrictEqual(asked(session), [
      ["line 3", 6, "user: look"],
      ["line 8", 20, "tool: #b=B+<image>"]
    ])
    assert.strictEqual(session.requests[0]?.usage.outputTokens, 70)
    assert.deepInclude(session.requests[0], { provider: "anthropic", model: "claude-x", counted: "provider" })
    assert.deepStrictEqual(session.notes, [])
  })

  it("tells ten places where a conversation went back, and of the others how many there are", () => {
    const line = (uuid: string, parentUuid: string | null) => said("user", { content: uuid }, { uuid, parentUuid })
    const [session] = decoded(
      "claude-code",
      jsonLines(line("a", null), ...Array.from({ length: 40 }, (_, i) => line(`b${i}`, "a")))
    ).sessions
    const went = session.notes.filter((note) => note.includes("went back and on from an earlier place"))
    assert.strictEqual(went.length, 11)
    assert.include(went.at(-1), "29 more places")
  })

  it("takes no count that no request can have", () => {
    for (const odd of [-1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, null, "9"]) {
      const [session] = decoded(
        "claude-code",
        jsonLines(
          said("user", { content: "look" }),
          answer("m1", { type: "text", text: "done" }, { input_tokens: odd, output_tokens: 1 })
        )
      ).sessions
      assert.deepStrictEqual(session.requests, [], String(odd))
    }
  })

  it("begins after the summary where the tool compacted", () => {
    const text = jsonLines(
      said("user", { content: "one" }),
      answer("m1", { type: "text", text: "1" }, usage(10)),
      record({ type: "system", subtype: "compact_boundary" }),
      said("user", { content: "the summary" }, { isCompactSummary: true }),
      said("user", { content: "two" }),
      answer("m2", { type: "text", text: "2" }, usage(8))
    )
    const [session] = decoded("claude-code", text).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: one", "assistant: 1", "user: two", "assistant: 2"])
    assert.deepStrictEqual(talk(History.promptBefore(session, session.requests[1]!.at)), [
      "user: the summary",
      "user: two"
    ])
    assert.deepStrictEqual(talk(lastSeen(text).messages), ["user: the summary", "user: two", "assistant: 2"])
  })

  it("keeps orphans and the tool's own words, and tells of them", () => {
    const [session] = decoded(
      "claude-code",
      jsonLines(
        result("gone", "G"),
        said("assistant", {
          id: "e",
          model: "<synthetic>",
          content: [{ type: "text", text: "error" }],
          usage: usage(0)
        }),
        answer("m1", call("open"), usage(9)),
        record({ type: "invented" })
      )
    ).sessions
    assert.lengthOf(session.requests, 1)
    assert.deepStrictEqual(session.notes, [
      "line 2: the tool itself wrote this answer, not the model",
      '1 records of the unknown type "invented" were left out',
      'line 1: the result "gone" has no call before it and was kept as the user\'s text',
      'line 3: call "open" of "Read" has no result; an error result was put in'
    ])
  })

  it("gives a sub-agent a session of its own", () => {
    const progress = (message: object) =>
      record({ type: "progress", data: { type: "agent_progress", agentId: "7", message } })
    const { sessions } = decoded(
      "claude-code",
      jsonLines(
        said("user", { content: "go" }),
        answer("m1", call("task"), usage(10)),
        progress(said("user", { content: "sub" })),
        progress(answer("n1", { type: "text", text: "sub done" }, usage(4))),
        record({ type: "progress", data: { type: "bash_progress" } }),
        result("task", "T")
      )
    )
    assert.deepStrictEqual(
      sessions.map(({ id, messages }) => [id, talk(messages)]),
      [
        ["s", ["user: go", "assistant: Read#task", "tool: #task=T"]],
        ["agent-7", ["user: sub", "assistant: sub done"]]
      ]
    )
    assert.deepStrictEqual(asked(sessions[1]!), [["line 4", 4, "user: sub"]])
  })

  it("goes on from an earlier record where a prompt was edited, and not where results of parallel calls come late", () => {
    const linked = (uuid: string, parentUuid: string | null, value: object) => ({ ...value, uuid, parentUuid })
    const text = jsonLines(
      linked("1", null, said("user", { content: "one" })),
      linked("2", "1", answer("m1", call("a"), usage(10))),
      linked("3", "2", answer("m1", call("b"), usage(10))),
      linked("4", "3", result("b", "B")),
      linked("5", "2", result("a", "A")),
      linked("p", "4", record({ type: "progress", data: { type: "hook_progress" } })),
      linked("6", "p", answer("m2", { type: "text", text: "two" }, usage(20))),
      linked("7", "6", said("user", { content: "left" })),
      linked("8", "7", answer("m3", { type: "text", text: "left too" }, usage(30))),
      linked("9", "6", said("user", { content: "edited" })),
      linked("10", "not in the file", answer("m4", { type: "text", text: "three" }, usage(31)))
    )
    const [session] = decoded("claude-code", text).sessions
    assert.lengthOf(session.messages, 9)
    assert.include(session.notes, "line 10: the conversation went back and on from an earlier place")
    const seen = ["user: one", "assistant: Read#a Read#b", "tool: #a=A", "tool: #b=B", "assistant: two", "user: edited"]
    assert.deepStrictEqual(talk(lastSeen(text).messages), [...seen, "assistant: three"])
    assert.deepStrictEqual(asked(session).at(-1), ["line 11", 31, "user: edited"])
    const again = jsonLines(
      linked("1", null, said("user", { content: "one" })),
      linked("2", "1", answer("m1", { type: "text", text: "1" }, usage(10))),
      linked("3", null, said("user", { content: "two" }))
    )
    assert.deepStrictEqual(talk(lastSeen(again).messages), ["user: two"])
  })

  it("leaves out a line that stands there twice", () => {
    const asks = said("user", { content: "go" })
    const calls = answer("m1", call("a"), usage(10))
    const text = jsonLines(asks, asks, calls, result("a", "A"), calls)
    const [session] = decoded("claude-code", text).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go", "assistant: Read#a", "tool: #a=A"])
    assert.deepStrictEqual(session.notes, ["2 records stand there twice; the second ones were left out"])
  })

  it("is found behind any number of titles of other sessions", () => {
    const titles = Array.from({ length: 40 }, (_, index) => ({ type: "summary", summary: "x", leafUuid: `l${index}` }))
    const [session] = decoded("claude-code", jsonLines(...titles, said("user", { content: "go" }))).sessions
    assert.deepStrictEqual(talk(session.messages), ["user: go"])
  })
})
