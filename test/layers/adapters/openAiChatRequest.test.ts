import { assert, describe, it } from "@effect/vitest"
import { defaultQuirks, encodeBody, encodeMessage } from "../../../src/layers/adapters/openAiChatRequest.ts"
import type { Envelope } from "../../../src/session/Envelope.ts"
import * as Message from "../../../src/session/Message.ts"

const route = { provider: "openai", model: "gpt-5" }
const body = (envelope: Omit<Envelope, "route">, messages: ReadonlyArray<Message.Message> = [], quirks = {}) =>
  encodeBody({ id: "s/1", generation: 0, envelope: { route, ...envelope }, messages }, { ...defaultQuirks, ...quirks })
const around = { offered: new Set<string>(), provider: "openai" }
const one = (message: Message.Message, quirks = {}) => encodeMessage(message, { ...defaultQuirks, ...quirks }, around)

describe("openAiChatRequest", () => {
  it("puts the system prompt and the prefix before the surface, and the settings beside them", () => {
    const encoded = body(
      {
        system: "Be terse.",
        prefix: [Message.user("It is Monday.")],
        maxOutputTokens: 40,
        settings: { temperature: 0.5, stream: false, messages: [] },
        tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }]
      },
      [Message.user("Hello")]
    )
    assert.deepStrictEqual(encoded, {
      model: "gpt-5",
      messages: [
        { role: "system", content: "Be terse." },
        { role: "user", content: "It is Monday." },
        { role: "user", content: "Hello" }
      ],
      tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } }],
      temperature: 0.5,
      max_tokens: 40,
      stream: true,
      stream_options: { include_usage: true }
    })
    assert.deepInclude(body({ maxOutputTokens: 5 }, [], { outputLimitField: "max_completion_tokens" }), {
      max_completion_tokens: 5
    })
    assert.notProperty(body({ tools: [] }), "tools")
  })

  const tools = [{ name: "read", parameters: { type: "object" } }]

  it("puts what may differ from request to request behind the messages", () => {
    const settings = { temperature: 0.5, tool_choice: "required" }
    const names = Object.keys(body({ system: "s", tools, settings, maxOutputTokens: 4 }))
    assert.deepStrictEqual(names, [
      "model",
      "tools",
      "messages",
      "temperature",
      "tool_choice",
      "max_tokens",
      "stream",
      "stream_options"
    ])
  })

  it("tells the provider that no tools may be called, and sends them all the same", () => {
    const settings = { temperature: 0.5, tool_choice: "required", parallel_tool_calls: true }
    const summary = (envelope: Omit<Envelope, "route">, quirks = {}) =>
      encodeBody(
        { id: "summary", generation: 0, envelope: { route, settings, ...envelope }, messages: [], toolUse: "none" },
        { ...defaultQuirks, ...quirks }
      )
    const said = summary({ tools })
    assert.strictEqual(said["tool_choice"], "none")
    assert.deepStrictEqual(said["tools"], body({ tools })["tools"])
    assert.notProperty(said, "parallel_tool_calls")
    // a server that refuses the setting, and a conversation without tools
    assert.notProperty(summary({ tools }, { toolChoiceNone: "omit" }), "tool_choice")
    assert.property(summary({ tools }, { toolChoiceNone: "omit" }), "tools")
    assert.notProperty(summary({}), "tool_choice")
    assert.strictEqual(body({ tools, settings })["tool_choice"], "required")
  })

  it("writes arguments as a JSON object, whatever they came as: servers parse them, and refuse the conversation", () => {
    const args = [{ a: 1 }, 'not {json "', '{"quoted":"json"}', undefined, 3, "", [1], "null"]
    const calls = args.map((value, i) => Message.toolCall(`c${i}`, "f", value))
    const [encoded] = one(Message.assistant(calls))
    assert.deepStrictEqual(
      ((encoded?.["tool_calls"] ?? []) as ReadonlyArray<{ function: { arguments: string } }>).map(
        (call) => call.function.arguments
      ),
      [
        '{"a":1}',
        '{"arguments":"not {json \\""}',
        '{"quoted":"json"}',
        "{}",
        '{"arguments":3}',
        "{}",
        '{"arguments":[1]}',
        '{"arguments":"null"}'
      ]
    )
    assert.strictEqual(encoded?.["content"], null)
  })

  it("writes ids and names of calls as the route takes them, a call's and its result's alike", () => {
    const long = `call_${"x".repeat(60)}`
    const given = ["abc123XYZ", "call_1", long, `${long}2`, "toolu_01🙂"]
    const ids = (quirks: object) =>
      given.map((id) => {
        const [called] = one(Message.assistant([Message.toolCall(id, "f", {})]), quirks)
        const [result] = one(Message.toolResult({ id, name: "f", content: "x" }), quirks)
        const [call] = (called?.["tool_calls"] ?? []) as ReadonlyArray<{ id: string }>
        assert.strictEqual(result?.["tool_call_id"], call?.id)
        return call?.id ?? ""
      })
    assert.deepStrictEqual(ids({}), given)
    const short = ids({ callIds: "short" })
    assert.deepStrictEqual(short.slice(0, 2), given.slice(0, 2))
    for (const id of short) assert.isAtMost(id.length, 40)
    const nine = ids({ callIds: "nine" })
    assert.strictEqual(nine[0], "abc123XYZ")
    for (const id of nine) assert.match(id, /^[a-zA-Z0-9]{9}$/)
    for (const all of [short, nine]) assert.strictEqual(new Set(all).size, given.length)

    const names = ["read_file", "functions.read:0", "", "n".repeat(70), "files.list"]
    const encoded = body(
      { tools: [{ name: "files.list", parameters: {} }] },
      [Message.assistant(names.map((name, i) => Message.toolCall(`c${i}`, name, {})))],
      { callNames: "plain" }
    )
    assert.deepStrictEqual(
      (
        encoded["messages"] as ReadonlyArray<{ tool_calls: ReadonlyArray<{ function: { name: string } }> }>
      )[0]?.tool_calls.map((call) => call.function.name),
      // a tool that the request offers keeps its own
      ["read_file", "functions_read_0", "unnamed", "n".repeat(64), "files.list"]
    )
  })

  it("makes a message of each result, and leaves out what cannot be sent", () => {
    const result = Message.toolResult({
      id: "c1",
      name: "look",
      content: [
        { type: "text", text: "seen" },
        { type: "image", source: { type: "base64", base64: "AAAA" }, mediaType: "image/png", width: 2, height: 3 },
        { type: "image", source: { type: "url", url: "data:image/png;base64,AAAA" } },
        { type: "unknown", value: { secret: 1 } }
      ]
    })
    assert.deepStrictEqual(one(result), [
      { role: "tool", tool_call_id: "c1", content: "seen\n\n[image image/png 2x3]\n\n[image]" }
    ])
    const mixed: Message.Message = { role: "user", content: [Message.textBlock("and"), ...result.content] }
    assert.deepStrictEqual(
      one(mixed).map((message) => message["role"]),
      ["tool", "user"]
    )
    assert.deepStrictEqual(one(Message.assistant([{ type: "reasoning", text: "hm" }])), [])
    assert.deepStrictEqual(one(Message.user([{ type: "unknown", value: 1 }])), [])
  })

  it("shows images where the model sees them, and names them where not [A126]", () => {
    const message = Message.user([
      Message.textBlock("what is it"),
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
      { type: "image", source: { type: "base64", base64: "AAAA" }, mediaType: "image/jpeg" },
      { type: "image", source: { type: "blob", blob: "b1" } },
      { type: "file", source: { type: "blob", blob: "b2" }, name: "a.pdf", pages: 4 }
    ])
    assert.deepStrictEqual(one(message)[0]?.["content"], [
      { type: "text", text: "what is it" },
      { type: "image_url", image_url: { url: "https://x.test/a.png" } },
      { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } },
      { type: "text", text: "[image b1]" },
      { type: "text", text: "[file a.pdf 4 pages b2]" }
    ])
    assert.strictEqual(
      one(message, { images: "placeholder" })[0]?.["content"],
      "what is it\n\n[image https://x.test/a.png]\n\n[image image/jpeg]\n\n[image b1]\n\n[file a.pdf 4 pages b2]"
    )
  })

  it("sends reasoning back only where the route wants it [REASON-4]", () => {
    const thought = { type: "reasoning" as const, text: "hm" }
    const plain = Message.assistant([thought, Message.textBlock("yes")])
    const calling = Message.assistant([thought, Message.toolCall("c", "f", {})])
    const sent = (message: Message.Message, reasoning: string) => one(message, { reasoning })[0]?.["reasoning_content"]
    assert.deepStrictEqual(
      ["omit", "with-tool-calls", "always"].map((when) => [sent(plain, when), sent(calling, when)]),
      [
        [undefined, undefined],
        [undefined, "hm"],
        ["hm", "hm"]
      ]
    )
  })

  it("names the reasoning as the route does, and the system prompt's role", () => {
    const thought = Message.assistant([{ type: "reasoning", text: "hm" }, Message.toolCall("c", "f", {})])
    assert.deepInclude(one(thought, { reasoning: "always", reasoningField: "reasoning" })[0], { reasoning: "hm" })
    assert.deepStrictEqual(body({ system: "s" }, [], { systemRole: "developer" })["messages"], [
      { role: "developer", content: "s" }
    ])
    assert.notProperty(body({}, [], { streamOptions: "omit" }), "stream_options")
    // a seal of another provider is nothing to this one
    const sealed = { type: "reasoning", text: "", redacted: "AAAA", provider: "anthropic" } as const
    assert.notProperty(
      one(Message.assistant([sealed, Message.textBlock("a")]), { reasoning: "always" })[0],
      "reasoning_content"
    )
  })

  it("lets the roles take turns where a chat template counts them [SHAPE-2 SHAPE-3]", () => {
    const picture = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const
    const messages = [
      Message.assistant("said before"),
      Message.user("a summary"),
      Message.user([picture]),
      Message.user("go on"),
      Message.assistant("I begin."),
      Message.assistant([Message.textBlock("I look."), Message.toolCall("c", "f", {})]),
      Message.toolResult({ id: "c", name: "f", content: "seen" }),
      Message.user("hurry"),
      Message.user("please")
    ]
    const turns = (list: ReadonlyArray<Message.Message>, roles: string) =>
      body({ system: "s" }, list, { roles })["messages"] as ReadonlyArray<Record<string, unknown>>
    const strict = turns(messages, "alternate")
    assert.deepStrictEqual(
      strict.map(({ content, role }) => [role, content]),
      [
        ["system", "s"],
        ["user", "…"],
        ["assistant", "said before"],
        [
          "user",
          [
            { type: "text", text: "a summary" },
            { type: "image_url", image_url: { url: "https://x.test/a.png" } },
            { type: "text", text: "go on" }
          ]
        ],
        ["assistant", "I begin.\n\nI look."],
        ["tool", "seen"],
        ["assistant", "…"],
        ["user", "hurry\n\nplease"]
      ]
    )
    assert.property(strict[4], "tool_calls")
    // what was answered once stands as it stood
    const before = JSON.stringify(turns(messages.slice(0, 7), "alternate"))
    assert.isTrue(JSON.stringify(strict).startsWith(before.slice(0, -1)))
    assert.lengthOf(turns(messages, "free"), 10)
  })

  it("fits the settings of a summary request to what it asks for [HEADROOM-7]", () => {
    const settings = {
      reasoning: { max_tokens: 30_000 },
      thinking: { type: "enabled", budget_tokens: 30_000 },
      stop: ["#"],
      response_format: { type: "json_object" },
      reasoning_effort: "low"
    }
    const summary = (maxOutputTokens: number) =>
      encodeBody(
        { id: "summary", generation: 0, envelope: { route, settings, maxOutputTokens }, messages: [], toolUse: "none" },
        defaultQuirks
      )
    assert.deepInclude(summary(4_096), {
      reasoning: { max_tokens: 2_048 },
      thinking: { type: "enabled", budget_tokens: 2_048 },
      reasoning_effort: "low"
    })
    assert.deepInclude(summary(1_000), { reasoning: { enabled: false }, thinking: { type: "disabled" } })
    for (const name of ["stop", "response_format"]) assert.notProperty(summary(4_096), name)
    assert.deepInclude(body({ settings }), settings)
  })

  it("writes a message to the same bytes wherever it stands [REASON-1 CACHECOST-5]", () => {
    const messages = [
      Message.user("a"),
      Message.assistant([Message.toolCall("c", "f", { b: 1, a: 2 })]),
      Message.user("c")
    ]
    const text = (list: ReadonlyArray<Message.Message>) => JSON.stringify(body({ system: "s" }, list)["messages"])
    const short = text(messages.slice(0, 2))
    assert.isTrue(text(messages).startsWith(short.slice(0, -1)))
    assert.strictEqual(text(JSON.parse(JSON.stringify(messages))), text(messages))
  })
})

it("a result inside an answer is sent all the same, behind the calls", () => {
  const [inside] = Message.toolResult({ id: "c1", name: "look", content: "seen" }).content
  assert.deepStrictEqual(
    one(Message.assistant([Message.textBlock("I look"), Message.toolCall("c1", "look", {}), inside!])).map(
      (message) => [message["role"], message["content"]]
    ),
    [
      ["assistant", "I look"],
      ["tool", "seen"]
    ]
  )
})
