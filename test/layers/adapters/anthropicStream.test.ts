import { assert, describe, it } from "@effect/vitest"
import type { AnswerContext, Decoded } from "../../../src/layers/adapters/answerDecoder.ts"
import * as Stream from "../../../src/layers/adapters/anthropicStream.ts"
import type { Fields } from "../../../src/layers/adapters/looseJson.ts"

const context: AnswerContext = {
  route: { provider: "anthropic", model: "claude-opus-4-6" },
  status: 200,
  callId: (index) => `call_7_${index}`
}

const run = (events: ReadonlyArray<unknown>, more: Partial<AnswerContext> = {}) => {
  const decoder = Stream.make({ ...context, ...more })
  const decoded: Array<Decoded> = []
  for (const event of events) {
    const data = typeof event === "string" ? event : JSON.stringify(event)
    decoded.push(decoder.event({ event: String((event as Fields)["type"] ?? "message"), data }))
    if (decoded.at(-1)?.done === true) break
  }
  if (decoded.at(-1)?.done !== true) decoded.push(decoder.end())
  return { parts: decoded.flatMap(({ parts }) => parts), failure: decoded.at(-1)?.failure }
}

const usage = { input_tokens: 206, cache_read_input_tokens: 98_432, cache_creation_input_tokens: 12, output_tokens: 1 }
const start = { type: "message_start", message: { type: "message", role: "assistant", content: [], usage } }
const open = (index: number, block: Fields) => ({ type: "content_block_start", index, content_block: block })
const delta = (index: number, piece: Fields) => ({ type: "content_block_delta", index, delta: piece })
const close = (index: number) => ({ type: "content_block_stop", index })
const text = (index: number, said: string) => [
  open(index, { type: "text", text: "" }),
  delta(index, { type: "text_delta", text: said }),
  close(index)
]
const call = (index: number, id: string, ...pieces: ReadonlyArray<string>) => [
  open(index, { type: "tool_use", id, name: "read", input: {} }),
  ...pieces.map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  close(index)
]
const stop = (reason: string, more: Fields = {}) => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null, ...more }, usage: { output_tokens: 40 } },
  { type: "message_stop" }
]
const counted = { inputTokens: 98_650, outputTokens: 40, cachedTokens: 98_432, cacheWriteTokens: 12 }

