// A file read piece by piece is the file read whole.
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { Formats, Lines } from "../../src/formats/index.ts"
import type { Options } from "../../src/formats/Formats.ts"
import type * as Message from "../../src/session/Message.ts"
import { jsonLines, talk } from "./decoded.ts"
import { readInPieces } from "./pieces.ts"

const chat = JSON.stringify([{ role: "user", content: "hi" }], null, 2)

const pi = (answers: number) =>
  jsonLines(
    { type: "session", id: "p", cwd: "/x", timestamp: "t" },
    ...Array.from({ length: answers }, (_, index) => [
      { type: "message", message: { role: "user", content: `ask ${index} ünïcode 🦊` } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: `c${index}`, name: "read", arguments: { path: "a.ts" } }],
          provider: "x",
          model: "m",
          usage: { input: 10 + index, output: 1 }
        }
      },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: `c${index}`,
          toolName: "read",
          content: [{ type: "text", text: "words ".repeat(50) }]
        }
      }
    ]).flat(),
    { type: "compaction", summary: "so far", firstKeptEntryIndex: 1 },
    { type: "message", message: { role: "user", content: "go on" } }
  )

describe("Formats.reader", () => {
  it("gives what decode gives, in pieces of any size, with carriage returns and without a last line break", () => {
    const texts = [
      pi(1),
      pi(12),
      pi(12).replaceAll("\n", "\r\n"),
      pi(3).trimEnd(),
      `\ufeff${pi(3)}`,
      `\n\n${pi(3)}`,
      chat,
      `\ufeff${chat}\n`,
      "",
      "\n",
      "hello",
      '{"a":1}\n{"a":2}\n',
      '{"v":1,"seq":0,"count":0,"events":[],"sum":"00000000"}\nx\n'
    ]
    const choices: ReadonlyArray<Options> = [
      {},
      { history: "last-seen" },
      { format: "pi-session" },
      { format: "openai-chat" },
      { format: "nonsense" }
    ]
    for (const text of texts) {
      for (const options of choices) {
        const whole = Formats.decode(text, options)
        for (const size of [1, 7, 4_096]) assert.deepStrictEqual(readInPieces(text, size, options), whole)
      }
    }
  })

  it("finds the format of a file whose first line is longer than all else", () => {
    const long = jsonLines(
      { type: "session", id: "p", cwd: "/x", timestamp: "t" },
      { type: "message", message: { role: "user", content: "x".repeat(5_000_000) } }
    )
    const read = Either.getOrThrow(readInPieces(long, 65_536))
    assert.strictEqual(read.format, "pi-session")
    assert.lengthOf(read.sessions[0].messages, 1)
  })

  it("works out pairs, compactions and places on the stand-ins that keep gives", () => {
    const seen: Array<string> = []
    const keep = (block: Message.Block, role: Message.Message["role"]): Message.Block => {
      seen.push(`${role} ${block.type}`)
      if (block.type === "tool-result") return { ...block, content: [] }
      if (block.type === "tool-call") return { ...block, arguments: {} }
      return { type: "unknown", value: block.type === "text" ? block.text.length : 0 }
    }
    const text = pi(2)
    for (const history of ["full", "last-seen"] as const) {
      seen.length = 0
      const light = Either.getOrThrow(readInPieces(text, 4_096, { keep, history })).sessions[0]
      const whole = Either.getOrThrow(Formats.decode(text, { history })).sessions[0]
      assert.deepStrictEqual(light.requests, whole.requests)
      assert.deepStrictEqual(
        light.messages.map(({ role }) => role),
        whole.messages.map(({ role }) => role)
      )
      assert.deepStrictEqual(
        light.compactions.map(({ at, keptFrom }) => [at, keptFrom]),
        whole.compactions.map(({ at, keptFrom }) => [at, keptFrom])
      )
      assert.notInclude(JSON.stringify(light), "words")
      assert.lengthOf(seen, 8)
    }
  })

  it("stops at a line after which it makes no sense to go on", () => {
    const reader = Formats.reader({ format: "session-log" })
    assert.isTrue(Either.isLeft(reader.line('{"v":1,"seq":5,"count":0,"events":[],"sum":"00000000"}')))
  })

  it("holds a text that is cut in a character until the rest has come", () => {
    const lines = Lines.splitter()
    const reader = Formats.reader()
    for (const byte of new TextEncoder().encode(pi(1))) {
      for (const line of lines.push(Uint8Array.of(byte))) reader.line(line)
    }
    const [session] = Either.getOrThrow(reader.end(false)).sessions
    assert.include(talk(session.messages), "user: ask 0 ünïcode 🦊")
  })
})
