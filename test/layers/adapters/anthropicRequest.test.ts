import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { CacheOptions } from "../../../src/layers/adapters/anthropicCache.ts"
import * as Names from "../../../src/layers/adapters/anthropicNames.ts"
import { betasOf, type BodyOptions, encodeBody } from "../../../src/layers/adapters/anthropicRequest.ts"
import type { Fields } from "../../../src/layers/adapters/looseJson.ts"
import type { ModelRequest } from "../../../src/services/ModelAdapter.ts"
import type { Envelope } from "../../../src/session/Envelope.ts"
import * as Message from "../../../src/session/Message.ts"

const route = { provider: "anthropic", model: "claude-opus-4-6" }
const options: BodyOptions = { cache: false, outputLimit: undefined, dropsStaleThinking: false }
const request = (
  messages: ReadonlyArray<Message.Message>,
  envelope: Omit<Envelope, "route"> = {},
  more: Partial<ModelRequest> = {}
): ModelRequest => ({ id: "s/1", generation: 0, envelope: { route, ...envelope }, messages, ...more })
const body = (...given: Parameters<typeof request>) => encodeBody(request(...given), options)
const turns = (messages: ReadonlyArray<Message.Message>) =>
  body(messages)["messages"] as ReadonlyArray<{ role: string; content: ReadonlyArray<Fields> }>
const content = (message: Message.Message) => turns([Message.user("go"), message]).at(-1)?.content

const says = (text: string) => ({ type: "text", text })
const result = (id: string, text: string, more = {}) => Message.toolResult({ id, name: "read", content: text, ...more })
const png = "iVBORw0KGgoAAAA"
const signed = (text: string, provider = "anthropic") =>
  ({ type: "reasoning", text, signature: `sig ${text}`, provider }) as const