describe("the stream of Anthropic's messages", () => {
  it("gives text as it comes, and counts what the cache read and wrote once [CACHEACC-3 CACHEACC-4]", () => {
    const { failure, parts } = run([start, { type: "ping" }, ...text(0, "Good day"), ...stop("end_turn")])
    assert.isUndefined(failure)
    assert.deepStrictEqual(parts, [
      { type: "text-delta", delta: "Good day" },
      { type: "finish", reason: "stop", usage: counted }
    ])
  })

  it("takes the later count, and none where a server counts nothing", () => {
    const zeros = { type: "message_start", message: { usage: { input_tokens: 0, output_tokens: 0 } } }
    const last = (usage: Fields) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage })
    const of = (...events: ReadonlyArray<unknown>) =>
      run([...events, ...text(0, "a"), last({ output_tokens: 3, input_tokens: 9 })]).parts.at(-1)
    assert.deepInclude(of(zeros), { usage: { inputTokens: 9, outputTokens: 3 } })
    assert.notProperty(run([zeros, ...text(0, "a"), last({ output_tokens: 0 })]).parts.at(-1), "usage")
    assert.deepInclude(
      run([start, ...text(0, "a"), last({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 })]).parts.at(
        -1
      ),
      { usage: counted }
    )
    const odd = { type: "message_start", message: { usage: { input_tokens: 7, cache_read_input_tokens: null } } }
    assert.deepInclude(run([odd, ...text(0, "a"), last({ output_tokens: 2 })]).parts.at(-1), {
      usage: { inputTokens: 7, outputTokens: 2 }
    })
  })

  it("keeps reasoning with its signature where it stands, between calls too [REASON-3]", () => {
    const { parts } = run([
      start,
      open(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "hm" }),
      delta(0, { type: "signature_delta", signature: "s1" }),
      close(0),
      open(1, { type: "redacted_thinking", data: "AAAA" }),
      close(1),
      ...call(2, "a", "", '{"path":', '"x"}'),
      // its text is not shown
      open(3, { type: "thinking", thinking: "", signature: "s2" }),
      close(3),
      open(4, { type: "thinking", thinking: "unsigned" }),
      close(4),
      ...call(5, "b"),
      ...stop("tool_use")
    ])
    assert.deepStrictEqual(parts, [
      { type: "reasoning-delta", delta: "hm" },
      { type: "reasoning-end", signature: "s1", provider: "anthropic" },
      { type: "reasoning-end", redacted: "AAAA", provider: "anthropic" },
      { type: "tool-call", id: "a", name: "read", arguments: { path: "x" } },
      { type: "reasoning-end", signature: "s2", provider: "anthropic" },
      { type: "reasoning-delta", delta: "unsigned" },
      { type: "reasoning-end" },
      { type: "tool-call", id: "b", name: "read", arguments: {} },
      { type: "finish", reason: "tool-calls", usage: counted }
    ])
  })

  it("keeps blocks of other kinds as they came, with the input that came in pieces, and leaves out citations", () => {
    const result = { type: "web_search_tool_result", tool_use_id: "s", content: [{ url: "https://x.test" }] }
    const { parts } = run([
      start,
      open(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"query":' }),
      delta(0, { type: "input_json_delta", partial_json: '"x"}' }),
      close(0),
      open(1, result),
      close(1),
      open(2, { type: "text", text: "", citations: [] }),
      delta(2, { type: "citations_delta", citation: { url: "https://x.test" } }),
      delta(2, { type: "text_delta", text: "found" }),
      close(2),
      ...stop("end_turn")
    ])
    // an answer of them alone is one
    const paused = run([start, open(0, { type: "server_tool_use", id: "s" }), close(0), ...stop("pause_turn")])
    assert.deepInclude(paused.parts.at(-1), { reason: "unknown" })
    assert.deepStrictEqual(parts.slice(0, -1), [
      {
        type: "unknown",
        value: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
        provider: "anthropic"
      },
      { type: "unknown", value: result, provider: "anthropic" },
      { type: "text-delta", delta: "found" }
    ])
  })

  it("knows the reasons to stop", () => {
    const reasons = (...events: ReadonlyArray<unknown>) =>
      ["end_turn", "stop_sequence", "tool_use", "max_tokens", "refusal", "pause_turn", "compaction", overflow].map(
        (reason) => {
          const { failure, parts } = run([start, ...events, ...stop(reason)])
          const last = parts.at(-1)
          return failure?._tag ?? (last?.type === "finish" ? last.reason : last?.type)
        }
      )
    assert.deepStrictEqual(reasons(...text(0, "a")), [
      "stop",
      "stop",
      "tool-calls",
      "length",
      "content-filter",
      "unknown",
      "unknown",
      "length"
    ])
    assert.deepStrictEqual(reasons(), [
      "EmptyResponse",
      "EmptyResponse",
      "EmptyResponse",
      "length",
      "ContentFiltered",
      "EmptyResponse",
      "EmptyResponse",
      "ContextWindowExceeded"
    ])
    assert.strictEqual(reasons(...call(0, "a", "{}"))[0], "tool-calls")
  })

  const overflow = "model_context_window_exceeded"

  it("takes a full window for an overflow if nothing but reasoning came, and drops the torn call of one that spoke", () => {
    const thought = [open(0, { type: "thinking", thinking: "hm", signature: "s" }), close(0)]
    assert.strictEqual(run([start, ...thought, ...stop(overflow)]).failure?._tag, "ContextWindowExceeded")
    const spoke = run([start, ...text(0, "a"), ...call(1, "t", '{"path":'), ...stop(overflow)])
    assert.deepStrictEqual(spoke.parts, [
      { type: "text-delta", delta: "a" },
      { type: "finish", reason: "length", usage: counted }
    ])
  })

  it("keeps no torn call of an answer that was cut off, and every call of one that was not", () => {
    const ids = (reason: string, ...events: ReadonlyArray<unknown>) =>
      run([start, ...events, ...stop(reason)]).parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
    const whole = call(0, "whole", '{"a":1}')
    assert.deepStrictEqual(ids("max_tokens", ...whole, ...call(1, "torn", '{"a":')), ["whole"])
    assert.deepStrictEqual(ids("max_tokens", ...whole, ...call(1, "torn")), ["whole"])
    assert.deepStrictEqual(ids("refusal", ...whole, ...call(1, "torn", '{"a":')), ["whole"])
    // the block of one was not even closed
    assert.deepStrictEqual(ids("max_tokens", ...whole, ...call(1, "torn", '{"a":').slice(0, -1)), ["whole"])
    assert.deepStrictEqual(ids("tool_use", ...call(0, "a"), ...call(1, "b", "{bad"), ...call(2, "c", "{}")), [
      "a",
      "b",
      "c"
    ])
    assert.deepInclude(run([start, ...call(0, "", "{bad"), ...stop("tool_use")]).parts[0], {
      id: "call_7_0",
      arguments: "{bad"
    })
  })

  it("gives tools their own names back", () => {
    const block = { type: "tool_use", id: "a", name: "x-fs-2e-read", input: { path: "x" } }
    assert.deepInclude(run([start, open(0, block), close(0), ...stop("tool_use")]).parts[0], {
      name: "fs.read",
      arguments: { path: "x" }
    })
  })

  it("tells an overflow at the window's edge from a short answer", () => {
    assert.strictEqual(run([start, ...stop("max_tokens")], { window: 98_700 }).failure?._tag, "ContextWindowExceeded")
    assert.isUndefined(run([start, ...stop("max_tokens")], { window: 200_000 }).failure)
  })

  it("reads errors inside the stream, in place of it, and of a stream that just ends", () => {
    const error = (message: string, type = "invalid_request_error") => ({ type: "error", error: { type, message } })
    const tag = (...events: ReadonlyArray<unknown>) => run(events).failure?._tag
    assert.strictEqual(tag(start, ...text(0, "a"), error("Overloaded", "overloaded_error")), "ProviderUnavailable")
    const long = run([error("prompt is too long: 210000 tokens > 200000 maximum")]).failure
    assert.deepInclude(long, { _tag: "ContextWindowExceeded", limit: 200_000, requested: 210_000 })
    assert.strictEqual(tag({ error: { message: "prompt is too long: 3 > 2" } }), "ContextWindowExceeded")
    const rows = (delivery: "sse-error" | "exit-200-body") => [
      { id: "own", tag: "QuotaExceeded" as const, delivery: [delivery], wording: /no more/ }
    ]
    const own = (delivery: "sse-error" | "exit-200-body", ...events: ReadonlyArray<Fields>) =>
      run([...events, { error: { message: "no more" } }], { rows: rows(delivery) }).failure?._tag
    assert.strictEqual(own("exit-200-body"), "QuotaExceeded")
    assert.strictEqual(own("sse-error", start), "QuotaExceeded")
    assert.strictEqual(tag(start, ...text(0, "a")), "MalformedResponse")
    assert.strictEqual(tag(), "MalformedResponse")
    assert.strictEqual(tag(start, "{torn"), "MalformedResponse")
    // behind the reason to stop it takes nothing away
    assert.isUndefined(tag(start, ...text(0, "a"), stop("end_turn")[0], "{torn"))
  })

  it("reads errors in forms that have no field `error`", () => {
    const said = "prompt is too long: 12 tokens > 10 maximum"
    for (const body of [
      { base_resp: { status_code: 2013, status_msg: said } },
      { error_code: 336103, error_msg: said },
      { success: false, errors: [{ message: said }] },
      `error: ${said}`
    ]) {
      assert.deepInclude(run([body]).failure, { _tag: "ContextWindowExceeded", limit: 10, requested: 12 })
    }
    assert.include(run([{ state: "no model is loaded" }]).failure?.detail, "no model is loaded")
  })

  it("says why an answer was refused, where the provider does", () => {
    const refused = run([start, ...stop("refusal", { stop_details: { type: "refusal", explanation: "not this" } })])
    assert.deepInclude(refused.failure, { _tag: "ContentFiltered", detail: "not this" })
  })

  it("reads an answer that is not streamed", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "whole" },
      { type: "tool_use", id: "a", name: "read", input: { path: "x" } }
    ]
    const { parts } = run([
      { type: "message", content, stop_reason: "tool_use", usage: { ...usage, output_tokens: 40 } }
    ])
    assert.deepStrictEqual(parts, [
      { type: "reasoning-delta", delta: "hm" },
      { type: "reasoning-end", signature: "s", provider: "anthropic" },
      { type: "text-delta", delta: "whole" },
      { type: "tool-call", id: "a", name: "read", arguments: { path: "x" } },
      { type: "finish", reason: "tool-calls", usage: counted }
    ])
  })
})
