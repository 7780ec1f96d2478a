import { assert, describe, it } from "@effect/vitest"
import type { ModelError } from "../../../src/errors/ModelError.ts"
import type { AnswerContext } from "../../../src/layers/adapters/answerDecoder.ts"
import * as Answer from "../../../src/layers/adapters/openAiChatStream.ts"
import { decodeUsage } from "../../../src/layers/adapters/openAiChatUsage.ts"
import type { Part } from "../../../src/services/ModelAdapter.ts"

const context: AnswerContext = {
  route: { provider: "openai", model: "m" },
  status: 200,
  callId: (index) => `made-${index}`
}

const run = (events: ReadonlyArray<unknown>, more: Partial<AnswerContext> = {}) => {
  const decoder = Answer.make({ ...context, ...more })
  const parts: Array<Part> = []
  let failure: ModelError | undefined
  const steps = [
    ...events.map(
      (event) => () =>
        decoder.event(
          typeof event === "string"
            ? { event: "message", data: event }
            : Array.isArray(event)
              ? { event: event[0], data: event[1] }
              : { event: "message", data: JSON.stringify(event) }
        )
    ),
    decoder.end
  ]
  for (const step of steps) {
    const decoded = step()
    parts.push(...decoded.parts)
    failure ??= decoded.failure
  }
  return { parts, failure }
}

const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields }] })
const finish = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const usage = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion }
})
const call = (index: unknown, id: unknown, name: unknown, args: unknown) =>
  delta({ tool_calls: [{ index, id, function: { name, arguments: args } }] })

