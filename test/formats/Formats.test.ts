import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats } from "../../src/formats/index.ts"

const failure = (text: string, format?: string) =>
  Either.match(Formats.decode(text, format === undefined ? {} : { format }), {
    onLeft: (error) => error,
    onRight: () => assert.fail("it was read")
  })

const chat = JSON.stringify([{ role: "user", content: "hi" }])

describe("Formats", () => {
  it("finds the format by the content", () => {
    assert.strictEqual(Formats.detect(chat), "openai-chat")
    assert.strictEqual(Formats.detect(`\ufeff\n${chat}`), "openai-chat")
    assert.strictEqual(Formats.detect(`{"messages":${chat}}`), "openai-chat")
    assert.strictEqual(Formats.detect(`[{"traj":${chat}}]`), "openai-chat")
    assert.strictEqual(Formats.detect('{"v":1,"seq":0,"count":0,"events":[],"sum":"00000000"}\n'), "session-log")
    assert.isUndefined(Formats.detect('{"a":1}'))
    assert.isUndefined(Formats.detect("hello"))
  })

  it("does not take another tool's messages for chat messages", () => {
    const blocks = [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] }]
    const parts = [{ role: "user", id: "m1", parts: [{ type: "text", text: "hi" }] }]
    assert.strictEqual(Formats.detect(JSON.stringify(blocks)), "anthropic-messages")
    assert.strictEqual(Formats.detect(JSON.stringify(parts)), "ai-sdk-ui")
  })

  it("says what is wrong, in a sentence", () => {
    const cases: ReadonlyArray<readonly [text: string, reason: string, words: string]> = [
      ["", "empty", "it is empty"],
      [" \n", "empty", "it is empty"],
      ["hello", "not-json", "it is not JSON"],
      [`[\n${chat},`, "not-json", "it is not JSON"],
      ['{"a":1}', "unknown-shape", "expected"],
      ['{"a":1}\n{"a":2}\n', "unknown-shape", "expected"],
      ["17", "unknown-shape", "expected"],
      ["[1,2]", "unknown-shape", "expected"],
      ["[]", "no-messages", "no messages"],
      ['{"messages":[]}', "no-messages", "no messages"],
      ['[{"role":"system","content":"s"}]', "no-messages", "no messages"]
    ]
    for (const [text, reason, words] of cases) {
      const error = failure(text)
      assert.strictEqual(error._tag, "TranscriptInvalid")
      assert.strictEqual(error.reason, reason, text)
      assert.include(error.message, words)
      assert.notInclude(error.message, "\n")
    }
  })

  it("reads the files of a folder as one session", () => {
    const log = (messages: ReadonlyArray<object>) =>
      JSON.stringify({ messages, latency_sec: 1, response: { choices: [] }, tools: [] })
    const files = [{ name: "1.json", text: log([{ role: "user", content: "hi" }]) }]
    assert.strictEqual(Formats.detect(files), "openhands-llm-log")
    assert.strictEqual(Formats.detect([...files, { name: "2.json", text: "[]" }]), "openhands-llm-log")
    // a log of one file is not a folder's
    assert.isUndefined(Formats.detect([1, 2].map((name) => ({ name: `${name}`, text: chat }))))
    const cases = [
      [[], "empty"],
      [[{ name: "a", text: "" }], "empty"],
      [[1, 2].map((name) => ({ name: `${name}`, text: chat })), "unknown-shape"]
    ] as const
    for (const [source, reason] of cases) {
      assert.deepInclude(Formats.decode(source).pipe(Either.flip, Either.getOrThrow), { reason })
    }
  })

  it("reads as the format that is named, or says why it cannot", () => {
    assert.isTrue(Either.isRight(Formats.decode(chat, { format: "openai-chat" })))
    assert.deepInclude(failure(chat, "session-log"), { reason: "broken-line", line: 1 })
    assert.deepInclude(failure('{"messages":1}', "openai-chat"), { reason: "unknown-shape", path: ["messages"] })
    assert.deepInclude(failure("[1,2]", "openai-chat"), { reason: "unknown-shape" })
    assert.include(failure(chat, "nonsense").message, "session-log, pi-session, ")
  })
})
