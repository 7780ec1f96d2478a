import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { firstLine } from "../../src/compaction/SummaryInstruction.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../../src/services/ModelAdapter.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { ask, finishOf, provider, request, textOf, world } from "./asking.ts"

const { call, say } = SimulatedProvider

for (const [client, clientLayer] of [
  ["fetch", FetchHttpClient.layer],
  ["node:http", NodeHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
] as const) {
  describe(`the adapter against the simulated provider, over ${client}`, () => {
    it.live("answers with text, calls and usage, and records what it was asked", () =>
      Effect.gen(function* () {
        const { next, requests, settled } = yield* provider
        const long = "Grüße 😀 ".repeat(100)
        yield* next(
          say(long),
          call(Message.toolCall("a", "read", { path: "x" }), Message.toolCall("b", "list", { deep: ["y".repeat(400)] }))
        )
        const first = yield* ask("Hello")
        assert.strictEqual(textOf(first), long)
        assert.isAbove(first.length, 3)
        assert.deepStrictEqual(yield* ask("Go on"), [
          { type: "tool-call", id: "a", name: "read", arguments: { path: "x" } },
          { type: "tool-call", id: "b", name: "list", arguments: { deep: ["y".repeat(400)] } },
          finishOf(
            yield* Effect.succeed([{ type: "finish", reason: "tool-calls", usage: yield* usageOf(1) } as Part])
          ) as Part
        ])
        const recorded = yield* settled(0)
        assert.deepInclude(recorded, { kind: "conversation", outcome: "answered", status: 200 })
        const finish = finishOf(first)
        assert.deepInclude(finish?.type === "finish" ? finish.usage : {}, {
          inputTokens: recorded.inputTokens,
          outputTokens: recorded.usage?.output ?? -1
        })
        assert.deepInclude(JSON.parse(recorded.text), { model: "deepseek-chat", stream: true })
        assert.lengthOf(yield* requests, 2)
      }).pipe(Effect.provide(world({}, clientLayer)))
    )

    it.live("overflow before the first byte, and inside the stream", () =>
      Effect.gen(function* () {
        const { next, remaining } = yield* provider
        yield* next(say("fits"))
        const error = yield* Effect.flip(ask("word ".repeat(400), { maxOutputTokens: 90 }))
        assert.deepInclude(error, { _tag: "ContextWindowExceeded", limit: 300, limitCounts: "input-and-output" })
        // the refused request took nothing from the script
        assert.strictEqual(yield* remaining, 1)
        assert.strictEqual(textOf(yield* ask("word")), "fits")
        yield* next(SimulatedProvider.refuseInStream("I begin"))
        const parts: Array<Part> = []
        const adapter = yield* ModelAdapter
        const inside = yield* adapter.stream(request([Message.user("word")])).pipe(
          Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
          Effect.flip
        )
        assert.deepStrictEqual(parts, [{ type: "text-delta", delta: "I begin" }])
        assert.strictEqual(inside._tag, "ContextWindowExceeded")
        assert.strictEqual((yield* (yield* provider).settled(2)).outcome, "refused")
      }).pipe(Effect.provide(world({ window: 300 }, clientLayer)))
    )

    it.live("a client that stops closes the connection, and the provider sees it", () =>
      Effect.gen(function* () {
        const { next, settled } = yield* provider
        yield* next(SimulatedProvider.stall("a"))
        const adapter = yield* ModelAdapter
        const parts = yield* Stream.runCollect(Stream.take(adapter.stream(request([Message.user("x")])), 1))
        assert.lengthOf(parts, 1)
        assert.strictEqual((yield* settled(0)).outcome, "abandoned")
      }).pipe(Effect.provide(world({}, clientLayer)))
    )

    it.live("a broken connection, a stream that just ends, an empty answer, a status of choice", () =>
      Effect.gen(function* () {
        const { next } = yield* provider
        yield* next(
          SimulatedProvider.cut("a"),
          SimulatedProvider.drop,
          SimulatedProvider.end("a"),
          SimulatedProvider.empty,
          SimulatedProvider.status(529, { error: { type: "overloaded_error" } }),
          SimulatedProvider.rateLimited("7"),
          SimulatedProvider.raw("data: {torn\n\n")
        )
        const tags: Array<string> = []
        for (let i = 0; i < 7; i++) tags.push((yield* Effect.flip(ask("x")))._tag)
        assert.deepStrictEqual(tags, [
          "ProviderUnavailable",
          "ProviderUnavailable",
          "MalformedResponse",
          "EmptyResponse",
          "ProviderUnavailable",
          "RateLimited",
          "MalformedResponse"
        ])
      }).pipe(Effect.provide(world({}, clientLayer)))
    )
  })
}

const usageOf = Effect.fnUntraced(function* (index: number) {
  const { usage } = yield* (yield* provider).settled(index)
  return {
    inputTokens: usage?.input ?? -1,
    outputTokens: usage?.output ?? -1,
    cachedTokens: usage?.cached ?? -1
  }
})

it.live("a conversation that was elsewhere goes on at OpenAI, whatever its calls are called", () =>
  Effect.gen(function* () {
    const { next } = yield* provider
    yield* next(say("ok"))
    const id = `chatcmpl-tool-${"4f".repeat(20)}`
    const { stream } = yield* ModelAdapter
    const asked = request([
      Message.user("Hello"),
      Message.assistant([Message.toolCall(id, "functions.read", "{torn")]),
      Message.toolResult({ id, name: "functions.read", content: "there is no such tool" }),
      Message.user("Go on")
    ])
    const answer = yield* Stream.runCollect(
      stream({ ...asked, envelope: { ...asked.envelope, route: { provider: "openai", model: "gpt-4.1" } } })
    )
    assert.strictEqual(textOf([...answer]), "ok")
  }).pipe(
    Effect.provide(
      SimulatedProvider.layerAdapter({ provider: "openai", discovery: false }).pipe(
        Layer.provideMerge(SimulatedProvider.layer({ window: 4_000, as: "openai" })),
        Layer.provide(FetchHttpClient.layer)
      )
    )
  )
)

describe("SimulatedProvider", () => {
  it.live("replays the assistant's messages in order, and says when none is left", () =>
    Effect.gen(function* () {
      assert.strictEqual(textOf(yield* ask("a")), "one")
      const { next } = yield* provider
      // what the test says goes before the recording, a fault too
      yield* next(SimulatedProvider.rateLimited(), say("between"))
      assert.strictEqual((yield* Effect.flip(ask("b")))._tag, "RateLimited")
      assert.strictEqual(textOf(yield* ask("b")), "between")
      // recorded answers are given whole
      assert.strictEqual(textOf(yield* ask("b", { maxOutputTokens: 1 })), "two and more")
      assert.strictEqual((yield* Effect.flip(ask("c")))._tag, "InvalidRequest")
      assert.strictEqual((yield* (yield* provider).settled(4)).outcome, "exhausted")
    }).pipe(
      Effect.provide(
        world({
          replay: [Message.user("a"), Message.assistant("one"), Message.user("b"), Message.assistant("two and more")]
        })
      )
    )
  )

  it.live("takes answers from a function when the script is used up", () =>
    Effect.gen(function* () {
      assert.strictEqual(textOf(yield* ask("a")), "1 messages")
    }).pipe(Effect.provide(world({ answers: ({ messages }) => say(`${messages.length} messages`) })))
  )

  it.live("cuts what is said at the request's output limit", () =>
    Effect.gen(function* () {
      const { next } = yield* provider
      yield* next(say("one two three four five"))
      const parts = yield* ask("a", { maxOutputTokens: 3 })
      assert.strictEqual(textOf(parts), "one two three")
      assert.deepInclude(finishOf(parts), { reason: "length" })
    }).pipe(Effect.provide(world()))
  )

  it.live("counts everything that is sent: tools, calls, reasoning that is sent back", () =>
    Effect.gen(function* () {
      const size = Effect.fnUntraced(function* (
        messages: ReadonlyArray<Message.Message>,
        more: Partial<ModelRequest["envelope"]> = {}
      ) {
        yield* ask(messages, more)
        return (yield* (yield* provider).requests).at(-1)?.inputTokens ?? 0
      })
      const user = Message.user("Hello")
      const alone = yield* size([user])
      const tool = { name: "read", description: "Reads a file. ".repeat(20), parameters: { type: "object" } }
      assert.isAbove(yield* size([user], { tools: [tool] }), alone + 60)
      assert.isAbove(yield* size([user], { system: "word ".repeat(30) }), alone + 30)
      const calling = (text: string, thought: string) => [
        user,
        Message.assistant([{ type: "reasoning", text: thought }, Message.toolCall("c", "f", { text })]),
        Message.toolResult({ id: "c", name: "f", content: "ok" })
      ]
      const short = yield* size(calling("x", "x"))
      assert.isAbove(yield* size(calling("word ".repeat(50), "x")), short + 40)
      assert.isAbove(yield* size(calling("x", "word ".repeat(50))), short + 40)
    }).pipe(Effect.provide(world({ answers: () => say("ok") })))
  )

  it.live("takes special tokens for text, and counts long runs without a break", () =>
    Effect.gen(function* () {
      yield* ask(`<|endoftext|> ${"a".repeat(100_000)}${"😀".repeat(5_000)}`)
      const { inputTokens } = yield* (yield* provider).settled(0)
      assert.isAbove(inputTokens, 10_000)
    }).pipe(Effect.provide(world({ window: 1_000_000, answers: () => say("ok") })))
  )

  it.live("reports as cached what an answered request had as its beginning, in whole blocks", () =>
    Effect.gen(function* () {
      const opening = Message.user("word ".repeat(500))
      const cached = Effect.fnUntraced(function* (messages: ReadonlyArray<Message.Message>) {
        const finish = finishOf(yield* ask(messages))
        return finish?.type === "finish" ? finish.usage?.cachedTokens : undefined
      })
      assert.strictEqual(yield* cached([opening]), 0)
      assert.strictEqual(yield* cached([opening, Message.assistant("ok"), Message.user("go on")]), 448)
      // half of a message is the same
      assert.strictEqual(yield* cached([Message.user(`${"word ".repeat(250)}then something else`)]), 192)
      assert.strictEqual(yield* cached([Message.user("else"), opening]), 0)
    }).pipe(Effect.provide(world({ answers: () => say("ok") })))
  )

  it.live("refuses as OpenAI does: the input alone, with the share of the functions, or the sum", () =>
    Effect.gen(function* () {
      const tools = [{ name: "read", parameters: { type: "object", description: "word ".repeat(40) } }]
      const input = yield* Effect.flip(ask("word ".repeat(600), { tools }))
      assert.deepInclude(input, { _tag: "ContextWindowExceeded", limit: 500, limitCounts: "input" })
      const { inputTokens } = yield* (yield* provider).settled(0)
      assert.deepInclude(input, { requested: inputTokens })
      assert.include(input.detail, "in the functions")
      const sum = yield* Effect.flip(ask("word ".repeat(300), { maxOutputTokens: 400 }))
      assert.deepInclude(sum, { limit: 500, limitCounts: "input-and-output" })
      assert.deepInclude(sum, { requested: (yield* (yield* provider).settled(1)).inputTokens })
    }).pipe(Effect.provide(world({ as: "openai", window: 500 })))
  )

  it.live("reserves output where a request names none", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask("word ".repeat(300)))
      assert.deepInclude(error, { _tag: "ContextWindowExceeded", limit: 500 })
    }).pipe(Effect.provide(world({ window: 500, outputReserve: 400 })))
  )

  it.live("reports the usage that it is told to", () =>
    Effect.gen(function* () {
      const { next } = yield* provider
      yield* next(say("x", { usage: { input: 3 } }), say("x", { usage: { input: 0, output: 0, cached: 0 } }))
      assert.deepInclude(finishOf(yield* ask("word ".repeat(50))), {
        usage: { inputTokens: 3, outputTokens: 1, cachedTokens: 0 }
      })
      assert.notProperty(finishOf(yield* ask("word")), "usage")
    }).pipe(Effect.provide(world()))
  )

  const instruction = Message.user(`${firstLine}\n`)

  const conversation = [
    Message.user("Fix the test in src/math/add.ts. It is red."),
    Message.assistant([
      Message.textBlock("I look. Then I fix."),
      Message.toolCall("c1", "read", { path: "src/math/add.ts" })
    ]),
    Message.toolResult({ id: "c1", name: "read", content: "TypeError: x failed\nfine" }),
    Message.user("And write docs/notes.md please.")
  ]

  it.live("makes a summary from what it was sent, under the headings that it was given", () =>
    Effect.gen(function* () {
      const instruction = `${firstLine}\n## User requests\n## Files\n## Tools used\n## Errors\n## Answers`
      const text = textOf(yield* ask([...conversation, Message.user(instruction)], { maxOutputTokens: 400 }))
      assert.strictEqual(
        text,
        [
          "## User requests\n- Fix the test in src/math/add.ts.\n- And write docs/notes.md please.",
          "## Files\n- src/math/add.ts\n- docs/notes.md",
          "## Tools used\n- read (1 times)",
          "## Errors\n- TypeError: x failed",
          "## Answers\n- I look."
        ].join("\n\n")
      )
      assert.deepInclude(yield* (yield* provider).settled(0), { kind: "summary", outcome: "answered" })
      // the recording waits for the conversation
      assert.strictEqual(yield* (yield* provider).remaining, 1)
      assert.strictEqual(textOf(yield* ask(conversation)), "recorded")
    }).pipe(Effect.provide(world({ replay: [Message.assistant("recorded")] })))
  )

  it.live("bounds a summary by the request's output limit, and refuses one that does not fit", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 60 }, (_, i) => Message.user(`Request number ${i} of the day. More.`))
      const parts = yield* ask([...many, instruction], { maxOutputTokens: 80 })
      const finish = finishOf(parts)
      assert.deepInclude(finish, { reason: "stop" })
      assert.isAtMost(finish?.type === "finish" ? (finish.usage?.outputTokens ?? 0) : Infinity, 80)
      assert.include(textOf(parts), "Request number 59")
      assert.notInclude(textOf(parts), "Request number 0 ")
      const error = yield* Effect.flip(ask([...many, ...many, instruction], { maxOutputTokens: 80 }))
      assert.strictEqual(error._tag, "ContextWindowExceeded")
    }).pipe(Effect.provide(world({ window: 1_000 })))
  )

  it.live("lets a fault wait for the next summary", () =>
    Effect.gen(function* () {
      const { next } = yield* provider
      yield* next(SimulatedProvider.on("summary", SimulatedProvider.status(500)), say("a"), say("b"))
      assert.strictEqual(textOf(yield* ask("x")), "a")
      assert.strictEqual((yield* Effect.flip(ask([instruction])))._tag, "ProviderUnavailable")
      assert.include(textOf(yield* ask([Message.user("Old."), instruction])), "Old.")
      assert.strictEqual(textOf(yield* ask("x")), "b")
    }).pipe(Effect.provide(world()))
  )

  it.live("lets the test say what a summary request is, and how it is answered", () =>
    Effect.gen(function* () {
      assert.strictEqual(textOf(yield* ask("<compact/>")), "short")
    }).pipe(
      Effect.provide(
        world({ isSummary: ({ messages }) => messages.at(-1)?.content === "<compact/>", summaries: () => say("short") })
      )
    )
  )

  it.live("answers a request that is not streamed, and refuses what is no request", () =>
    Effect.gen(function* () {
      const { baseUrl, next } = yield* provider
      yield* next(call(Message.toolCall("a", "f", { x: 1 })))
      const post = (body: string) =>
        Effect.promise(() =>
          fetch(`${baseUrl}/v1/chat/completions`, { method: "POST", body }).then(async (response) => ({
            status: response.status,
            body: await response.json()
          }))
        )
      const answered = yield* post(JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] }))
      assert.strictEqual(answered.body.choices[0].message.tool_calls[0].function.arguments, '{"x":1}')
      assert.strictEqual(answered.body.choices[0].finish_reason, "tool_calls")
      assert.strictEqual((yield* post("{}")).status, 400)
    }).pipe(Effect.provide(world()))
  )
})
