import "@effect/ai-anthropic/AnthropicLanguageModel"
import "@effect/ai-openai/OpenAiLanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as PromptMessage from "../../src/ai/PromptMessage.ts"
import { appending } from "../../src/compaction/drafts.ts"
import * as Message from "../../src/session/Message.ts"
import * as SessionEvent from "../../src/session/SessionEvent.ts"

const bytes = Uint8Array.of(137, 80, 78, 71, 0, 255)

/** A prompt with everything that a provider package puts into one. */
const prompt = Prompt.make([
  { role: "system", content: "You are terse." },
  { role: "system", content: "Today is Monday.", options: { anthropic: { cacheControl: { type: "ephemeral" } } } },
  { role: "user", content: "hi", options: { anthropic: { cacheControl: { type: "ephemeral" } } } },
  {
    role: "user",
    content: [
      { type: "text", text: "look", options: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      { type: "file", mediaType: "image/png", data: bytes, options: { openai: { imageDetail: "high" } } },
      { type: "file", mediaType: "image/*", data: new URL("https://example.test/a.png?x=1") },
      { type: "file", mediaType: "image/jpeg", data: "iVBORw0KGgo=" },
      { type: "file", mediaType: "application/pdf", fileName: "a.pdf", data: "file-abc123" },
      { type: "file", mediaType: "application/pdf", data: "https://example.test/a.pdf" },
      { type: "file", mediaType: "text/plain", fileName: "notes.txt", data: "just words, ä" },
      { type: "file", mediaType: "image/png", fileName: "named.png", data: bytes }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", options: { anthropic: { type: "thinking", signature: "c2ln" } } },
      { type: "reasoning", text: "", options: { anthropic: { type: "redacted_thinking", redactedData: "ZGF0YQ==" } } },
      { type: "reasoning", text: "so", options: { openai: { itemId: "rs_1", encryptedContent: "x".repeat(100) } } },
      { type: "reasoning", text: "unsealed" },
      { type: "text", text: "I look", options: { openai: { itemId: "msg_1" } } },
      { type: "tool-call", id: "a", name: "read", params: { path: "x" }, options: { openai: { itemId: "fc_1" } } },
      {
        type: "tool-call",
        id: "b",
        name: "run",
        params: "not an object",
        options: { google: { thoughtSignature: "t" } }
      },
      { type: "tool-call", id: "s", name: "AnthropicWebSearch", params: { query: "q" }, providerExecuted: true },
      {
        type: "tool-result",
        id: "s",
        name: "AnthropicWebSearch",
        isFailure: false,
        result: [{ url: "u" }],
        providerExecuted: true
      }
    ],
    options: { chat: { messageId: "m1" } }
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        id: "a",
        name: "read",
        isFailure: false,
        result: { b: [1, "2", null], a: {} },
        providerExecuted: false
      },
      {
        type: "tool-result",
        id: "b",
        name: "run",
        isFailure: true,
        result: '{"looks":"like JSON"}',
        providerExecuted: false
      }
    ],
    options: { anthropic: { cacheControl: { type: "ephemeral" } } }
  },
  { role: "assistant", content: "done" },
  { role: "assistant", content: [{ type: "tool-call", id: "c", name: "noop", params: {} }] },
  {
    role: "tool",
    content: [
      { type: "tool-result", id: "c", name: "noop", isFailure: false, result: undefined, providerExecuted: false }
    ]
  }
])

const said = (prompt: Prompt.Prompt) => prompt.content.filter(({ role }) => role !== "system")

/** As the log has it: through the events that append it, and through JSON. */
const logged = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> =>
  appending([], messages, "prompt").map((draft) => {
    const counts = { estimator: "e", values: [1] }
    const event = { type: draft.type, data: { ...draft.data, counts } } as SessionEvent.SurfaceBody
    const stored = JSON.parse(JSON.stringify(Schema.encodeSync(SessionEvent.Body)(event)))
    return SessionEvent.messageOf(Schema.decodeUnknownSync(SessionEvent.Body)(stored) as SessionEvent.SurfaceBody)
  })