describe("openAiChatStream", () => {
  it("text, then the finish with the usage that comes after it [USAGE-1]", () => {
    assert.deepStrictEqual(
      run([
        delta({ role: "assistant", content: "" }),
        delta({ content: "Hel" }),
        delta({ content: "lo" }),
        finish("stop"),
        usage(9, 2),
        "[DONE]",
        delta({ content: "late" })
      ]),
      {
        parts: [
          { type: "text-delta", delta: "Hel" },
          { type: "text-delta", delta: "lo" },
          { type: "finish", reason: "stop", usage: { inputTokens: 9, outputTokens: 2 } }
        ],
        failure: undefined
      }
    )
  })

  it("usage that comes again and again counts once, as it was said last [A31]", () => {
    const { parts } = run([
      { ...delta({ content: "a" }), usage: { prompt_tokens: 9, completion_tokens: 1 } },
      { ...finish("stop"), usage: { prompt_tokens: 9, completion_tokens: 2 } },
      usage(9, 3),
      usage(9, 3)
    ])
    assert.deepStrictEqual(
      parts.filter(({ type }) => type === "finish"),
      [{ type: "finish", reason: "stop", usage: { inputTokens: 9, outputTokens: 3 } }]
    )
  })

  it("reasoning in its details, and in a list of parts; a call in the form of old servers", () => {
    const types = (...events: ReadonlyArray<unknown>) => run([...events, finish("stop")]).parts.slice(0, -1)
    assert.deepStrictEqual(
      types(
        delta({ reasoning_details: [{ type: "reasoning.summary", summary: "a" }, { text: "b" }, { data: "AAAA" }] }),
        delta({ reasoning: "c", reasoning_details: [{ type: "reasoning.text", text: "c" }] }),
        delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "d" }] }] }),
        delta({
          content: [
            { type: "text", text: "e" },
            { type: "text", text: "f" }
          ]
        })
      ),
      [
        { type: "reasoning-delta", delta: "ab" },
        { type: "reasoning-delta", delta: "c" },
        { type: "reasoning-delta", delta: "d" },
        { type: "reasoning-end" },
        { type: "text-delta", delta: "ef" }
      ]
    )
    assert.deepStrictEqual(
      types(delta({ function_call: { name: "f", arguments: "" } }), delta({ function_call: { arguments: '{"a":1}' } })),
      [{ type: "tool-call", id: "made-0", name: "f", arguments: { a: 1 } }]
    )
  })

  it("reasoning under both names, closed before the text", () => {
    const { parts } = run([
      delta({ reasoning_content: "a", reasoning: "a" }),
      delta({ reasoning: "b" }),
      delta({ content: "c" }),
      finish("stop")
    ])
    assert.deepStrictEqual(parts.slice(0, -1), [
      { type: "reasoning-delta", delta: "a" },
      { type: "reasoning-delta", delta: "b" },
      { type: "reasoning-end" },
      { type: "text-delta", delta: "c" }
    ])
  })

  it("parallel calls in fragments that alternate", () => {
    const { parts } = run([
      call(0, "a", "read", ""),
      call(1, "b", "list", '{"dir'),
      call(0, undefined, undefined, '{"path":'),
      call(1, null, null, '":"/"}'),
      call(0, undefined, undefined, '"x"}'),
      finish("tool_calls")
    ])
    assert.deepStrictEqual(parts, [
      { type: "tool-call", id: "a", name: "read", arguments: { path: "x" } },
      { type: "tool-call", id: "b", name: "list", arguments: { dir: "/" } },
      { type: "finish", reason: "tool-calls" }
    ])
  })

  it("servers that number every call 0, give no id or no index, or send arguments as JSON", () => {
    const ids = (events: ReadonlyArray<unknown>) => run([...events, finish("stop")]).parts
    assert.deepStrictEqual(ids([call(0, "a", "f", "{}"), call(0, "b", "f", "{}")]).slice(0, 2), [
      { type: "tool-call", id: "a", name: "f", arguments: {} },
      { type: "tool-call", id: "b", name: "f", arguments: {} }
    ])
    assert.deepStrictEqual(ids([call(undefined, undefined, "f", { a: 1 })]), [
      { type: "tool-call", id: "made-0", name: "f", arguments: { a: 1 } },
      { type: "finish", reason: "tool-calls" }
    ])
    assert.deepStrictEqual(ids([call(0, "a", "f", "{broken")])[0], {
      type: "tool-call",
      id: "a",
      name: "f",
      arguments: "{broken"
    })
  })

  it("servers that number every call 0 and give no id, each call whole", () => {
    const { parts } = run([
      call(0, "", "read", '{"path":"a"}'),
      delta({
        tool_calls: [
          { index: 0, id: "", function: { name: "read", arguments: '{"path":"b"}' } },
          { index: 0, id: "", function: { name: "list", arguments: { dir: "/" } } }
        ]
      }),
      finish("tool_calls")
    ])
    assert.deepStrictEqual(parts.slice(0, -1), [
      { type: "tool-call", id: "made-0", name: "read", arguments: { path: "a" } },
      { type: "tool-call", id: "made-1", name: "read", arguments: { path: "b" } },
      { type: "tool-call", id: "made-2", name: "list", arguments: { dir: "/" } }
    ])
  })

  it("names that come in pieces, again with each piece, or longer each time", () => {
    const names = (...pieces: ReadonlyArray<readonly [name: string, args: string]>) =>
      run([...pieces.map(([name, args]) => call(0, "a", name, args)), finish("tool_calls")]).parts.flatMap((part) =>
        part.type === "tool-call" ? [[part.name, part.arguments]] : []
      )
    assert.deepStrictEqual(names(["read_", ""], ["file", ""], ["", "{}"]), [["read_file", {}]])
    assert.deepStrictEqual(names(["read", '{"a"'], ["read", ":1"], ["read", "}"], ["read", ""]), [["read", { a: 1 }]])
    assert.deepStrictEqual(names(["read_", ""], ["read_file", "{}"]), [["read_file", {}]])
    // without an id the same
    const repeated = ['{"a"', ":1}", ""].map((args) => call(0, undefined, "read", args))
    assert.lengthOf(run([...repeated, finish("tool_calls")]).parts, 2)
  })

  it("drops the call that a length stop cut", () => {
    assert.deepStrictEqual(run([call(0, "a", "f", '{"x":1}'), call(1, "b", "f", '{"x":'), finish("length")]).parts, [
      { type: "tool-call", id: "a", name: "f", arguments: { x: 1 } },
      { type: "finish", reason: "length" }
    ])
  })

  it("of several answers the first that began", () => {
    const of = (index: number, content: string, reason: string | null = null) => ({
      index,
      delta: { content },
      finish_reason: reason
    })
    const { failure, parts } = run([
      { choices: [of(0, "a")] },
      { choices: [of(1, "x"), of(0, "b")] },
      { choices: [of(1, "", "content_filter")] },
      { choices: [{ delta: { content: "c" } }] },
      { choices: [of(0, "", "stop")] }
    ])
    assert.isUndefined(failure)
    assert.deepStrictEqual(parts, [
      { type: "text-delta", delta: "a" },
      { type: "text-delta", delta: "b" },
      { type: "text-delta", delta: "c" },
      { type: "finish", reason: "stop" }
    ])
  })

  it("finish reasons", () => {
    const reason = (given: string) => run([delta({ content: "x" }), finish(given)])
    assert.deepStrictEqual(
      ["stop", "length", "content_filter", "tool_calls", "something_new"].map((given) => reason(given).parts.at(-1)),
      ["stop", "length", "content-filter", "tool-calls", "unknown"].map((r) => ({ type: "finish", reason: r }) as Part)
    )
    assert.strictEqual(reason("model_context_window_exceeded").failure?._tag, "ContextWindowExceeded")
    assert.strictEqual(reason("insufficient_system_resource").failure?._tag, "ProviderUnavailable")
  })

  it("errors inside the stream, in every form", () => {
    const overflow = { message: "prompt is too long: 12 tokens > 10 maximum", type: "invalid_request_error" }
    for (const event of [
      { error: overflow },
      { ...overflow, code: 400 },
      { object: "error", ...overflow },
      ["error", JSON.stringify(overflow)],
      ["error", overflow.message],
      { choices: [{ index: 0, delta: {}, finish_reason: "error", error: overflow }] }
    ]) {
      const { failure } = run([delta({ content: "x" }), event, finish("stop")])
      assert.deepInclude(failure, { _tag: "ContextWindowExceeded", limit: 10, requested: 12 })
    }
    assert.strictEqual(run([{ error: { message: "slow down", code: 429 } }]).failure?._tag, "RateLimited")
    assert.strictEqual(run([{ error: { message: "oops", code: 502 } }]).failure?._tag, "ProviderUnavailable")
  })

  it("what stands in place of an answer, in forms that have no field `error`", () => {
    const said = "prompt is too long: 12 tokens > 10 maximum"
    for (const body of [
      { id: "x", choices: null, base_resp: { status_code: 2013, status_msg: said } },
      { choices: [], base_resp: { status_code: 2013, status_msg: said } },
      { error_code: 336103, error_msg: said },
      { success: false, errors: [{ code: 7, message: said }] },
      { detail: [{ loc: ["body"], msg: said }] },
      JSON.stringify([{ error: { code: 400, message: said, status: "INVALID_ARGUMENT" } }], undefined, 2),
      `error: ${said}`,
      `[ERROR] ${said}`,
      `Error code 400: ${said}`
    ]) {
      assert.deepInclude(run([body]).failure, { _tag: "ContextWindowExceeded", limit: 10, requested: 12 })
      assert.strictEqual(run([delta({ content: "x" }), body]).failure?._tag, "ContextWindowExceeded")
    }
    // what came with an answer is no error, and a torn piece of an answer is nobody's words
    const beside = { choices: [], base_resp: { status_code: 0, status_msg: "success" }, prompt_filter_results: [{}] }
    assert.isUndefined(run([beside, delta({ content: "x" }), finish("stop"), beside]).failure)
    assert.strictEqual(
      run([delta({ content: "x" }), `${said}"}}]}`, finish("stop")]).failure?._tag,
      "MalformedResponse"
    )
    // and one that nobody knows is at least shown
    assert.include(run([{ state: "no model is loaded" }]).failure?.detail, "no model is loaded")
  })

  it("a stream that just ends, and one that cannot be read", () => {
    assert.strictEqual(run([]).failure?._tag, "MalformedResponse")
    assert.strictEqual(run([delta({ content: "x" }), "[DONE]"]).failure?._tag, "MalformedResponse")
    assert.strictEqual(run(["{torn"]).failure?._tag, "MalformedResponse")
    // a torn piece behind the finish takes nothing away
    assert.strictEqual(run([delta({ content: "x" }), finish("stop"), "{torn"]).failure, undefined)
  })

  it("an answer that is not streamed", () => {
    const whole = {
      choices: [
        {
          message: { content: "x", tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] },
          finish_reason: "tool_calls"
        }
      ],
      usage: { prompt_tokens: 3, completion_tokens: 1 }
    }
    assert.deepStrictEqual(
      run([whole]).parts.map((part) => part.type),
      ["text-delta", "tool-call", "finish"]
    )
  })

  it("no content: empty, filtered, or at the window's edge [A122]", () => {
    const tag = (events: ReadonlyArray<unknown>, more?: Partial<AnswerContext>) => run(events, more).failure?._tag
    assert.strictEqual(tag([finish("stop"), usage(5, 0)]), "EmptyResponse")
    assert.strictEqual(tag([delta({ reasoning_content: "a" }), finish("stop")]), "EmptyResponse")
    assert.strictEqual(tag([finish("content_filter")]), "ContentFiltered")
    const length = [finish("length"), usage(995, 3)]
    assert.deepInclude(run(length, { window: 1000 }).failure, {
      _tag: "ContextWindowExceeded",
      limit: 1000,
      requested: 995,
      limitCounts: "input-and-output"
    })
    assert.strictEqual(tag(length), undefined)
    assert.strictEqual(tag(length, { window: 2000 }), undefined)
    assert.strictEqual(tag(length, { window: 1000, maxOutputTokens: 3 }), undefined)
    assert.strictEqual(tag([delta({ content: "x" }), ...length], { window: 1000 }), undefined)
  })

  it("usage in one convention [A19 CACHEACC-1 CACHEACC-3 OPPOSITES-3a OPPOSITES-3b]", () => {
    assert.deepStrictEqual(
      decodeUsage({
        prompt_tokens: 100,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 12 }
      }),
      { inputTokens: 100, outputTokens: 20, cachedTokens: 64, reasoningTokens: 12 }
    )
    assert.deepStrictEqual(decodeUsage({ prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 0 }), {
      inputTokens: 9,
      outputTokens: 1,
      cachedTokens: 0
    })
    // reasoning that is counted beside the answer, and the caches of other servers
    assert.deepStrictEqual(
      decodeUsage({
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 132,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 12 }
      }),
      { inputTokens: 100, outputTokens: 32, cachedTokens: 60, cacheWriteTokens: 30, reasoningTokens: 12 }
    )
    assert.deepInclude(decodeUsage({ prompt_tokens: 9, completion_tokens: 1, cached_tokens: 4 }), { cachedTokens: 4 })
    // gateways that pass Anthropic's names on, with the cached tokens inside or beside: more than the prompt, or in the total
    const named = { completion_tokens: 7, cache_read_input_tokens: 900, cache_creation_input_tokens: 60 }
    const whole = { outputTokens: 7, cachedTokens: 900, cacheWriteTokens: 60 }
    for (const [given, inputTokens] of [
      [{ prompt_tokens: 1000 }, 1000],
      [{ prompt_tokens: 1000, total_tokens: 1007 }, 1000],
      [{ prompt_tokens: 40 }, 1000],
      [{ prompt_tokens: 0 }, 960],
      [{ prompt_tokens: 1000, total_tokens: 1967 }, 1960]
    ] as const) {
      assert.deepStrictEqual(decodeUsage({ ...named, ...given }), { ...whole, inputTokens }, JSON.stringify(given))
    }
    assert.deepInclude(
      run([{ choices: [{ delta: {}, finish_reason: "length", usage: { prompt_tokens: 8 } }] }]).parts[0],
      {
        usage: { inputTokens: 8, outputTokens: 0 }
      }
    )
    for (const none of [
      null,
      {},
      { prompt_tokens: 0, completion_tokens: 0 },
      { prompt_tokens: "9" },
      { prompt_tokens: -1 }
    ]) {
      assert.strictEqual(decodeUsage(none), undefined)
    }
  })
})
