import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { firstLine } from "../../src/compaction/SummaryInstruction.ts"
import * as Message from "../../src/session/Message.ts"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"
import { posting, type Fields } from "./posting.ts"

const { message, say } = SimulatedProvider

const anthropic = (options: Partial<SimulatedProvider.Options> = {}) =>
  posting("anthropic-messages", { as: "anthropic", ...options })

const words = (count: number) => "word ".repeat(count).trim()
const user = (content: unknown) => ({ role: "user", content })
const assistant = (content: unknown) => ({ role: "assistant", content })
const text = (text: string, more: Fields = {}) => ({ type: "text", text, ...more })
const mark = { cache_control: { type: "ephemeral" } }
const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} })
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" })
const request = (messages: ReadonlyArray<unknown>, more: Fields = {}) => ({
  model: "m",
  max_tokens: 100,
  messages,
  ...more
})

/** The content blocks that a stream's events come to. */
const assembled = (events: ReadonlyArray<Fields>) => {
  const blocks: Array<Fields> = []
  const inputs: Array<string> = []
  for (const event of events) {
    const index = event["index"]
    if (event["type"] === "content_block_start") {
      blocks[index] = { ...event["content_block"] }
      inputs[index] = ""
    }
    const block = blocks[index]
    if (event["type"] === "content_block_delta" && block !== undefined) {
      const { delta } = event
      if (delta.type === "text_delta") block["text"] += delta.text
      if (delta.type === "thinking_delta") block["thinking"] += delta.thinking
      if (delta.type === "signature_delta") block["signature"] += delta.signature
      if (delta.type === "input_json_delta") inputs[index] += delta.partial_json
    }
    if (event["type"] === "content_block_stop" && block?.["type"] === "tool_use") {
      block["input"] = JSON.parse(inputs[index] ?? "")
    }
  }
  return blocks
}

