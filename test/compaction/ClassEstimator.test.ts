import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import * as fs from "node:fs"
import { weights } from "../../src/compaction/CharacterClasses.ts"
import { classEstimator, countText, framing } from "../../src/compaction/ClassEstimator.ts"
import * as TokenEstimator from "../../src/compaction/TokenEstimator.ts"
import * as Message from "../../src/session/Message.ts"

const route = { provider: "p", model: "m" }
const priceOf = (message: Message.Message): number =>
  TokenEstimator.tokens(classEstimator.message(message), classEstimator.weights(route))
const envelopePriceOf = (envelope: Parameters<typeof classEstimator.envelope>[0]): number =>
  TokenEstimator.tokens(classEstimator.envelope(envelope), classEstimator.weights(route))

/** Any text: each class, runs of them, lone surrogates. */
const anyText = FastCheck.oneof(
  FastCheck.string({ unit: FastCheck.constantFrom("\n", "a", "1", " ", ";", "é"), maxLength: 4 }),
  FastCheck.string({ unit: "binary", maxLength: 60 }),
  FastCheck.array(
    FastCheck.oneof(
      FastCheck.constantFrom(
        "word",
        "getHTTPName",
        "ABC",
        "é",
        " ",
        "  ",
        "\n",
        "\t",
        "};",
        "----",
        "\ud83d",
        "\ude00"
      ),
      FastCheck.constantFrom(
        "漢字",
        "かな",
        "한글",
        "привет",
        "مرحبا",
        "नम",
        "😀",
        "…",
        "a1B2c3D4e5F6g7H8",
        "42",
        "\u0000"
      )
    ),
    { maxLength: 30 }
  ).map((parts) => parts.join(""))
)

describe("countText", () => {
  it.prop("is whole, at most the bytes, and 0 for nothing alone", [anyText], ([text]) => {
    const tokens = countText(text)
    assert.isTrue(Number.isSafeInteger(tokens))
    assert.isAtMost(tokens, new TextEncoder().encode(text).length)
    assert.strictEqual(tokens === 0, text === "")
  })

  it.prop("never falls when text is appended", [anyText], ([text]) => {
    let before = 0
    for (let end = 1; end <= text.length; end++) {
      const tokens = countText(text.slice(0, end))
      assert.isAtLeast(tokens, before, JSON.stringify(text.slice(0, end)))
      before = tokens
    }
  })

  it("keeps the price of a hash that goes on as a word", () => {
    const hash = "abCdefGhiJklmNopQrstUvwXyz"
    for (let letters = 0; letters < 80; letters++) {
      assert.isAtLeast(countText(hash + "z".repeat(letters)), countText(hash))
    }
  })

  it("has no negative weight, on which both properties rest", () => {
    for (const weight of Object.values(weights)) assert.isAtLeast(weight, 0)
  })

  const read = (path: string) => fs.readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), "utf8")
  const diagnostics = (language: string) =>
    Object.values(JSON.parse(read(`typescript/lib/${language}/diagnosticMessages.generated.json`))).join("\n")
  let random = 1
  const byte = () => (random = (random * 48271) % 2147483647) & 255
  const bytes = Buffer.from(Array.from({ length: 6000 }, byte))
  const texts: ReadonlyArray<readonly [kind: string, text: string, off: number]> = [
    ["a README", read("effect/README.md"), 0.12],
    ["another README", read("vitest/LICENSE.md"), 0.12],
    ["TypeScript", read("effect/src/Schedule.ts").slice(0, 60_000), 0.12],
    ["JavaScript", read("prettier/doc.mjs").slice(0, 60_000), 0.12],
    ["declarations", read("@types/node/fs.d.ts").slice(0, 60_000), 0.12],
    ["JSON", read("effect/package.json").slice(0, 40_000), 0.12],
    ["JSON in one line", JSON.stringify(JSON.parse(read("effect/package.json"))).slice(0, 40_000), 0.12],
    ["a tool call's source in JSON", JSON.stringify({ content: read("effect/src/Either.ts").slice(0, 20_000) }), 0.12],
    ["Chinese", diagnostics("zh-cn"), 0.12],
    ["Japanese", diagnostics("ja"), 0.12],
    ["Korean", diagnostics("ko"), 0.12],
    ["Russian", diagnostics("ru"), 0.12],
    ["German", diagnostics("de"), 0.12],
    ["French", diagnostics("fr"), 0.12],
    ["base64", bytes.toString("base64"), 0.12],
    ["hex", bytes.toString("hex"), 0.25]
  ]
  for (const [kind, text, off] of texts) {
    it(`is within ${off * 100} % of o200k on ${kind}`, () => {
      assert.isAtMost(Math.abs(countText(text) / countTokens(text) - 1), off)
    })
  }
})