describe("the body of a request to Anthropic's messages", () => {
  it("has the system prompt and the tools in its own form, and the settings beside them", () => {
    const encoded = body([Message.user("Hello")], {
      system: "Be terse.",
      prefix: [Message.user("It is Monday.")],
      maxOutputTokens: 40,
      settings: { temperature: 0.5, stream: false, messages: [], system: "no", max_tokens: 7 },
      tools: [
        { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
        { name: "list.files", parameters: undefined }
      ]
    })
    assert.deepStrictEqual(encoded, {
      model: "claude-opus-4-6",
      tools: [
        { name: "read", description: "Reads.", input_schema: { type: "object", properties: {} } },
        { name: "x-list-2e-files", input_schema: { type: "object" } }
      ],
      system: [says("Be terse.")],
      messages: [{ role: "user", content: [says("It is Monday."), says("Hello")] }],
      temperature: 0.5,
      max_tokens: 40,
      stream: true
    })
    assert.notProperty(body([], { system: " ", tools: [] }), "system")
    assert.notProperty(body([], { system: " ", tools: [] }), "tools")
  })

  it("puts what may differ from request to request behind the messages", () => {
    const settings = { temperature: 0.5, thinking: { type: "adaptive" } }
    const tools = [{ name: "read", parameters: {} }]
    assert.deepStrictEqual(Object.keys(body([], { system: "s", tools, settings }, { toolUse: "none" })), [
      "model",
      "tools",
      "system",
      "messages",
      "temperature",
      "thinking",
      "tool_choice",
      "max_tokens",
      "stream"
    ])
  })

  it("always says how much may come: the request's, the setting's, the model's, or a default", () => {
    const asked = (envelope: Omit<Envelope, "route">, outputLimit?: number) =>
      encodeBody(request([], envelope), { ...options, outputLimit })["max_tokens"]
    assert.deepStrictEqual(
      [
        asked({ maxOutputTokens: 5, settings: { max_tokens: 6 } }, 7),
        asked({ settings: { max_tokens: 6 } }, 7),
        asked({ settings: { max_tokens: "many" } }, 7),
        asked({})
      ],
      [5, 6, 7, 8_192]
    )
  })

  it("puts the results of parallel calls into one message, before what the user says [SHAPE-3]", () => {
    const calls = [Message.toolCall("a", "read", { path: "x" }), Message.toolCall("b", "read", "no {json")]
    assert.deepStrictEqual(
      turns([
        Message.user("look"),
        Message.assistant([Message.textBlock("I look."), ...calls]),
        result("a", "one"),
        result("b", "", { isError: true }),
        Message.user("and hurry"),
        Message.user("please")
      ]).slice(1),
      [
        {
          role: "assistant",
          content: [
            says("I look."),
            { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
            { type: "tool_use", id: "b", name: "read", input: { arguments: "no {json" } }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: [says("one")] },
            { type: "tool_result", tool_use_id: "b", content: [says("[the tool failed]")], is_error: true },
            says("and hurry"),
            says("please")
          ]
        }
      ]
    )
    const mixed: Message.Message = { role: "user", content: [Message.textBlock("said"), ...result("a", "1").content] }
    assert.deepStrictEqual(
      content(mixed)?.map(({ type }) => type),
      ["tool_result", "text", "text"]
    )
  })

  it("has no texts that say nothing, and no answers that end in white space to go on with", () => {
    assert.deepStrictEqual(turns([Message.user(""), Message.user(" \n"), Message.user("go")]), [
      { role: "user", content: [says("go")] }
    ])
    assert.deepStrictEqual(
      turns([Message.user("go"), Message.assistant("I go \n")]).map((turn) => turn.content[0]?.["text"]),
      ["go", "I go"]
    )
    // anywhere else an answer is the bytes that it was
    assert.deepStrictEqual(turns([Message.user("a"), Message.assistant("b \n"), Message.user("c")])[1]?.content, [
      says("b \n")
    ])
    assert.deepStrictEqual(turns([result("a", " ")])[0]?.content, [{ type: "tool_result", tool_use_id: "a" }])
  })

  it("begins with a message of the user", () => {
    assert.deepStrictEqual(
      turns([Message.assistant("hello")]).map(({ role }) => role),
      ["user", "assistant"]
    )
  })

  it("carries what the API reads of images and files, in results too, and names the rest [A126]", () => {
    const media: ReadonlyArray<Message.ResultBlock> = [
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
      // the bytes say what they are
      { type: "image", source: { type: "base64", base64: png }, mediaType: "image/jpeg" },
      { type: "image", source: { type: "url", url: "data:image/jpg;base64,AAAA" } },
      { type: "image", source: { type: "base64", base64: "AAAA" }, mediaType: "image/svg+xml" },
      { type: "image", source: { type: "blob", blob: "b1" } },
      { type: "file", source: { type: "base64", base64: "JVBERi0x" }, name: "a.pdf" },
      { type: "file", source: { type: "url", url: "https://x.test/b.pdf" } },
      { type: "file", source: { type: "base64", base64: btoa("plain") }, mediaType: "text/plain" },
      { type: "file", source: { type: "base64", base64: "UEsD" }, name: "c.zip" }
    ]
    const sent = [
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } },
      says("[image image/svg+xml]"),
      says("[image b1]"),
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" }, title: "a.pdf" },
      { type: "document", source: { type: "url", url: "https://x.test/b.pdf" } },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } },
      says("[file c.zip]")
    ]
    assert.deepStrictEqual(turns([Message.user(media)])[0]?.content, sent)
    const shown = turns([Message.user("go"), Message.toolResult({ id: "c", name: "look", content: media })])
    assert.deepStrictEqual(shown[0]?.content[0], { type: "tool_result", tool_use_id: "c", content: sent })
    assert.deepStrictEqual(content(Message.assistant([media[1]!, Message.textBlock("see")])), [
      says("[image image/jpeg]"),
      says("see")
    ])
    // an error may hold nothing but text
    const failed = Message.toolResult({ id: "c", name: "look", content: media.slice(0, 1), isError: true })
    assert.deepStrictEqual(turns([failed])[0]?.content, [
      { type: "tool_result", tool_use_id: "c", content: [says("[the tool failed]"), sent[0]] }
    ])
  })

  it("keeps signed reasoning in its place, and none of anybody else's [REASON-2 REASON-3]", () => {
    const call = (id: string) => Message.toolCall(id, "read", {})
    const search = { type: "server_tool_use", id: "srv", name: "web_search", input: {} }
    assert.deepStrictEqual(
      content(
        Message.assistant([
          signed("first"),
          { type: "reasoning", text: "", redacted: "AAAA", provider: "anthropic" },
          { type: "unknown", value: search, provider: "anthropic" },
          call("a"),
          signed("between"),
          call("b"),
          // without a seal, of others, of nobody knows whom, and cut off
          { type: "reasoning", text: "open" },
          signed("foreign", "openai"),
          { type: "unknown", value: search },
          Message.textBlock("so"),
          signed("torn")
        ])
      ),
      [
        { type: "thinking", thinking: "first", signature: "sig first" },
        { type: "redacted_thinking", data: "AAAA" },
        search,
        { type: "tool_use", id: "a", name: "read", input: {} },
        { type: "thinking", thinking: "between", signature: "sig between" },
        { type: "tool_use", id: "b", name: "read", input: {} },
        says("so")
      ]
    )
    assert.lengthOf(turns([Message.user("go"), Message.assistant([signed("alone")])]), 1)
    // reasoning whose text was not shown is a seal alone
    assert.deepStrictEqual(content(Message.assistant([signed(""), Message.textBlock("yes")]))?.[0], {
      type: "thinking",
      thinking: "",
      signature: "sig "
    })
  })

  it("tells the API to leave out reasoning that a compaction made void, where a model binds it", () => {
    const thinking = (settings: Fields | undefined, dropsStaleThinking = true) =>
      encodeBody(request([], settings === undefined ? {} : { settings }), { ...options, dropsStaleThinking })
    const drop = { prefix_mismatch_behavior: "drop_block" }
    assert.deepStrictEqual(thinking(undefined)["thinking"], { type: "adaptive", block_binding: drop })
    assert.deepStrictEqual(thinking({ thinking: { type: "adaptive", display: "summarized" } })["thinking"], {
      type: "adaptive",
      display: "summarized",
      block_binding: drop
    })
    const own = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } }
    assert.deepStrictEqual(thinking({ thinking: own })["thinking"], own)
    assert.deepStrictEqual(thinking({ thinking: { type: "disabled" } })["thinking"], { type: "disabled" })
    assert.notProperty(thinking(undefined, false), "thinking")
    assert.deepStrictEqual(betasOf(thinking(undefined)), ["thinking-binding-controls-2026-08-01"])
    assert.deepStrictEqual(betasOf(thinking(undefined, false)), [])
  })
})

