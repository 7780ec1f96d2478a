import { assert, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as conforms from "../../src/session/conforms.ts"
import * as Message from "../../src/session/Message.ts"
import * as SessionEvent from "../../src/session/SessionEvent.ts"
import { changed } from "./changed.ts"

const isPlain = conforms.make(SessionEvent.Body)
const encode = Schema.encodeUnknownEither(SessionEvent.Body)

/** What may stand in the log in place of an encoded body. */
const sameAsEncoded = (body: unknown): void => {
  const encoded = encode(body)
  assert.isTrue(Either.isRight(encoded), JSON.stringify(body))
  assert.strictEqual(JSON.stringify(sorted(body)), JSON.stringify(sorted(Either.getOrThrow(encoded))))
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)])
  )
}

const bodies = Arbitrary.make(SessionEvent.Body)

it("an event that is said to be plain is what the schema makes of it", () => {
  let plain = 0
  FastCheck.assert(
    FastCheck.property(
      bodies,
      FastCheck.array(FastCheck.nat(20), { maxLength: 6 }),
      FastCheck.oneof(FastCheck.anything(), FastCheck.constantFrom(undefined, Number.NaN, -1, 1.5, "", "text", "tool")),
      (body, path, by) => {
        for (const value of [body, changed(body, path, by)]) {
          if (!isPlain(value)) continue
          plain++
          sameAsEncoded(value)
        }
      }
    ),
    { numRuns: 1_000 }
  )
  // the schema's own values are nearly all plain: a test of nothing would pass as well
  assert.isAbove(plain, 900)
})

it("what a conversation is made of is plain", () => {
  const counts = { estimator: "e", values: [1, 2.5] }
  const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0 }
  const { metadata, ...said } = { ...Message.user("a"), metadata: { from: "someone" } }
  const conversation: ReadonlyArray<SessionEvent.Body> = [
    { type: "message/user", data: { message: { ...said, metadata }, source: "prompt", counts } },
    {
      type: "message/assistant",
      data: {
        message: Message.assistant([
          { type: "reasoning", text: "hm", signature: "s" },
          Message.textBlock("b"),
          Message.toolCall("c", "read", { path: ["x"] })
        ]),
        usage,
        finish: "tool-calls",
        counts
      }
    },
    {
      type: "message/tool-result",
      data: {
        callId: "c",
        name: "read",
        content: [
          Message.textBlock("d"),
          { type: "image", source: { type: "base64", base64: "" }, mediaType: "image/png", width: 1, height: 2 }
        ],
        isError: true,
        counts,
        replaces: { first: 0, last: 1, sources: [0, 1] }
      }
    }
  ]
  for (const body of conversation) {
    assert.isTrue(isPlain(body), body.type)
    sameAsEncoded(body)
  }
})

it("a key that the format does not know, a class and a wrong value are left to the schema", () => {
  const counts = { estimator: "e", values: [1] }
  const user = (message: unknown) => ({ type: "message/user", data: { message, source: "prompt", counts } })
  class Block {
    readonly type = "text"
    readonly text = "t"
  }
  assert.isTrue(isPlain(user(Message.user("t"))))
  for (const message of [
    { ...Message.user("t"), cache: true },
    { role: "user", content: [{ type: "text", text: "t", cache: true }] },
    { role: "user", content: [new Block()] },
    { role: "user", content: [{ type: "text" }] },
    { role: "user", content: [{ type: "text", text: 1 }] },
    { role: "user", content: "t" },
    Message.assistant("t")
  ]) {
    assert.isFalse(isPlain(user(message)), JSON.stringify(message))
  }
})
