import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { Formats, OpenAiChat, Transcript } from "../../src/formats/index.ts"
import * as Message from "../../src/session/Message.ts"
import { chatMessages } from "./arbitraries.ts"
import { broken } from "./wholePairs.ts"

const read = (value: unknown) => Either.getOrThrow(Formats.decode(JSON.stringify(value))).sessions[0]

const call = (id: string, args: unknown) => ({ id, type: "function", function: { name: "read", arguments: args } })

const simple = [
  { role: "system", content: "Be terse." },
  { role: "user", content: "What is in a?" },
  { role: "assistant", content: null, tool_calls: [call("c1", '{"path":"a"}')] },
  { role: "tool", tool_call_id: "c1", content: "aaa" },
  { role: "assistant", content: "It holds aaa." }
]

const messages = [
  Message.user("What is in a?"),
  Message.assistant([Message.toolCall("c1", "read", { path: "a" })]),
  Message.toolResult({ id: "c1", name: "read", content: "aaa" }),
  Message.assistant("It holds aaa.")
]

describe("OpenAiChat", () => {
  it("reads a list of messages", () => {
    assert.deepStrictEqual(read(simple), {
      id: "session",
      system: "Be terse.",
      messages,
      requests: [],
      compactions: [],
      notes: []
    })
  })

  it("reads messages with tools", () => {
    const parameters = { type: "object", properties: { path: { type: "string" } } }
    const session = read({
      messages: simple,
      tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters } }, { name: "bare" }]
    })
    assert.deepStrictEqual(session.tools, [
      { name: "read", description: "Reads.", parameters },
      { name: "bare", parameters: { type: "object", properties: {} } }
    ])
    assert.deepStrictEqual(session.messages, messages)
  })

  it("reads runs, each under a name of its own", () => {
    const runs = [
      { task_id: 3, trial: 0, reward: 1, traj: simple },
      { task_id: 3, trial: 0, traj: simple },
      { traj: simple },
      { traj: [] }
    ]
    const { sessions } = Either.getOrThrow(Formats.decode(JSON.stringify(runs)))
    assert.deepStrictEqual(
      sessions.map((session) => session.id),
      ["task-3-trial-0", "task-3-trial-0-2", "run-3", "run-4"]
    )
    assert.deepStrictEqual(sessions[1]?.messages, messages)
    assert.deepStrictEqual(sessions[3]?.notes, ["it holds no messages"])
  })

  it("reads content of every form", () => {
    const session = read([
      { role: "developer", content: "One." },
      { role: "system", content: [{ type: "text", text: "Two." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
          { type: "image_url", image_url: { url: "https://example.test/a.png" } },
          { type: "input_audio", input_audio: { data: "" } }
        ]
      },
      { role: "assistant", content: null, refusal: "I will not." },
      { role: "user", content: "Then think." },
      { role: "assistant", content: "Yes.", reasoning_content: "Hm.", tool_calls: [call("c1", "not json")] },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "out" }] }
    ])
    assert.strictEqual(session.system, "One.\n\nTwo.")
    assert.deepStrictEqual(session.notes, [])
    assert.deepStrictEqual(session.messages, [
      Message.user([
        Message.textBlock("look"),
        { type: "image", source: { type: "base64", base64: "QUJD" }, mediaType: "image/png" },
        { type: "image", source: { type: "url", url: "https://example.test/a.png" } },
        { type: "unknown", value: { type: "input_audio", input_audio: { data: "" } } }
      ]),
      Message.assistant("I will not."),
      Message.user("Then think."),
      Message.assistant([
        { type: "reasoning", text: "Hm." },
        Message.textBlock("Yes."),
        Message.toolCall("c1", "read", "not json")
      ]),
      Message.toolResult({ id: "c1", name: "read", content: "out" })
    ])
  })

  it("reads a system message in the middle as context", () => {
    const session = read([...simple, { role: "system", content: "It is late." }])
    assert.deepStrictEqual(session.messages.at(-1), {
      role: "user",
      content: [Message.textBlock("It is late.")],
      metadata: { source: "context", role: "system" }
    })
    assert.deepStrictEqual(session.notes, [
      "message 6: a system message in the middle was read as context in the user's role"
    ])
  })

  it("reads the older function calls", () => {
    const session = read([
      { role: "user", content: "hi" },
      { role: "assistant", content: null, function_call: { name: "read", arguments: "{}" } },
      { role: "function", name: "read", content: "ok" }
    ])
    assert.deepStrictEqual(broken(session.messages), [])
    assert.lengthOf(session.messages, 3)
  })

  it("notes what is odd and goes on, by the place in the file", () => {
    const session = read([
      { role: "system", content: "s" },
      { role: "user", content: "hi" },
      { role: "assistant", content: "" },
      null,
      { role: "tool", tool_call_id: "x", content: "orphan" },
      { role: "critic", content: "bad" },
      { role: "assistant", content: "ok", tool_calls: [{}] }
    ])
    assert.deepStrictEqual(broken(session.messages), [])
    assert.deepStrictEqual(
      session.notes.map((note) => note.slice(0, 9)),
      ["message 4", "message 6", "message 7", "message 3", "message 5"]
    )
  })

  it("can leave out what is not OpenAI's own", () => {
    const encoded = OpenAiChat.encode(
      [
        Message.assistant([{ type: "reasoning", text: "Hm." }, Message.toolCall("c1", "read", {})]),
        Message.toolResult({ id: "c1", name: "read", content: "no", isError: true })
      ],
      { system: "s", strict: true }
    )
    assert.deepStrictEqual(encoded, [
      { role: "system", content: "s" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "c1", content: "no" }
    ])
  })
})

describe("OpenAiChat, whatever the list holds", () => {
  const isSession = Schema.is(Transcript.Session)

  it("makes whole sessions of it", () => {
    FastCheck.assert(
      FastCheck.property(chatMessages, (list) => {
        const session = OpenAiChat.decodeMessages(list)
        assert.isTrue(isSession(session))
        assert.deepStrictEqual(broken(session.messages), [])
      }),
      { numRuns: 1000 }
    )
  })

  it("reads what it writes as the same session", () => {
    FastCheck.assert(
      FastCheck.property(
        chatMessages,
        FastCheck.array(FastCheck.record({ name: FastCheck.string({ minLength: 1 }) })),
        (list, tools) => {
          const session = OpenAiChat.decodeMessages(list, { tools })
          const again = JSON.parse(JSON.stringify(OpenAiChat.encodeSession(session)))
          const { notes, ...read } = OpenAiChat.decodeMessages(again.messages, { tools: again.tools })
          assert.deepStrictEqual({ ...read, notes: session.notes }, session)
          // a system message in the middle is told again, everything else is mended
          assert.deepStrictEqual(
            notes.filter((note) => !note.includes("in the middle")),
            []
          )
        }
      ),
      { numRuns: 1000 }
    )
  })
})