describe("names and ids in Anthropic's letters", () => {
  it("are the same for a call and its result, and never those of another", () => {
    const ids = ["call:1", "call-3a-1", "x-call-3a-1", "é", "toolu_1", "x-"]
    const encoded = ids.map(Names.encode)
    assert.deepStrictEqual(new Set(encoded).size, ids.length)
    assert.strictEqual(encoded[4], "toolu_1")
    const [asked, answered] = turns([
      Message.user("go"),
      Message.assistant([Message.toolCall("call:1", "fs.read", {})]),
      result("call:1", "1")
    ]).slice(1)
    assert.strictEqual(asked?.content[0]?.["id"], answered?.content[0]?.["tool_use_id"])
  })

  it("are different for calls that came with the same id, each with its own results", () => {
    const step = (...ids: ReadonlyArray<string>) => [
      Message.assistant(ids.map((id) => Message.toolCall(id, "read", {}))),
      ...ids.map((id) => result(id, id))
    ]
    const messages = [Message.user("go"), ...step("call_0", "call_1"), ...step("call_0"), ...step("call_0", "call_2")]
    const ids = turns(messages)
      .slice(1)
      .map(({ content }) => content.map((block) => block["id"] ?? block["tool_use_id"]))
    for (let i = 0; i < ids.length; i += 2) assert.deepStrictEqual(ids[i], ids[i + 1])
    const called = ids.filter((_, i) => i % 2 === 0).flat()
    assert.strictEqual(new Set(called).size, called.length)
    assert.deepStrictEqual(called.slice(0, 2), ["call_0", "call_1"])
    assert.deepStrictEqual(turns(messages.slice(0, 6)), turns(messages).slice(0, 5))
  })

  it("are read back, whatever they are", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary" }), (name) => {
        assert.match(Names.encode(name), /^[a-zA-Z0-9_-]+$/)
        assert.strictEqual(Names.decode(Names.encode(name)), name)
      })
    )
    assert.strictEqual(Names.decode("x-ray"), "x-ray")
  })
})