describe("Anthropic messages", () => {
  const answer = message(
    Message.assistant([
      { type: "reasoning", text: "First I think. ".repeat(20), signature: "mine" },
      { type: "reasoning", text: "", redacted: "sealed" },
      Message.textBlock("Grüße 😀 ".repeat(50)),
      Message.toolCall("toolu_1", "read", { path: "x".repeat(400) }),
      Message.toolCall("toolu_2", "list", {})
    ])
  )

  it.scopedLive("are the same whole and streamed, and name the request", () =>
    Effect.gen(function* () {
      const { next, post } = yield* anthropic()
      yield* next(answer, answer)
      const whole = yield* post(request([user("Hello")]))
      assert.strictEqual(whole.headers.get("request-id"), "simulated-0")
      assert.deepInclude(whole.body, { type: "message", role: "assistant", model: "m", stop_reason: "tool_use" })
      assert.deepStrictEqual(
        whole.body["content"].map(({ type }: Fields) => type),
        ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"]
      )
      assert.deepInclude(whole.body["content"][0], { signature: "mine" })
      assert.deepStrictEqual(whole.body["content"][3].input, { path: "x".repeat(400) })

      const { events, text: stream } = yield* post(request([user("Hello")], { stream: true }))
      assert.deepStrictEqual(assembled(events), whole.body["content"])
      for (const event of events) assert.include(stream, `event: ${event["type"]}\n`)
      assert.strictEqual(events[0]?.["type"], "message_start")
      assert.strictEqual(events.at(-1)?.["type"], "message_stop")
      const delta = events.find(({ type }) => type === "message_delta")
      assert.deepStrictEqual(delta?.["delta"], { stop_reason: "tool_use", stop_sequence: null })
      assert.strictEqual(delta?.["usage"].output_tokens, whole.body["usage"].output_tokens)
      assert.strictEqual(delta?.["usage"].input_tokens, whole.body["usage"].input_tokens)
      assert.strictEqual(events[0]?.["message"].usage.input_tokens, whole.body["usage"].input_tokens)
    })
  )

  it.scopedLive("come to more tokens than OpenAI's count, and tools bring a prompt of their own", () =>
    Effect.gen(function* () {
      const count = Effect.fnUntraced(function* (as: SimulatedProvider.Options["as"], more: Fields = {}) {
        const { post } = yield* posting("anthropic-messages", { as, answers: () => say("ok") })
        const { body } = yield* post(request([user(words(1_000))], more))
        return Number(body["usage"].input_tokens)
      })
      const bare = yield* count("anthropic")
      assert.isAbove(bare, 1.15 * (yield* count("openai")))
      const tools = [{ name: "read", input_schema: { type: "object" } }]
      assert.isAbove(yield* count("anthropic", { tools }), bare + 300)
    })
  )

  describe("the prefix cache", () => {
    const asked = Effect.fnUntraced(function* () {
      const { post } = yield* anthropic({ answers: () => say("ok") })
      return (messages: ReadonlyArray<unknown>, more: Fields = {}) =>
        Effect.map(post(request(messages, more)), ({ body, text }) => {
          assert.isDefined(body["usage"], text)
          const {
            cache_creation_input_tokens: written,
            cache_read_input_tokens: read,
            input_tokens: rest
          } = body["usage"]
          return { written, read, rest, all: written + read + rest } as Record<string, number>
        })
    })

    it.scopedLive("holds nothing without a mark, and counts reads and writes beside the input", () =>
      Effect.gen(function* () {
        const ask = yield* asked()
        const opening = words(2_000)
        for (let i = 0; i < 2; i++) assert.deepInclude(yield* ask([user(opening)]), { written: 0, read: 0 })
        const first = yield* ask([user([text(opening, mark)])])
        assert.isAbove(first["written"]!, 2_000)
        assert.isBelow(first["rest"]!, 20)
        // the mark has moved on, and the text it stood at is a string now
        const second = yield* ask([user(opening), assistant("ok"), user([text(words(500), mark)])])
        assert.strictEqual(second["read"], first["written"])
        assert.isAbove(second["written"]!, 500)
        assert.strictEqual((yield* ask([user("else"), user([text(opening, mark)])]))["read"], 0)
      })
    )

    it.scopedLive("does not hold a short prefix", () =>
      Effect.gen(function* () {
        const ask = yield* asked()
        for (let i = 0; i < 2; i++) {
          assert.deepInclude(yield* ask([user([text(words(500), mark)])]), { written: 0, read: 0 })
        }
      })
    )

    it.scopedLive("finds an entry up to 20 blocks before a mark, and no further", () =>
      Effect.gen(function* () {
        const ask = yield* asked()
        const opening = user([text(words(2_000), mark)])
        const later = (blocks: number) =>
          user(Array.from({ length: blocks }, (_, i) => text(`block ${i}`, i === blocks - 1 ? mark : {})))
        yield* ask([opening])
        const unmarked = user(words(2_000))
        assert.strictEqual((yield* ask([unmarked, later(20)]))["read"], 0)
        assert.isAbove((yield* ask([unmarked, later(19)]))["read"]!, 2_000)
        // a mark of its own at the old place finds it whatever comes after
        assert.isAbove((yield* ask([opening, later(25)]))["read"]!, 2_000)
      })
    )

    it.scopedLive("begins with the tools and the system prompt", () =>
      Effect.gen(function* () {
        const ask = yield* asked()
        const tools = [{ name: "read", description: words(1_000), input_schema: { type: "object" }, ...mark }]
        const system = [text(words(1_000), mark)]
        const first = yield* ask([user("a")], { tools, system })
        assert.isAbove(first["written"]!, 2_000)
        assert.strictEqual((yield* ask([user("b")], { tools, system }))["read"], first["written"])
        const other = yield* ask([user("b")], { tools, system: [text(words(999), mark)] })
        assert.isAbove(other["read"]!, 1_000)
        assert.isBelow(other["read"]!, 1_500)
      })
    )
  })

  describe("refuse", () => {
    it.scopedLive("what is too long in the words of the prompt, and what is too large", () =>
      Effect.gen(function* () {
        const { post, requests } = yield* anthropic({ window: 1_000, byteLimit: 20_000 })
        const { body, status } = yield* post(request([user(words(1_000))]))
        const counted = (yield* requests)[0]?.inputTokens
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(body, {
          type: "error",
          error: { type: "invalid_request_error", message: `prompt is too long: ${counted} tokens > 1000 maximum` },
          request_id: "simulated-0"
        })
        const large = yield* post(request([user(words(5_000))]))
        assert.strictEqual(large.status, 413)
        assert.strictEqual(large.body["error"].type, "request_too_large")
      })
    )

    it.scopedLive("the sum, where the model counts the output too; else the window cuts the output", () =>
      Effect.gen(function* () {
        const older = yield* anthropic({ window: 1_000, limitCounts: "input-and-output" })
        const { body } = yield* older.post(request([user(words(500))], { max_tokens: 600 }))
        const counted = (yield* older.requests)[0]?.inputTokens
        assert.strictEqual(
          body["error"].message,
          `input length and \`max_tokens\` exceed context limit: ${counted} + 600 > 1000, decrease input length or \`max_tokens\` and try again`
        )
        const newer = yield* anthropic({ window: 1_000, answers: () => say(words(900)) })
        const cut = yield* newer.post(request([user(words(500))], { max_tokens: 600 }))
        assert.strictEqual(cut.body["stop_reason"], "model_context_window_exceeded")
        assert.isAtMost(cut.body["usage"].input_tokens + cut.body["usage"].output_tokens, 1_000)
        const short = yield* newer.post(request([user(words(500))], { max_tokens: 50 }))
        assert.strictEqual(short.body["stop_reason"], "max_tokens")
      })
    )

    it.scopedLive("without a figure, with another, and above the output that the model has", () =>
      Effect.gen(function* () {
        const said = Effect.fnUntraced(function* (options: Partial<SimulatedProvider.Options>, more: Fields = {}) {
          const { post } = yield* anthropic({ window: 1_000, ...options })
          return (yield* post(request([user(words(1_000))], more))).body["error"].message
        })
        assert.strictEqual(yield* said({ statedWindow: null }), "Prompt is too long")
        assert.match(yield* said({ statedWindow: 200_000 }), /^prompt is too long: \d+ tokens > 200000 maximum$/)
        assert.match(yield* said({ outputLimit: 64 }, { max_tokens: 65 }), /^max_tokens: 65 > 64, /)
      })
    )

    const valid = request([user("a"), assistant([use("t1")]), user([result("t1"), text("go on")])])
    const refused: ReadonlyArray<readonly [what: string, body: unknown, words: string]> = [
      ["no JSON", "{", "not valid JSON"],
      ["no max_tokens", { ...valid, max_tokens: undefined }, "max_tokens: Field required"],
      [
        "a field that it does not know",
        { ...valid, stream_options: {} },
        "stream_options: Extra inputs are not permitted"
      ],
      ["no message", request([]), "at least one message is required"],
      ["a system message", request([{ role: "system", content: "x" }]), "Input should be 'user' or 'assistant'"],
      ["an answer first", request([assistant("x"), user("y")]), 'first message must use the "user" role'],
      ["an empty text", request([user([text("")])]), "text content blocks must be non-empty"],
      ["a text of spaces", request([user(" \n")]), "must contain non-whitespace text"],
      [
        "an empty system text",
        request([user("x")], { system: [text("")] }),
        "system: text content blocks must be non-empty"
      ],
      [
        "a mark on an empty text",
        request([user([text("", mark)])]),
        "cache_control cannot be set for empty text blocks"
      ],
      ["an empty message", request([user("x"), assistant([]), user("y")]), "must have non-empty content"],
      [
        "a space at the end of a begun answer",
        request([user("x"), assistant("y ")]),
        "cannot end with trailing whitespace"
      ],
      [
        "five marks",
        request([user([1, 2, 3, 4].map((i) => text(`${i}`, mark)))], { system: [text("s", mark)] }),
        "A maximum of 4 blocks with cache_control may be provided. Found 5."
      ],
      [
        "a call without a result",
        request([user("x"), assistant([use("t1")]), user("y")]),
        "`tool_use` ids were found without"
      ],
      [
        "a result behind other words",
        request([user("x"), assistant([use("t1")]), user([text("y"), result("t1")])]),
        "`tool_use` ids were found without `tool_result` blocks immediately after: t1."
      ],
      [
        "a result without a call",
        request([user("x"), assistant("y"), user([result("t1")])]),
        "messages.2.content.0: unexpected `tool_use_id`"
      ],
      [
        "a result that comes too late",
        request([user("x"), assistant([use("t1")]), user([result("t1")]), assistant("y"), user([result("t1")])]),
        "messages.4.content.0: unexpected `tool_use_id`"
      ],
      [
        "an id with a dot",
        request([user("x"), assistant([use("t.1")]), user([result("t.1")])]),
        "should match pattern '^[a-zA-Z0-9_-]+$'"
      ],
      [
        "an id twice",
        request([user("x"), assistant([use("t1"), use("t1")]), user([result("t1")])]),
        "`tool_use` ids must be unique"
      ],
      [
        "a budget above the output",
        { ...valid, thinking: { type: "enabled", budget_tokens: 2_000 } },
        "greater than `thinking.budget_tokens`"
      ],
      [
        "an answer without its thoughts",
        { ...valid, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`"
      ]
    ]
    for (const [what, body, said] of refused) {
      it.scopedLive(what, () =>
        Effect.gen(function* () {
          const { post, requests } = yield* anthropic({ answers: () => say("ok") })
          const found = yield* post(body)
          assert.strictEqual(found.status, 400)
          assert.deepInclude(found.body, { type: "error" })
          assert.strictEqual(found.body["error"].type, "invalid_request_error")
          assert.include(found.body["error"].message, said)
          assert.strictEqual((yield* requests)[0]?.outcome, "invalid")
          // and what is well formed passes
          assert.strictEqual((yield* post(valid)).status, 200)
          assert.include((yield* post(valid, {})).body["error"].message, "anthropic-version")
        })
      )
    }

    it.scopedLive("a thought that it did not have, or that was changed", () =>
      Effect.gen(function* () {
        const { next, post } = yield* anthropic({ answers: () => say("ok") })
        const thought = Message.assistant([{ type: "reasoning", text: "so" }, Message.textBlock("yes")])
        yield* next(
          message(thought),
          message(Message.assistant([{ type: "reasoning", text: "", redacted: "sealed" }, Message.textBlock("yes")]))
        )
        const given = (yield* post(request([user("a")]))).body["content"]
        const sealed = (yield* post(request([user("a")]))).body["content"]
        const back = (content: unknown) => post(request([user("a"), assistant(content), user("b")]))
        assert.strictEqual((yield* back(given)).status, 200)
        assert.strictEqual((yield* back(sealed)).status, 200)
        const changed = yield* back([{ ...given[0], thinking: "so not" }, given[1]])
        assert.include(changed.body["error"].message, "messages.1.content.0: Invalid `signature` in `thinking` block")
        assert.strictEqual((yield* back([{ ...given[0], signature: "another" }, given[1]])).status, 400)
        assert.include(
          (yield* back([{ type: "redacted_thinking", data: "another" }, given[1]])).body["error"].message,
          "Invalid `data` in `redacted_thinking` block"
        )
      })
    )
  })

  it.scopedLive("bind a thought to what stands before it, and drop it where the client says so", () =>
    Effect.gen(function* () {
      const { next, post, requests } = yield* anthropic({ bindsThinking: true, answers: () => say("ok") })
      const thought = { type: "reasoning", text: "so ".repeat(200) } as const
      yield* next(message(Message.assistant([thought, Message.textBlock("yes")])))
      const given = (yield* post(request([user([text("a", mark)])]))).body["content"]
      const back = (first: string, more: Fields = {}, headers: Record<string, string> = {}) =>
        post(request([user(first), assistant(given), user([text("b", mark)])], more), {
          "anthropic-version": "2023-06-01",
          ...headers
        })
      assert.strictEqual((yield* back("a")).status, 200)
      const refused = yield* back("another a")
      assert.strictEqual(refused.status, 400)
      assert.match(
        refused.body["error"].message,
        /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\./
      )
      const more = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } }
      assert.include((yield* back("another a", more)).body["error"].message, "anthropic-beta")
      const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" }
      assert.strictEqual((yield* back("another a", more, beta)).status, 200)
      const sizes = (yield* requests).map(({ inputTokens }) => inputTokens)
      assert.isBelow(sizes.at(-1) ?? 0, (sizes[1] ?? 0) - 200)
      // other tools or another system prompt are another prefix too
      assert.strictEqual((yield* back("a", { system: "Be terse." })).status, 400)
    })
  )

  it.scopedLive("know our summary request, also behind what the user said in the same message", () =>
    Effect.gen(function* () {
      const { post, requests } = yield* anthropic({ answers: () => say("ok") })
      const said = [user("Fix src/a.ts."), assistant([text("I look."), use("t1")])]
      const instruction = `${firstLine}\n## Goal\n## Files`
      for (const messages of [
        [...said, user([result("t1"), text("Then write docs/b.md."), text(instruction, mark)])],
        [...said, user([result("t1")]), user("Then write docs/b.md."), user(instruction)]
      ]) {
        const { body } = yield* post(request(messages, { max_tokens: 400 }))
        const summary = body["content"][0].text
        assert.strictEqual(
          summary,
          "## Goal\n- Fix src/a.ts.\n- Then write docs/b.md.\n\n## Files\n- src/a.ts\n- docs/b.md"
        )
      }
      yield* post(request([user("Summarise the conversation above, please.")]))
      assert.deepStrictEqual(
        (yield* requests).map(({ kind }) => kind),
        ["summary", "summary", "conversation"]
      )
    })
  )
})
