import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { readFileSync } from "node:fs"
import { Formats } from "../../src/formats/index.ts"
import * as Message from "../../src/session/Message.ts"

const text = readFileSync(new URL("../../examples/transcript/session.json", import.meta.url), "utf8")

describe("the transcript that is shipped", () => {
  const { format, sessions } = Either.getOrThrow(Formats.decode(text))
  const [session] = sessions
  const results = session.messages
    .flatMap(Message.toolResults)
    .map((block) => block.content.map((part) => (part.type === "text" ? part.text : "")).join(""))

  it("is whole, and long enough to fill a window of 16k several times", () => {
    assert.strictEqual(format, "openai-chat")
    assert.lengthOf(sessions, 1)
    assert.deepStrictEqual(session.notes, [])
    assert.isAtLeast(session.messages.length, 240)
    assert.isAbove((session.system ?? "").length, 1000)
    assert.isAtLeast(session.tools?.length ?? 0, 4)
    assert.isBelow(Buffer.byteLength(text), 1_000_000)
    assert.strictEqual(session.messages[0]?.role, "user")
    assert.strictEqual(session.messages.at(-1)?.role, "assistant")
  })

  it("holds what makes compaction hard: large results, parallel calls, failures, CJK text", () => {
    assert.isAtLeast(results.filter((result) => Buffer.byteLength(result) > 20 * 1024).length, 3)
    assert.isTrue(session.messages.some((message) => Message.toolCalls(message).length > 2))
    assert.isAtLeast(results.filter((result) => /\[exit code \d+\]$/u.test(result)).length, 3)
    assert.isTrue(results.some((result) => (result.match(/\p{Script=Han}/gu) ?? []).length > 1000))
    assert.isTrue(
      results.some((result) => (result.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? []).length > 500)
    )
  })

  it("names no machine", () => {
    // the recorder knows the names of the machine that it runs on and refuses them; these are the ones known beforehand
    for (const pattern of [
      /\/work\//u,
      /\/root\//u,
      /\/home\/(?!dev\b)/u,
      /registry/u,
      /(localhost|127\.0\.0\.1):(?!8080)\d/u
    ]) {
      assert.isNull(pattern.exec(text))
    }
  })
})