describe("a summary request to Anthropic's messages", () => {
  const tools = [{ name: "read", parameters: { type: "object" } }]
  const summary = (settings: Fields, maxOutputTokens = 4_096) =>
    body([], { tools, settings, maxOutputTokens }, { toolUse: "none" })

  const cached = (settings: Fields) =>
    encodeBody(request([], { tools, settings }, { toolUse: "none" }), { ...options, cache: { ttl: "5m" } })

  it("sends the tools and forbids their use, where that does not void the conversation's cache", () => {
    assert.deepStrictEqual(summary({})["tool_choice"], { type: "none" })
    assert.deepStrictEqual(summary({ tool_choice: { type: "any" } })["tool_choice"], { type: "none" })
    assert.deepStrictEqual(summary({})["tools"], body([], { tools })["tools"])
    assert.notProperty(body([], {}, { toolUse: "none" }), "tool_choice")
    assert.notProperty(cached({}), "tool_choice")
    assert.deepStrictEqual(cached({ tool_choice: { type: "any" } })["tool_choice"], { type: "none" })
    assert.deepStrictEqual(body([], { tools, settings: { tool_choice: { type: "any" } } })["tool_choice"], {
      type: "any"
    })
  })

  it("thinks less than it may say, or not at all [HEADROOM-7]", () => {
    const thinking = { type: "enabled", budget_tokens: 32_000 }
    assert.deepStrictEqual(summary({ thinking })["thinking"], { type: "enabled", budget_tokens: 2_048 })
    assert.deepStrictEqual(summary({ thinking }, 1_500)["thinking"], { type: "disabled" })
    assert.deepStrictEqual(summary({ thinking }, 40_000)["thinking"], thinking)
    assert.deepStrictEqual(summary({ thinking: { type: "adaptive" } })["thinking"], { type: "adaptive" })
    assert.deepStrictEqual(body([], { settings: { thinking } })["thinking"], thinking)
  })

  it("has room to think beside its cap, as far as the model's output limit goes", () => {
    const asked = (settings: Fields, outputLimit: number, dropsStaleThinking = false) => {
      const given = request([], { settings, maxOutputTokens: 4_096 }, { toolUse: "none" })
      const { max_tokens, thinking } = encodeBody(given, { ...options, outputLimit, dropsStaleThinking })
      return { max_tokens, thinking }
    }
    const thinking = { type: "enabled", budget_tokens: 32_000 }
    assert.deepStrictEqual(asked({ thinking }, 64_000), { max_tokens: 36_096, thinking })
    assert.deepStrictEqual(asked({ thinking }, 8_000), {
      max_tokens: 8_000,
      thinking: { type: "enabled", budget_tokens: 4_000 }
    })
    assert.deepInclude(asked({ thinking: { type: "adaptive" } }, 64_000), { max_tokens: 12_288 })
    assert.deepInclude(asked({}, 64_000, true), { max_tokens: 12_288 })
    assert.deepInclude(asked({}, 64_000), { max_tokens: 4_096 })
    assert.deepInclude(asked({ thinking }, 2_000), { max_tokens: 4_096 })
  })

  it("is plain text and not cut by what ends the conversation's answers", () => {
    const settings = { stop_sequences: ["##"], output_config: { effort: "low", format: { type: "json_schema" } } }
    assert.notProperty(summary(settings), "stop_sequences")
    assert.deepStrictEqual(summary(settings)["output_config"], { effort: "low" })
    assert.deepStrictEqual(body([], { settings })["output_config"], settings.output_config)
  })
})

