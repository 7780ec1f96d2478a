import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { families, type Family } from "../../src/compaction/estimator/families.ts"
import { framing } from "../../src/compaction/requestPrice.ts"
import { countText, runEstimator } from "../../src/compaction/RunEstimator.ts"
import type { Envelope } from "../../src/session/Envelope.ts"
import * as Message from "../../src/session/Message.ts"
import { anyText } from "./texts.ts"

const route = { provider: "p", model: "m" }
const priceOf = (message: Message.Message, family: Family = "generic") =>
  runEstimator.message(message)[families.indexOf(family)]!
const envelopePriceOf = (envelope: Envelope) => runEstimator.envelope(envelope)[families.indexOf("generic")]!

describe("the price of a message", () => {
  it("is that of its blocks and their framing", () => {
    const call = Message.toolCall("id", "bash", { a: 1 })
    const text = countText("some text")
    assert.strictEqual(priceOf(Message.user("some text")), framing.message + text)
    assert.strictEqual(priceOf(Message.assistant([{ type: "reasoning", text: "some text" }])), framing.message + text)
    assert.strictEqual(
      priceOf(Message.assistant([call])),
      framing.message + framing.toolCall + countText("bash") + countText('{"a":1}')
    )
    assert.strictEqual(
      priceOf(Message.toolResult({ id: "id", name: "bash", content: "some text" })),
      framing.message + framing.toolResult + text
    )
    assert.strictEqual(
      priceOf(Message.user([{ type: "unknown", value: { kind: "audio" } }])),
      framing.message + countText('{"kind":"audio"}')
    )
  })

  it("is fixed for each kind of block [A13]", () => {
    const call = Message.toolCall("id", "bash", { a: 1 })
    const image = { type: "image", source: { type: "url", url: "u" }, width: 300, height: 250 } as const
    assert.deepStrictEqual(
      [
        Message.user("some text"),
        Message.assistant([{ type: "reasoning", text: "some text" }]),
        Message.assistant([call]),
        Message.toolResult({ id: "id", name: "bash", content: "some text" }),
        Message.user([image]),
        Message.user([{ type: "unknown", value: { kind: "audio" } }])
      ].map((message) => priceOf(message, "o200k")),
      [6, 6, 13, 10, 259, 9]
    )
    const read = { name: "read", description: "Reads a file", parameters: { type: "object" } }
    const at = families.indexOf("o200k")
    assert.deepStrictEqual(
      [{ route }, { route, system: "some text" }, { route, tools: [read] }].map(
        (envelope) => runEstimator.envelope(envelope)[at]
      ),
      [3, 9, 28]
    )
  })

  it("counts encrypted reasoning and arguments that did not parse [MEASURE-4]", () => {
    const redacted = { type: "reasoning", text: "", redacted: "A".repeat(1600) } as const
    assert.strictEqual(priceOf(Message.assistant([redacted])), framing.message + 300)
    assert.isAbove(
      priceOf(Message.assistant([Message.toolCall("i", "n", '{"a": tru')])),
      priceOf(Message.assistant([]))
    )
  })

  it("is nothing for an assistant that said nothing, and only for that [A27]", () => {
    assert.strictEqual(priceOf(Message.assistant([])), 0)
    assert.strictEqual(priceOf(Message.assistant("")), 0)
    assert.strictEqual(priceOf(Message.user([])), framing.message)
  })

  it("bounds blocks of unknown kind and survives what is no JSON [A14 STALE-8]", () => {
    const circular: Record<string, unknown> = {}
    circular["self"] = circular
    const unknown = (value: unknown) => Message.user([{ type: "unknown", value }])
    assert.strictEqual(priceOf(unknown({ data: "A1b2".repeat(90_000) })), framing.message + framing.unknown)
    for (const value of [circular, 10n, undefined, () => 1])
      assert.strictEqual(priceOf(unknown(value)), framing.message)
    assert.isAbove(priceOf(Message.assistant([Message.toolCall("i", "n", circular)])), 0)
  })

  it.prop("is the sum over its blocks", [FastCheck.array(anyText, { maxLength: 5 })], ([texts]) => {
    assert.strictEqual(
      priceOf(Message.user(texts.map(Message.textBlock))),
      texts.reduce<number>((sum, text) => sum + countText(text), framing.message)
    )
  })
})

