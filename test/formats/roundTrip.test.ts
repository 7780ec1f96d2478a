import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { existsSync } from "node:fs"
import { Formats, Pairs } from "../../src/formats/index.ts"
import type { Session, Transcript } from "../../src/formats/Transcript.ts"
import * as Message from "../../src/session/Message.ts"
import { richMessages, wildMessages } from "./arbitraries.ts"
import { transcriptFiles } from "./transcriptFiles.ts"
import { broken } from "./wholePairs.ts"

const sessionOf = (messages: ReadonlyArray<Message.Message>): Session => ({
  id: "s",
  messages: Pairs.repairPairs(messages).messages,
  requests: [],
  compactions: [],
  notes: []
})

const write = (format: string, session: Session) =>
  Either.getOrThrow(Formats.encode({ format, sessions: [session] }, { format }))

const readAs = (format: string, text: string) => Either.getOrThrow(Formats.decode(text, { format })).sessions[0]

/** Of an answer that was nothing but reasoning there may be nothing left. */
const messagesAs = (format: string, text: string): ReadonlyArray<Message.Message> => {
  const read = Formats.decode(text, { format })
  if (Either.isLeft(read)) assert.strictEqual(read.left.reason, "no-messages")
  return Either.isLeft(read) ? [] : read.right.sessions[0].messages
}

const isSecret = (block: Message.Block) => block.type === "reasoning" && block.redacted !== undefined

/** What was said, whatever became of its form; a model that sealed its reasoning says it nowhere else. */
const marks = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  [
    ...JSON.stringify(messages.map(({ content }) => content.filter((block) => !isSecret(block)))).matchAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu
    )
  ]
    .map(([mark]) => mark)
    .sort()

describe.each(Formats.written)("%s", (format) => {
  const filled = richMessages.map(sessionOf).filter(({ messages }) => messages.length > 0)

  it("reads back as the same messages what it has a place for, and says what it has none for", () => {
    let exact = 0
    FastCheck.assert(
      FastCheck.property(filled, (session) => {
        const { notes, text } = write(format, session)
        const again = messagesAs(format, text)
        assert.deepStrictEqual(broken(again), [])
        assert.includeMembers([...marks(again)], [...marks(session.messages)])
        if (notes.length > 0) return
        exact++
        assert.deepStrictEqual(again, session.messages)
      }),
      { numRuns: 300 }
    )
    assert.isAbove(exact, 20)
  })

  it("reads back what it read itself, to the letter", () => {
    FastCheck.assert(
      FastCheck.property(filled, (session) => {
        const messages = messagesAs(format, write(format, session).text)
        if (messages.length === 0) return
        assert.deepStrictEqual(readAs(format, write(format, { ...session, messages }).text).messages, messages)
      }),
      { numRuns: 300 }
    )
  })

  it("is found by its content, or read as the same by the format that is found", () => {
    FastCheck.assert(
      FastCheck.property(wildMessages.map(sessionOf), (session) => {
        // chat messages keep no empty texts
        if (session.messages.length === 0 || JSON.stringify(session.messages).includes('"text":""')) return
        const { notes, text } = write(format, session)
        if (notes.length > 0) return
        assert.deepStrictEqual(Either.getOrThrow(Formats.decode(text)).sessions[0].messages, session.messages)
      }),
      { numRuns: 200 }
    )
  })

  it("keeps the system prompt and the tools, or says that it has no place for them", () => {
    const session: Session = {
      ...sessionOf([Message.user("hi")]),
      system: "Be terse.",
      tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }]
    }
    const { notes, text } = write(format, session)
    const { system, tools } = readAs(format, text)
    assert.strictEqual(system !== undefined, !notes.some((note) => note.includes("the system prompt")))
    assert.strictEqual(tools !== undefined, !notes.some((note) => note.includes("the schemas of tools")))
    if (system !== undefined) assert.strictEqual(system, session.system)
    if (tools !== undefined) assert.deepStrictEqual(tools, session.tools)
  })
})

