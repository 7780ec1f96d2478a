import { assert, describe, it } from "@effect/vitest"
import * as Formats from "../../src/formats/Formats.ts"
import { History } from "../../src/formats/index.ts"
import { asked, decoded, lastSeen, talk } from "./decoded.ts"

const text = (value: string) => [{ type: "text", text: value }]
const started = (ts: number, request: string, tokensIn: number | undefined, more: object = {}) => ({
  ts,
  type: "say",
  say: "api_req_started",
  text: JSON.stringify({
    request,
    apiProtocol: "openai",
    tokensIn,
    tokensOut: 3,
    cacheReads: 2,
    cacheWrites: 0,
    ...more
  })
})
const say = (ts: number, kind: string, value: string) => ({ ts, type: "say", say: kind, text: value })

const history = [
  { role: "user", content: text("task"), ts: 1_000 },
  { role: "assistant", content: "the summary", ts: 9_000, isSummary: true },
  { role: "user", content: text("kept"), ts: 9_000 },
  { role: "assistant", content: text("after"), ts: 9_500 },
  { role: "user", content: text("more"), ts: 10_000 },
  { role: "assistant", content: text("end"), ts: 11_000 }
]
const window = [
  say(900, "text", "task"),
  started(950, "task", 40),
  say(960, "reasoning", "not sent"),
  say(970, "text", "I look"),
  { ts: 980, type: "ask", ask: "tool", text: '{"tool":"readFile"}' },
  started(5_000, "[read_file] Result: x", 60, { apiProtocol: "anthropic", tokensIn: 10, cacheWrites: 48 }),
  say(5_100, "text", "I see"),
  say(9_200, "condense_context", ""),
  started(9_300, "kept", 30),
  started(9_900, "more", undefined),
  started(10_100, "more", 50)
]
const files = [
  { name: "t.api_conversation_history.json", text: JSON.stringify(history) },
  { name: "t.ui_messages.json", text: JSON.stringify(window) }
]

describe("RooTask", () => {
  it("puts the history behind what the log of the window tells of the time before the condensing", () => {
    const [session] = decoded("roo-task", files).sessions
    assert.deepStrictEqual(talk(session.messages), [
      "user: task",
      'assistant: I look\n\n{"tool":"readFile"}',
      "user: [read_file] Result: x",
      "assistant: I see",
      "user: kept",
      "assistant: after",
      "user: more",
      "assistant: end"
    ])
    assert.deepStrictEqual(asked(session), [
      ["message 1", 40, "user: task"],
      ["message 5", 60, "user: [read_file] Result: x"],
      ["message 8", 30, "user: kept"],
      ["message 10", 50, "user: more"]
    ])
    assert.deepStrictEqual(talk(History.promptBefore(session, session.requests[2]!.at)), [
      "user: task",
      "assistant: the summary",
      "user: kept"
    ])
    assert.deepStrictEqual(talk(lastSeen(files).messages), [
      "user: task",
      "assistant: the summary",
      "user: kept",
      "assistant: after",
      "user: more",
      "assistant: end"
    ])
    assert.isUndefined(session.requests[0]?.model)
  })

  it("takes a folder of sessions of several tools for no task of its own", () => {
    const others = [{ name: "codex.json", text: "[]" }, ...files.map((file, i) => ({ ...file, name: `${i}.json` }))]
    assert.strictEqual(Formats.detect(files), "roo-task")
    assert.notStrictEqual(Formats.detect(others), "roo-task")
  })

  it("reads either file alone", () => {
    const [alone] = decoded("roo-task", files[0]!.text).sessions
    assert.lengthOf(alone.messages, 6)
    assert.deepStrictEqual(alone.requests, [])
    assert.include(alone.notes[0], "what was before the summary is not there")
    const [log] = decoded("roo-task", files[1]!.text).sessions
    assert.lengthOf(log.requests, 4)
  })
})