describe("the price of media", () => {
  const image = (base64: string, size: { width?: number; height?: number } = {}) =>
    Message.user([{ type: "image", source: { type: "base64", base64 }, ...size }])
  const file = (base64: string, fields: { mediaType?: string; pages?: number } = {}) =>
    Message.user([{ type: "file", mediaType: "application/pdf", source: { type: "base64", base64 }, ...fields }])
  const long = "A".repeat(400_000)
  const imagePrice = (family: Family, width: number, height: number) =>
    priceOf(image("A", { width, height }), family) - framing.message

  it("does not depend on the bytes [MEDIA-1 OPPOSITES-5a]", () => {
    for (const family of families) {
      assert.strictEqual(priceOf(image(long), family), priceOf(image("A"), family))
      assert.strictEqual(priceOf(file(long), family), priceOf(file("A"), family))
    }
  })

  it("is OpenAI's for its families: its own two examples", () => {
    for (const family of ["o200k", "cl100k"] as const) {
      assert.strictEqual(imagePrice(family, 1024, 1024), 765)
      assert.strictEqual(imagePrice(family, 2048, 4096), 1105)
      assert.strictEqual(imagePrice(family, 100, 100), 255)
    }
  })

  it("is Anthropic's for Claude and for families without a rule of their own, with its cap", () => {
    for (const family of ["claude", "deepseek_v3", "llama3", "tekken", "generic"] as const) {
      assert.strictEqual(imagePrice(family, 300, 250), 100)
      assert.strictEqual(imagePrice(family, 9000, 9000), 1600)
      assert.strictEqual(priceOf(image(long), family) - framing.message, 1600)
    }
  })

  it("is Google's and Qwen's for theirs", () => {
    assert.strictEqual(imagePrice("gemma3", 384, 384), 258)
    assert.strictEqual(imagePrice("gemma3", 960, 540), 258 * 6)
    assert.strictEqual(imagePrice("gemma3", 20_000, 1), 258 * 6)
    assert.strictEqual(imagePrice("qwen3", 280, 56), 20)
    assert.strictEqual(imagePrice("qwen3", 1, 1), 4)
    assert.strictEqual(imagePrice("qwen3", 90_000, 90_000), 16_384)
  })

  it("is the same inside of a tool result [MEDIA-7]", () => {
    const content = [{ type: "image", source: { type: "base64", base64: long } }] as const
    assert.strictEqual(
      priceOf(Message.toolResult({ id: "i", name: "shot", content })),
      framing.message + framing.toolResult + 1600
    )
  })

  it("of a document goes by its pages", () => {
    assert.strictEqual(priceOf(file(long, { pages: 3 })), framing.message + 4500)
    assert.strictEqual(priceOf(file(long)), framing.message + 1500)
  })

  it("of a text file that is sent inline is that of its text", () => {
    const text = "Grüße an alle, die dies lesen. ".repeat(40)
    const mediaType = "text/plain"
    assert.strictEqual(
      priceOf(file(Buffer.from(text).toString("base64"), { mediaType })),
      2 * framing.message + countText(text)
    )
    assert.strictEqual(priceOf(file("not base64!", { mediaType })), framing.message + 1500)
  })
})

describe("the price of an envelope", () => {
  it("is that of system, tools and prefix, each on its own; an absent one costs nothing [A17 MEASURE-1 MEASURE-5]", () => {
    const tool = { name: "read", description: "Reads a file", parameters: { type: "object" } }
    const text = countText("some text")
    const bare = envelopePriceOf({ route })
    assert.strictEqual(bare, framing.request)
    assert.strictEqual(envelopePriceOf({ route, system: "", tools: [], prefix: [] }), bare)
    assert.strictEqual(envelopePriceOf({ route, system: "some text" }), bare + framing.message + text)
    assert.strictEqual(
      envelopePriceOf({ route, tools: [tool, tool] }) - bare,
      2 * (envelopePriceOf({ route, tools: [tool] }) - bare)
    )
    assert.strictEqual(envelopePriceOf({ route, prefix: [Message.user("some text")] }), bare + framing.message + text)
  })

  it("holds a tool as the adapter sends it, and does not see the order of keys", () => {
    const tool = (parameters: unknown) => envelopePriceOf({ route, tools: [{ name: "t", parameters }] })
    assert.strictEqual(tool({ a: "1x", b: ["y"], c: 2 }), tool({ c: 2, b: ["y"], a: "1x" }))
    assert.strictEqual(
      tool({}),
      framing.request + countText('{"function":{"name":"t","parameters":{}},"type":"function"}')
    )
  })
})
