import { assert, describe, it } from "@effect/vitest"
import { asked, decoded, jsonLines, talk } from "./decoded.ts"

const conversation = (id: string, parent_id: string | null = null) => ({ table: "session_v2", row: { id, parent_id } })
const row = (seq: number, type: string, data: object, session_id = "s") => ({
  table: "session_message",
  row: { id: `m${seq}`, seq, session_id, type, data }
})
const tool = (id: string, state: object) => ({ type: "tool", id, name: "shell", state: { input: {}, ...state } })

describe("OpencodeRows", () => {
  it("reads rows in their order, calls with their results, and the session of an agent apart", () => {
    const { sessions } = decoded(
      "opencode-rows",
      jsonLines(
        conversation("s"),
        row(1, "user", { text: "look", files: [{ mime: "image/png", url: "data:image/png;base64,AA" }] }),
        row(9, "assistant", { content: [{ type: "text", text: "done" }] }),
        row(2, "shell", { command: "ls", output: { output: "x" } }),
        row(3, "synthetic", { text: "a person ran ls" }),
        row(4, "assistant", {
          content: [
            { type: "reasoning", text: "hm" },
            tool("a", { status: "completed", content: [{ type: "text", text: "A" }] }),
            tool("b", { status: "error", error: { message: "no" } }),
            tool("c", { status: "running" })
          ],
          model: { id: "m", providerID: "p" },
          tokens: { input: 10, output: 3, reasoning: 1, cache: { read: 5, write: 2 } }
        }),
        row(10, "idle", {}),
        row(11, "invented", {}),
        conversation("sub", "s"),
        row(1, "user", { text: "part" }, "sub"),
        { table: "project", row: {} }
      )
    )
    const [first, second] = sessions
    assert.deepStrictEqual(talk(first.messages), [
      "user: look <image>",
      "user: a person ran ls",
      "assistant: (hm) shell#a shell#b shell#c",
      "tool: #a=A",
      "tool: #b=no",
      "tool: #c=no result was recorded",
      "assistant: done"
    ])
    assert.deepStrictEqual(asked(first), [["line 6", 17, "user: a person ran ls"]])
    assert.deepInclude(first.requests[0], { provider: "p", model: "m" })
    assert.deepStrictEqual(first.notes, [
      'line 11: the table "project" is unknown, and its row was left out',
      '1 rows of the unknown type "invented" were left out',
      'line 6: call "c" of "shell" has no result; an error result was put in'
    ])
    assert.deepStrictEqual(talk(second?.messages ?? []), ["user: part"])
    assert.deepStrictEqual(second?.notes, ['it is a session of an agent that "s" started'])
  })
})