describe("Formats.encode", () => {
  const session = sessionOf([Message.user("hi")])

  it("writes the format that was read", () => {
    const { text } = Either.getOrThrow(Formats.encode({ format: "pi-session", sessions: [session] }))
    assert.strictEqual(Formats.detect(text), "pi-session")
  })

  it("says why there is no such text", () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const cases: ReadonlyArray<readonly [format: string, sessions: Transcript["sessions"], reason: string]> = [
      ["roo-task", [session], "only-read"],
      ["bogus", [session], "unknown-format"],
      ["pi-session", [session, session], "several-sessions"],
      ["openai-chat", [{ ...session, messages: [Message.assistant([Message.toolCall("c", "f", cyclic)])] }], "no-json"],
      ["session-log", [{ ...session, messages: [Message.assistant([Message.toolCall("c", "f", 1n)])] }], "no-json"]
    ]
    for (const [format, sessions, reason] of cases) {
      const encoded = Formats.encode({ format, sessions })
      assert.isTrue(Either.isLeft(encoded) && encoded.left.reason === reason, `${format}: ${reason}`)
      if (Either.isLeft(encoded)) assert.match(encoded.left.message, /^this transcript cannot be written so: [^\n]+$/u)
    }
  })

  it("names what a format has no place for, and how often", () => {
    const image: Message.ImageBlock = { type: "image", source: { type: "blob", blob: "b1" }, width: 10, height: 10 }
    const given: Session = {
      ...sessionOf([
        Message.user([image, image]),
        Message.assistant([{ type: "reasoning", text: "Hm.", signature: "seal" }])
      ]),
      system: "Be terse."
    }
    assert.deepStrictEqual(write("openai-chat", given).notes, [
      "openai-chat has no place for all that there is of an image (2 times)",
      "openai-chat has no place for reasoning in OpenAI's own API: it is in reasoning_content, which other servers know",
      "openai-chat has no place for the seal of reasoning"
    ])
    assert.deepStrictEqual(write("claude-code", given).notes, [
      "claude-code has no place for the system prompt",
      "claude-code has no place for the pixel size of an image (2 times)"
    ])
  })
})

describe("every shared transcript", () => {
  const folder = ["../shared", "../../shared"]
    .map((place) => new URL(`../../${place}/transcripts/`, import.meta.url))
    .find((url) => existsSync(url))

  const files = folder === undefined ? [] : transcriptFiles(folder)

  it.skipIf(files.length === 0)("is the same after it was written in its own format, in both histories", () => {
    let same = 0
    for (const { source } of files) {
      for (const history of ["last-seen", "full"] as const) {
        const read = Formats.decode(source, { history })
        if (Either.isLeft(read)) continue
        const { format, sessions } = read.right
        if (!Formats.written.includes(format)) continue
        const { text } = Either.getOrThrow(Formats.encode(read.right))
        const again = Either.getOrThrow(Formats.decode(text, { format, history }))
        // a session without messages leaves no trace in a list of records
        const held = sessions.filter(({ messages }) => messages.length > 0)
        assert.deepStrictEqual(
          again.sessions.filter(({ messages }) => messages.length > 0).map(({ messages }) => messages),
          held.map(({ messages }) => messages)
        )
        same++
      }
    }
    assert.isAbove(same, 10)
  })

  it.skipIf(files.length === 0)("keeps all that was said in every format that is written", () => {
    for (const { name, source } of files) {
      const read = Formats.decode(source, { history: "last-seen" })
      if (Either.isLeft(read)) continue
      const [session] = read.right.sessions
      if (session.messages.length === 0) continue
      for (const format of Formats.written) {
        const { notes, text } = write(format, session)
        const again = readAs(format, text)
        assert.deepStrictEqual(broken(again.messages), [], `${name} as ${format}`)
        if (notes.every((note) => !/no place for (?!the system|the schemas|what the provider|where the)/u.test(note))) {
          assert.deepStrictEqual(again.messages, session.messages, `${name} as ${format}`)
        }
      }
    }
  })
})
