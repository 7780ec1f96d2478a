import type * as Prompt from "@effect/ai/Prompt"
import * as Response from "@effect/ai/Response"
import { assert, describe, it } from "@effect/vitest"
import * as ResponseMessages from "../../src/ai/responseMessages.ts"
import { isStrict } from "../../src/ai/strictSchema.ts"

const messagesOf = (...parts: ReadonlyArray<Response.AnyPart>) => {
  const said = ResponseMessages.make()
  for (const part of parts) said.add(part)
  return { messages: said.messages(), partial: said.partial() }
}

const contentOf = (message: Prompt.Message | undefined): ReadonlyArray<Prompt.Part> =>
  message === undefined || typeof message.content === "string" ? [] : message.content

const reasoning = (encryptedContent: string | undefined) => [
  Response.makePart("reasoning-start", { id: "r", metadata: { openai: { itemId: "rs" } } as never }),
  Response.makePart("reasoning-delta", { id: "r", delta: "so", metadata: {} }),
  Response.makePart("reasoning-end", { id: "r", metadata: { openai: { itemId: "rs", encryptedContent } } as never }),
  Response.makePart("text-start", { id: "t", metadata: { openai: { itemId: "msg" } } as never }),
  Response.makePart("text-delta", { id: "t", delta: "an", metadata: {} }),
  Response.makePart("text-delta", { id: "t", delta: "swer", metadata: {} })
]

describe("responseMessages", () => {
  it("keeps what was sealed, and ids of OpenAI only beside it", () => {
    const options = (encrypted: string | undefined) =>
      contentOf(messagesOf(...reasoning(encrypted)).messages[0]).map((part) => part.options)
    assert.deepStrictEqual(options("enc"), [
      { openai: { itemId: "rs", encryptedContent: "enc" } },
      { openai: { itemId: "msg" } }
    ])
    assert.deepStrictEqual(options(undefined), [{}, {}])
  })

  it("has the text of an answer that did not end, and no more of it when it was cut", () => {
    const { messages, partial } = messagesOf(
      ...reasoning("enc"),
      Response.makePart("tool-call", { id: "1", name: "read", params: {}, providerExecuted: false, metadata: {} })
    )
    const types = (list: ReadonlyArray<Prompt.Message>) => list.flatMap(contentOf).map(({ type }) => type)
    assert.deepStrictEqual(types(messages), ["reasoning", "text", "tool-call"])
    assert.deepStrictEqual(
      partial.flatMap(contentOf).map((part) => (part.type === "text" ? part.text : part.type)),
      ["answer"]
    )
  })

  it("names what the provider ran as its package knows it, and a tool of its making as the provider does", () => {
    const call = (name: string, providerName: string, providerExecuted: boolean) =>
      Response.makePart("tool-call", { id: name, name, params: {}, providerName, providerExecuted, metadata: {} })
    const { messages } = messagesOf(
      call("AnthropicWebSearch", "web_search", true),
      call("AnthropicBash", "bash", false)
    )
    assert.deepStrictEqual(
      contentOf(messages[0]).map((part) => (part.type === "tool-call" ? part.name : part.type)),
      ["AnthropicWebSearch", "bash"]
    )
  })

  it("is no message where nothing was said", () => {
    const end = Response.makePart("text-end", { id: "t", metadata: {} })
    assert.deepStrictEqual(messagesOf(Response.makePart("text-start", { id: "t", metadata: {} }), end).messages, [])
  })
})

describe("isStrict", () => {
  it("wants every object closed, and all its properties required", () => {
    const object = (more: object) => ({ type: "object", properties: { a: { type: "string" } }, ...more })
    const closed = object({ required: ["a"], additionalProperties: false })
    assert.isTrue(isStrict(closed))
    assert.isFalse(isStrict(object({ required: ["a"] })))
    assert.isFalse(isStrict(object({ additionalProperties: false })))
    assert.isTrue(isStrict({ type: "array", items: closed }))
    assert.isFalse(isStrict({ anyOf: [closed, object({})] }))
    assert.isFalse(isStrict({ ...closed, $defs: { b: object({}) } }))
    assert.isTrue(isStrict("no schema"))
  })
})
