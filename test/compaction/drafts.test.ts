import { assert, describe, it } from "@effect/vitest"
import { appending, type Repair } from "../../src/compaction/drafts.ts"
import * as Message from "../../src/session/Message.ts"

const call = (id: string) => Message.toolCall(id, "look", {})
const result = (id: string, content = `of ${id}`) => Message.toolResult({ id, name: "look", content })
const inside = (id: string, content?: string) => result(id, content).content[0]!
const text = Message.textBlock

/** The events in a few words, and what was told. */
const append = (messages: ReadonlyArray<Message.Message>, unanswered: ReadonlyArray<Message.ToolCallBlock> = []) => {
  const repairs: Array<Repair> = []
  const drafts = appending(unanswered, messages, "prompt", (repair) => repairs.push(repair))
  return {
    lines: drafts.map((draft) => {
      if (draft.type === "message/tool-result") return `result ${draft.data.callId}${draft.data.isError ? "!" : ""}`
      if (draft.type !== "message/user" && draft.type !== "message/assistant") return draft.type
      const { content, role } = draft.data.message
      return `${role}: ${content.map((block) => (block.type === "text" ? block.text : block.type)).join(" | ")}`
    }),
    repairs: repairs.map(({ id, message, what }) => `${message} ${what} ${id}`)
  }
}

describe("appending", () => {
  it("takes an answer with results inside apart: results of its own calls follow it", () => {
    const answer = Message.assistant([text("I look"), call("s"), inside("s"), text("and read"), call("t")])
    assert.deepStrictEqual(append([answer, result("t"), Message.user("on")]), {
      lines: ["assistant: I look | tool-call | and read | tool-call", "result s", "result t", "user: on"],
      repairs: []
    })
  })

  it("results of earlier calls come before the answer that holds them, and so does what has no call", () => {
    const answer = Message.assistant([inside("a"), inside("x"), text("so"), call("b")])
    assert.deepStrictEqual(append([Message.assistant([call("a")]), answer, result("b")]), {
      lines: [
        "assistant: tool-call",
        "result a",
        '[result of a call of "look" that is not in this conversation] | of x',
        "so | tool-call",
        "result b"
      ].map((line, i) => (i === 2 ? `user: ${line}` : i === 3 ? `assistant: ${line}` : line)),
      repairs: ["1 orphan-result x"]
    })
  })

  it("an answer that holds results and nothing else is no answer", () => {
    assert.deepStrictEqual(append([Message.assistant([inside("a")])], [call("a")]).lines, ["result a"])
    assert.deepStrictEqual(append([Message.assistant("")]).lines, ["assistant: "])
  })

  it("a second result of one call is kept as a text", () => {
    const { lines, repairs } = append([Message.assistant([call("a"), inside("a"), inside("a", "again")])])
    assert.deepStrictEqual(lines.slice(0, 2), ["assistant: tool-call", "result a"])
    assert.include(lines[2], "again")
    assert.deepStrictEqual(repairs, ["0 orphan-result a"])
  })

  it("tells of every repair, by the message that holds what was repaired", () => {
    assert.deepStrictEqual(
      append(
        [
          result("gone"),
          Message.assistant([call("a"), call("a"), call("")]),
          result("a"),
          Message.user([text("hm"), call("mine")])
        ],
        [call("before")]
      ),
      {
        lines: [
          "result before!",
          'user: [result of a call of "look" that is not in this conversation] | of gone',
          "assistant: tool-call | tool-call | tool-call",
          "result a",
          "result a_2!",
          "result call!",
          'user: hm | [a call of "look" that no answer made]\n{}'
        ],
        repairs: [
          "0 orphan-result gone",
          "-1 missing-result before",
          "1 renamed-call a",
          "1 renamed-call ",
          "3 stray-call mine",
          "1 missing-result a",
          "1 missing-result "
        ]
      }
    )
  })

  it("calls at the end stay open: their results may come", () => {
    assert.deepStrictEqual(append([Message.assistant([call("a")])]), { lines: ["assistant: tool-call"], repairs: [] })
  })
})