describe("the breakpoints of the cache", () => {
  const cached = (
    messages: ReadonlyArray<Message.Message>,
    more: Partial<ModelRequest> = {},
    ttl: CacheOptions["ttl"] = "5m"
  ) =>
    encodeBody(
      request(
        messages,
        {
          system: "s",
          tools: [
            { name: "a", parameters: {} },
            { name: "b", parameters: {} }
          ]
        },
        more
      ),
      { ...options, cache: { ttl } }
    )

  /** Blocks in the order in which they are cached. */
  const blocksOf = (encoded: Fields): ReadonlyArray<Fields> => [
    ...(encoded["tools"] as ReadonlyArray<Fields>),
    ...(encoded["system"] as ReadonlyArray<Fields>),
    ...(encoded["messages"] as ReadonlyArray<{ content: ReadonlyArray<Fields> }>).flatMap((turn) => turn.content)
  ]
  const markers = (encoded: Fields) =>
    blocksOf(encoded).flatMap((block, place) => (block["cache_control"] === undefined ? [] : [place]))
  const bare = (encoded: Fields) =>
    blocksOf(encoded).map(({ cache_control: _marker, ...block }) => JSON.stringify(block))

  /** A session of steps, each with a number of parallel calls. */
  const session = (steps: ReadonlyArray<number>): ReadonlyArray<Message.Message> => [
    Message.user("go"),
    ...steps.flatMap((calls, step) => {
      const ids = Array.from({ length: calls }, (_, call) => `${step}_${call}`)
      return [
        Message.assistant([signed(`step ${step}`), ...ids.map((id) => Message.toolCall(id, "a", {}))]),
        ...ids.map((id) => result(id, `result ${id}`))
      ]
    })
  ]

  it("survive from step to step, also where a step adds more than twenty blocks", () => {
    const steps = [1, 3, 30, 2, 14, 1]
    for (let n = 0; n < steps.length; n++) {
      const before = cached(session(steps.slice(0, n)))
      const after = cached(session(steps.slice(0, n + 1)))
      // but for the markers the one begins as the other
      assert.deepStrictEqual(bare(after).slice(0, bare(before).length), bare(before))
      assert.isAtMost(markers(after).length, 4)
      // what the request before wrote last is read: a breakpoint stands in the very place
      assert.include(markers(after), markers(before).at(-1))
      assert.strictEqual(markers(after).at(-1), blocksOf(after).length - 1)
      assert.deepStrictEqual(markers(after).slice(0, 2), [1, 2])
    }
  })

  it("stand before the instruction of a summary request, which nobody sends again", () => {
    const before = cached(session([2, 2]))
    const summary = cached([...session([2, 2]), Message.user("Summarise.")], { toolUse: "none" })
    assert.deepStrictEqual(markers(summary), markers(before))
    assert.deepStrictEqual(bare(summary).slice(0, -1), bare(before))
  })

  it("are never on reasoning, and none where they are turned off", () => {
    const [last] = cached([Message.user("go"), Message.assistant([signed("a"), Message.textBlock("b")])])[
      "messages"
    ] as ReadonlyArray<unknown>
    assert.deepStrictEqual(last, {
      role: "user",
      content: [{ ...says("go"), cache_control: { type: "ephemeral" } }]
    })
    assert.notInclude(JSON.stringify(body(session([2]), { system: "s" })), "cache_control")
    assert.deepStrictEqual(blocksOf(cached([Message.user("go")], {}, "1h")).at(-1)?.["cache_control"], {
      type: "ephemeral",
      ttl: "1h"
    })
  })

  it("are four at most, whatever the settings say", () => {
    const settings = { cache_control: { type: "ephemeral" } }
    assert.notProperty(
      encodeBody(request([Message.user("go")], { settings }), { ...options, cache: { ttl: "5m" } }),
      "cache_control"
    )
    assert.property(body([Message.user("go")], { settings }), "cache_control")
  })
})