describe("classEstimator.message", () => {
  it("prices each kind of block", () => {
    const call = Message.toolCall("id", "bash", { a: 1 })
    assert.strictEqual(priceOf(Message.user("abcd")), framing.message + 1)
    assert.strictEqual(priceOf(Message.assistant([{ type: "reasoning", text: "abcd" }])), framing.message + 1)
    assert.strictEqual(
      priceOf(Message.assistant([call])),
      framing.message + framing.toolCall + countText("bash") + countText('{"a":1}')
    )
    assert.strictEqual(
      priceOf(Message.toolResult({ id: "id", name: "bash", content: "abcd" })),
      framing.message + framing.toolResult + 1
    )
    assert.strictEqual(
      priceOf(Message.user([{ type: "unknown", value: { kind: "audio" } }])),
      framing.message + countText('{"kind":"audio"}')
    )
  })

  it("counts encrypted reasoning and arguments that did not parse", () => {
    const redacted = { type: "reasoning", text: "", redacted: "A".repeat(1600) } as const
    assert.strictEqual(priceOf(Message.assistant([redacted])), framing.message + 300)
    assert.isAbove(
      priceOf(Message.assistant([Message.toolCall("i", "n", '{"a": tru')])),
      priceOf(Message.assistant([]))
    )
  })

  it("costs nothing for an assistant that said nothing, and only for that", () => {
    assert.strictEqual(priceOf(Message.assistant([])), 0)
    assert.strictEqual(priceOf(Message.assistant("")), 0)
    assert.strictEqual(priceOf(Message.user([])), framing.message)
  })

  it("prices media by their own rule, never by their bytes", () => {
    const image = (base64: string, size: { width?: number; height?: number } = {}) =>
      Message.user([{ type: "image", source: { type: "base64", base64 }, ...size }])
    const file = (base64: string, pages?: number) =>
      Message.user([
        {
          type: "file",
          mediaType: "application/pdf",
          source: { type: "base64", base64 },
          ...(pages === undefined ? {} : { pages })
        }
      ])
    const long = "A".repeat(400_000)
    assert.strictEqual(priceOf(image("A", { width: 300, height: 250 })), framing.message + 100)
    assert.strictEqual(priceOf(image(long, { width: 300, height: 250 })), framing.message + 100)
    assert.strictEqual(priceOf(image(long, { width: 9000, height: 9000 })), framing.message + 1600)
    assert.strictEqual(priceOf(image(long)), framing.message + 1600)
    assert.strictEqual(priceOf(file(long, 3)), framing.message + 4500)
    assert.strictEqual(priceOf(file("A")), priceOf(file(long)))
  })

  it("prices media inside a tool result the same", () => {
    const content = [{ type: "image", source: { type: "base64", base64: "A".repeat(90_000) } }] as const
    assert.strictEqual(
      priceOf(Message.toolResult({ id: "i", name: "shot", content })),
      framing.message + framing.toolResult + 1600
    )
  })

  it("prices a text file that is sent inline by its text", () => {
    const text = "Grüße an alle, die dies lesen. ".repeat(40)
    const file = (base64: string) =>
      Message.user([{ type: "file", mediaType: "text/plain", source: { type: "base64", base64 } }])
    assert.strictEqual(priceOf(file(Buffer.from(text).toString("base64"))), 2 * framing.message + countText(text))
    assert.strictEqual(priceOf(file("not base64!")), framing.message + framing.page)
  })

  it("bounds blocks of unknown kind and survives what is no JSON", () => {
    const circular: Record<string, unknown> = {}
    circular["self"] = circular
    const unknown = (value: unknown) => Message.user([{ type: "unknown", value }])
    assert.strictEqual(priceOf(unknown({ data: "A1b2".repeat(90_000) })), framing.message + framing.unknown)
    for (const value of [circular, 10n, undefined, () => 1])
      assert.strictEqual(priceOf(unknown(value)), framing.message)
    assert.isAbove(priceOf(Message.assistant([Message.toolCall("i", "n", circular)])), 0)
  })

  it.prop("prices a message as the sum of its blocks", [FastCheck.array(anyText, { maxLength: 5 })], ([texts]) => {
    assert.strictEqual(
      priceOf(Message.user(texts.map(Message.textBlock))),
      texts.reduce<number>((sum, text) => sum + countText(text), framing.message)
    )
  })
})

describe("classEstimator.envelope", () => {
  it("prices system, tools and prefix, each on its own; an absent one costs nothing", () => {
    const tool = { name: "read", description: "Reads a file", parameters: { type: "object" } }
    const bare = envelopePriceOf({ route })
    assert.strictEqual(bare, framing.request)
    assert.strictEqual(envelopePriceOf({ route, system: "", tools: [], prefix: [] }), bare)
    assert.strictEqual(envelopePriceOf({ route, system: "abcd" }), bare + framing.message + 1)
    assert.strictEqual(
      envelopePriceOf({ route, tools: [tool, tool] }) - bare,
      2 * (envelopePriceOf({ route, tools: [tool] }) - bare)
    )
    assert.strictEqual(envelopePriceOf({ route, prefix: [Message.user("abcd")] }), bare + framing.message + 1)
  })

  it("does not see the order of keys", () => {
    const tool = (parameters: unknown) => envelopePriceOf({ route, tools: [{ name: "t", parameters }] })
    assert.strictEqual(tool({ a: "1x", b: ["y"], c: 2 }), tool({ c: 2, b: ["y"], a: "1x" }))
  })
})
