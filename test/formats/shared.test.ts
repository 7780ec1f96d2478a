import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { existsSync, readFileSync } from "node:fs"
import { Formats } from "../../src/formats/index.ts"
import type * as Message from "../../src/session/Message.ts"
import { broken } from "./wholePairs.ts"

// Files that other tools wrote lie beside the checkout on some machines; they are not ours to ship.
const file = ["../shared", "../../shared"]
  .map((folder) => new URL(`../../${folder}/transcripts/openai-chat/tau-01.json`, import.meta.url))
  .find((url) => existsSync(url))

interface Run {
  readonly traj: ReadonlyArray<{
    readonly role: string
    readonly content: string | null
    readonly tool_calls?: ReadonlyArray<unknown>
  }>
}

describe("a real file of 45 runs", () => {
  it("has as many messages, calls and texts as another count finds", ({ skip }) => {
    if (file === undefined) return skip("shared/transcripts is not on this machine")
    const text = readFileSync(file, "utf8")
    const runs = JSON.parse(text) as ReadonlyArray<Run>
    const { format, sessions } = Either.getOrThrow(Formats.decode(text))
    assert.strictEqual(format, "openai-chat")
    assert.lengthOf(sessions, 45)
    assert.strictEqual(new Set(sessions.map((session) => session.id)).size, 45)
    for (const [index, session] of sessions.entries()) {
      const traj = runs[index]?.traj ?? []
      const count = (role: string) => traj.filter((message) => message.role === role).length
      const decoded = (role: Message.Message["role"]) =>
        session.messages.filter((message) => message.role === role).length
      assert.strictEqual(decoded("user"), count("user"))
      assert.strictEqual(decoded("assistant"), count("assistant"))
      assert.strictEqual(decoded("tool"), count("tool"))
      assert.strictEqual(session.system, traj[0]?.content)
      const blocks = session.messages.flatMap((message) => message.content)
      assert.strictEqual(
        blocks.filter((block) => block.type === "tool-call").length,
        traj.flatMap((message) => message.tool_calls ?? []).length
      )
      const characters = traj.slice(1).reduce((sum, message) => sum + (message.content ?? "").length, 0)
      const kept = JSON.stringify(blocks.map((block) => (block.type === "tool-result" ? block.content : block)))
      const texts = [...kept.matchAll(/"type":"text","text":("(?:[^"\\]|\\.)*")/gu)]
      assert.strictEqual(
        texts.reduce((sum, match) => sum + (JSON.parse(match[1] ?? '""') as string).length, 0),
        characters
      )
      assert.deepStrictEqual(broken(session.messages), [])
      // two of the runs really hold a call id twice; nothing else is odd
      assert.deepStrictEqual(
        session.notes.filter((note) => !note.includes("is used again")),
        []
      )
    }
  })
})