describe("PromptMessage", () => {
  it("gives every message back as it came, through a log too", () => {
    const { messages, system } = PromptMessage.decode(prompt)
    assert.strictEqual(system, "You are terse.\n\nToday is Monday.")
    assert.deepStrictEqual(PromptMessage.encodeMessages(messages), said(prompt))
    assert.deepStrictEqual(PromptMessage.encodeMessages(logged(messages)), said(prompt))
  })

  it("has our own blocks where we have them", () => {
    const { messages } = PromptMessage.decode(prompt)
    const [, look, answer, first, second] = messages
    assert.deepStrictEqual(
      look?.content.map((block) => (block.type === "image" || block.type === "file" ? block.source : block.type)),
      [
        "text",
        { type: "base64", base64: "iVBORwD/" },
        { type: "url", url: "https://example.test/a.png?x=1" },
        { type: "base64", base64: "iVBORw0KGgo=" },
        { type: "blob", blob: "file-abc123" },
        { type: "url", url: "https://example.test/a.pdf" },
        { type: "base64", base64: "anVzdCB3b3Jkcywgw6Q=" },
        { type: "base64", base64: "iVBORwD/" }
      ]
    )
    assert.deepStrictEqual(answer?.content.slice(0, 2), [
      { type: "reasoning", text: "hm", signature: "c2ln" },
      { type: "reasoning", text: "", redacted: "ZGF0YQ==" }
    ])
    assert.deepStrictEqual(
      Message.toolCalls(answer!).map(({ arguments: args, id }) => [id, args]),
      [
        ["a", { path: "x" }],
        ["b", "not an object"]
      ]
    )
    assert.deepStrictEqual(
      [first, second].map((message) => Message.toolResults(message!)[0]),
      [
        { type: "tool-result", id: "a", name: "read", content: [Message.textBlock('{"b":[1,"2",null],"a":{}}')] },
        {
          type: "tool-result",
          id: "b",
          name: "run",
          content: [Message.textBlock('{"looks":"like JSON"}')],
          isError: true
        }
      ]
    )
  })

  it("keeps the options of the blocks that a compaction left, and an object that was cut stays one", () => {
    const { messages } = PromptMessage.decode(prompt)
    const cut = messages.map((message): Message.Message => {
      if (message.role === "tool") {
        const [result] = Message.toolResults(message)
        return { ...message, content: [{ ...result!, content: [Message.textBlock('{"b":[… cut …]')] }] }
      }
      return {
        ...message,
        content: message.content.map((block) => (block.type === "image" ? Message.textBlock("[image]") : block))
      }
    })
    const [, look, , results] = PromptMessage.encodeMessages(cut)
    assert.deepStrictEqual(look?.content[0], said(prompt)[1]?.content[0])
    assert.deepStrictEqual(look?.content[1], Prompt.makePart("text", { text: "[image]" }))
    assert.deepStrictEqual(results?.role === "tool" ? results.content.map(({ result }) => result) : [], [
      { output: '{"b":[… cut …]' },
      '{"b":[… cut …]'
    ])
  })

  it("gives images and files of ours as bytes and URLs, and names those in results", () => {
    const image: Message.ImageBlock = { type: "image", source: { type: "base64", base64: "iVBORwD/" } }
    const [user, , tool] = PromptMessage.encodeMessages([
      Message.user([
        image,
        {
          type: "file",
          source: { type: "url", url: "https://example.test/a.pdf" },
          mediaType: "application/pdf",
          name: "a"
        },
        { type: "image", source: { type: "url", url: "not a url" }, mediaType: "image/png" }
      ]),
      Message.assistant([Message.toolCall("a", "shot", {}), { type: "unknown", value: { from: "another provider" } }]),
      Message.toolResult({ id: "a", name: "shot", content: [Message.textBlock("see"), image] })
    ])
    assert.deepStrictEqual(user?.content, [
      Prompt.makePart("file", { mediaType: "image/*", data: bytes }),
      Prompt.makePart("file", {
        mediaType: "application/pdf",
        fileName: "a",
        data: new URL("https://example.test/a.pdf")
      }),
      Prompt.makePart("file", { mediaType: "image/png", data: "not a url" })
    ])
    assert.deepStrictEqual(tool?.role === "tool" ? tool.content[0]?.result : undefined, "see\n[image]")
  })

  it("lets the user begin what an answer would begin", () => {
    const begun = (...roles: ReadonlyArray<"system" | "user" | "assistant">) =>
      PromptMessage.begunByUser(Prompt.make(roles.map((role) => ({ role, content: "x" })))).content.map(
        ({ role }) => role
      )
    assert.deepStrictEqual(begun("system", "assistant", "user"), ["system", "user", "assistant", "user"])
    assert.deepStrictEqual(begun("system", "user", "assistant"), ["system", "user", "assistant"])
    assert.deepStrictEqual(begun("system"), ["system"])
  })

  it("takes metadata that somebody else wrote under its key as none", () => {
    const message: Message.Message = { ...Message.user("a"), metadata: { "effect-ai": { parts: "no" } } }
    assert.deepStrictEqual(PromptMessage.encodeMessages([message]), Prompt.make("a").content)
  })

  it("gives any message back", () => {
    const json = FastCheck.jsonValue({ maxDepth: 3 })
    const options = FastCheck.dictionary(
      FastCheck.constantFrom("anthropic", "openai", "google"),
      FastCheck.dictionary(FastCheck.constantFrom("type", "signature", "redactedData", "itemId"), FastCheck.string(), {
        minKeys: 1
      })
    ) as FastCheck.Arbitrary<Prompt.ProviderOptions>
    const text = FastCheck.tuple(FastCheck.string(), options).map(([text, options]) =>
      Prompt.makePart("text", { text, options })
    )
    const reasoning = FastCheck.tuple(FastCheck.string(), options).map(([text, options]) =>
      Prompt.makePart("reasoning", { text, options } as never)
    )
    const file = FastCheck.tuple(
      FastCheck.constantFrom("image/png", "image/*", "application/pdf", "text/plain"),
      FastCheck.oneof(
        FastCheck.uint8Array(),
        FastCheck.string(),
        FastCheck.base64String(),
        FastCheck.webUrl().map((url) => new URL(url))
      ),
      FastCheck.option(FastCheck.string(), { nil: undefined }),
      options
    ).map(([mediaType, data, fileName, options]) =>
      Prompt.makePart("file", { mediaType, data, ...(fileName === undefined ? {} : { fileName }), options })
    )
    const message = FastCheck.oneof(
      FastCheck.tuple(FastCheck.array(FastCheck.oneof(text, file), { minLength: 1 }), options).map(
        ([content, options]) => Prompt.makeMessage("user", { content, options })
      ),
      FastCheck.tuple(FastCheck.array(FastCheck.oneof(text, reasoning, file), { minLength: 1 }), options).map(
        ([content, options]) => Prompt.makeMessage("assistant", { content, options })
      )
    )
    const called = FastCheck.tuple(json, FastCheck.array(json, { minLength: 1, maxLength: 3 }), options).map(
      ([params, results, options]): ReadonlyArray<Prompt.Message> => [
        Prompt.makeMessage("assistant", {
          content: results.map((_, i) =>
            Prompt.makePart("tool-call", { id: `c${i}`, name: "t", params, providerExecuted: false, options })
          )
        }),
        Prompt.makeMessage("tool", {
          content: results.map((result, i) =>
            Prompt.makePart("tool-result", {
              id: `c${i}`,
              name: "t",
              result,
              isFailure: i > 0,
              providerExecuted: false,
              options
            })
          ),
          options
        })
      ]
    )
    const conversation = FastCheck.array(
      FastCheck.oneof(
        message.map((one) => [one]),
        called
      ),
      { maxLength: 4 }
    )
    FastCheck.assert(
      FastCheck.property(conversation, (turns) => {
        const messages = turns.flat()
        const { messages: ours } = PromptMessage.decode(Prompt.fromMessages(messages))
        assert.deepStrictEqual(PromptMessage.encodeMessages(ours), messages)
        assert.deepStrictEqual(PromptMessage.encodeMessages(logged(ours)), messages)
      })
    )
  })

  it("reads whatever a prompt may hold without failing", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(Arbitrary.make(Schema.typeSchema(Prompt.Message))), (messages) => {
        const { messages: ours } = PromptMessage.decode(Prompt.fromMessages(messages))
        for (const message of ours) assert.isTrue(Schema.is(Message.Message)(message))
        logged(ours)
      }),
      { numRuns: 30 }
    )
  })
})
