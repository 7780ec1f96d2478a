import { assert, describe, it } from "@effect/vitest"
import { classify, judge, type Evidence } from "../../src/errors/classify.ts"
import type { ModelError } from "../../src/errors/ModelError.ts"

const route = { provider: "deepseek", model: "deepseek-chat" }
const http = (status: number, body: unknown, more: Partial<Evidence> = {}): Evidence => ({
  route,
  status,
  body,
  delivery: "http",
  ...more
})

interface Case {
  readonly name: string
  readonly evidence: Evidence
  readonly expected: Partial<Record<string, unknown>> & { readonly _tag: ModelError["_tag"] }
}

const chat = (message: string, more: object = {}) => ({ error: { message, type: "invalid_request_error", ...more } })

const cases: ReadonlyArray<Case> = [
  {
    name: "DeepSeek's sum of messages and completion: requested is the input",
    evidence: http(
      400,
      chat(
        "This model's maximum context length is 7000 tokens. However, you requested 7321 tokens (6321 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."
      )
    ),
    expected: { _tag: "ContextWindowExceeded", limit: 7000, requested: 6321, limitCounts: "input-and-output" }
  },
  {
    name: "OpenAI's code with the sum in its words",
    evidence: http(
      400,
      chat(
        "This model's maximum context length is 9100 tokens, however you requested 9200 tokens (9000 in your prompt; 200 for the completion). Please reduce your prompt.",
        { code: "context_length_exceeded" }
      )
    ),
    expected: { _tag: "ContextWindowExceeded", limit: 9100, requested: 9000, limitCounts: "input-and-output" }
  },
  {
    name: "OpenAI's code without figures",
    evidence: http(
      400,
      chat("Your input exceeds the context window of this model.", { code: "context_length_exceeded" })
    ),
    expected: { _tag: "ContextWindowExceeded", limit: undefined, requested: undefined, limitCounts: undefined }
  },
  {
    name: "OpenAI's code, with the input in its words",
    evidence: http(
      400,
      chat(
        "This model's maximum context length is 640 tokens. However, your messages resulted in 711 tokens (611 in the messages, 100 in the functions).",
        { code: "context_length_exceeded" }
      )
    ),
    expected: { _tag: "ContextWindowExceeded", limit: 640, requested: 711, limitCounts: "input" }
  },
  {
    name: "OpenAI's configured limit",
    evidence: http(
      400,
      chat("Input tokens exceed the configured limit of 5500 tokens. Your messages resulted in 6001 tokens.")
    ),
    expected: { _tag: "ContextWindowExceeded", limit: 5500, requested: 6001, limitCounts: "input" }
  },
  {
    name: "vLLM's request has",
    evidence: http(400, {
      object: "error",
      message:
        "This model's maximum context length is 3000 tokens. However, your request has 3111 input tokens. Please reduce the length of the input messages."
    }),
    expected: { _tag: "ContextWindowExceeded", limit: 3000, requested: 3111, limitCounts: "input" }
  },
  {
    name: "llama.cpp's fields",
    evidence: http(400, {
      error: { code: 400, type: "exceed_context_size_error", message: "too large", n_prompt_tokens: 812, n_ctx: 640 }
    }),
    expected: { _tag: "ContextWindowExceeded", limit: 640, requested: 812, limitCounts: "input" }
  },
  {
    name: "Ollama with status 500",
    evidence: http(500, { error: "the request exceeds the available context size" }),
    expected: { _tag: "ContextWindowExceeded" }
  },
  {
    name: "Anthropic's prompt is too long",
    evidence: http(400, { type: "error", error: { message: "prompt is too long: 70001 tokens > 70000 maximum" } }),
    expected: { _tag: "ContextWindowExceeded", limit: 70000, requested: 70001, limitCounts: "input" }
  },
  {
    name: "Anthropic's input and output",
    evidence: http(400, {
      error: { message: "input length and `max_tokens` exceed context limit: 60000 + 9000 > 68000, decrease them" }
    }),
    expected: { _tag: "ContextWindowExceeded", limit: 68000, requested: 60000, limitCounts: "input-and-output" }
  },
  {
    name: "only the sum is stated, and the request's own output is known",
    evidence: http(
      413,
      {
        errors: [
          {
            message:
              "The estimated number of input and maximum output tokens (5000) exceeded this model context window limit (4000)."
          }
        ]
      },
      { maxOutputTokens: 1500 }
    ),
    expected: { _tag: "ContextWindowExceeded", limit: 4000, requested: 3500, limitCounts: "input-and-output" }
  },
  {
    name: "a 413 about bytes",
    evidence: http(413, chat("request body exceeds maximum size of 9 MB")),
    expected: { _tag: "PayloadTooLarge", status: 413 }
  },
  { name: "a 413 without words", evidence: http(413, "<html>413</html>"), expected: { _tag: "PayloadTooLarge" } },
  {
    name: "a per-minute limit under 413 that mentions tokens",
    evidence: http(413, chat("Request too large on tokens per minute (TPM): Limit 700, Requested 900", { code: "x" })),
    expected: { _tag: "RateLimited", limit: 700, requested: 900, neverFits: true }
  },
  {
    name: "a per-minute limit that waiting helps",
    evidence: http(
      429,
      chat("Rate limit reached on tokens per min (TPM): Limit 800, Used 700, Requested 300. Please try again in 1.5s.")
    ),
    expected: { _tag: "RateLimited", limit: 800, requested: 300, neverFits: undefined, retryAfter: 1500 }
  },
  {
    name: "the header's wait before the text's",
    evidence: http(429, chat("please try again in 20s"), { retryAfter: 7 }),
    expected: { _tag: "RateLimited", retryAfter: 7 }
  },
  {
    name: "429 with words of an overflow",
    evidence: http(
      429,
      chat("maximum context length exceeded: prompt is too long", { code: "context_length_exceeded" })
    ),
    expected: { _tag: "RateLimited" }
  },
  {
    name: "quota",
    evidence: http(429, chat("You exceeded your current quota.", { code: "insufficient_quota" })),
    expected: { _tag: "QuotaExceeded" }
  },
  {
    name: "DeepSeek's balance",
    evidence: http(402, chat("Insufficient Balance", { type: "unknown_error" })),
    expected: { _tag: "QuotaExceeded" }
  },
  {
    name: "a wrong key",
    evidence: http(401, chat("prompt is too long: 9 tokens > 8 maximum")),
    expected: { _tag: "AuthenticationFailed" }
  },
  { name: "a forbidden model", evidence: http(403, "no"), expected: { _tag: "AuthenticationFailed" } },
  {
    name: "a model's name is no evidence",
    evidence: http(
      404,
      chat("The model `context-length-exceeded` does not exist", { code: "context_length_exceeded" })
    ),
    expected: { _tag: "InvalidRequest" }
  },
  {
    name: "an invalid request",
    evidence: http(400, chat("temperature exceeds maximum allowed value 2")),
    expected: { _tag: "InvalidRequest" }
  },
  {
    name: "too many of something else",
    evidence: http(400, chat("You requested 12 images but the limit is 10")),
    expected: { _tag: "InvalidRequest" }
  },
  {
    name: "too much output",
    evidence: http(400, chat("max_tokens: 9000 > 4000, which is the maximum allowed number of output tokens")),
    expected: { _tag: "OutputLimitExceeded", limit: 4000 }
  },
  {
    name: "a server that mentions the window",
    evidence: http(500, chat("internal error computing context window")),
    expected: { _tag: "ProviderUnavailable" }
  },
  {
    name: "503",
    evidence: http(503, "Service unavailable: too many tokens"),
    expected: { _tag: "ProviderUnavailable" }
  },
  { name: "504", evidence: http(504, ""), expected: { _tag: "ProviderTimeout" } },
  { name: "408", evidence: http(408, "prompt is too long"), expected: { _tag: "ProviderTimeout" } },
  {
    name: "an overloaded server inside the stream",
    evidence: {
      route,
      status: 200,
      delivery: "sse-error",
      body: { type: "error", error: { type: "overloaded_error" } }
    },
    expected: { _tag: "ProviderUnavailable", detail: "error overloaded_error" }
  },
  {
    name: "an overflow finish reason",
    evidence: { route, delivery: "finish-reason", body: { finish_reason: "model_context_window_exceeded" } },
    expected: { _tag: "ContextWindowExceeded" }
  },
  {
    name: "JSON in a string in JSON",
    evidence: http(400, {
      error: {
        message: "Provider returned error",
        metadata: { raw: JSON.stringify({ error: { message: "prompt is too long: 31 tokens > 30 maximum" } }) }
      }
    }),
    expected: { _tag: "ContextWindowExceeded", limit: 30, requested: 31 }
  },
  {
    name: "a cause chain",
    evidence: {
      route,
      delivery: "thrown",
      body: new Error("failed", { cause: new Error("prompt is too long: 31 > 30") })
    },
    expected: { _tag: "ContextWindowExceeded", limit: 30, requested: 31 }
  },
  {
    name: "what the user wrote is not evidence",
    evidence: http(400, {
      error: { message: "1 validation error. input_value='prompt is too long: 9 > 8'" },
      input: "prompt is too long: 9 > 8",
      messages: [{ role: "user", message: "context length exceeded" }]
    }),
    expected: { _tag: "InvalidRequest" }
  },
  {
    name: "nothing known",
    evidence: { route, delivery: "thrown", body: "computer says no" },
    expected: { _tag: "ProviderError" }
  }
]

describe("classify", () => {
  for (const { name, evidence, expected } of cases) {
    it(name, () => {
      const error = classify(evidence)
      const got = Object.fromEntries(
        Object.keys(expected).map((key) => [key, (error as never as Record<string, unknown>)[key]])
      )
      assert.deepStrictEqual(got, expected)
    })
  }

  it.each([
    ["try again in 120ms", 120],
    ["Please retry in 26.5s.", 26_500],
    ["Please retry after 6 seconds.", 6_000],
    ["try again in 7m12.5s", 432_500],
    ["try again in 1h2m3s", 3_723_000],
    ["Please try again in 12h0m.", 43_200_000],
    ["try again in 5 minutes", 300_000],
    ["please try again in 1 hour", 3_600_000],
    [`try again in ${"9".repeat(400)}s`, Number.MAX_SAFE_INTEGER],
    ["try again in a moment", undefined],
    ["try again in 5 mistakes", undefined]
  ])("reads how long to wait: %s", (words, retryAfter) => {
    assert.strictEqual((classify(http(429, chat(words))) as { retryAfter?: number }).retryAfter, retryAfter)
  })

  it("keeps the figure that the provider calls requested beside the input", () => {
    const verdict = judge(
      http(
        400,
        chat(
          "This model's maximum context length is 10 tokens. However, you requested 12 tokens (9 in the messages, 3 in the completion)."
        )
      )
    )
    assert.deepInclude(verdict, { requested: 12, input: 9, limit: 10 })
  })

  it("reads the body that a client's error holds as it came, and no other text in its place", () => {
    const words =
      "This model's maximum context length is 1000 tokens. However, your messages resulted in 1200 tokens. Please reduce the length of the messages."
    const said = JSON.stringify(chat(words))
    const asked = JSON.stringify({ messages: [{ role: "user", content: words }] })
    const tagOf = (thrown: object) => judge({ route, status: 400, body: thrown, delivery: "thrown" }).tag
    assert.strictEqual(tagOf({ status: 400, body: said }), "ContextWindowExceeded")
    assert.strictEqual(tagOf({ status: 400, responseBody: said }), "ContextWindowExceeded")
    for (const body of [asked, words]) {
      assert.strictEqual(tagOf({ status: 400, body }), "InvalidRequest")
    }
  })

  it("asks the application's rows first [P1]", () => {
    const rows = [
      { id: "mine", wording: /zu lang \((?<input>\d+) statt (?<limit>\d+)\)/, tag: "ContextWindowExceeded" as const }
    ]
    assert.deepInclude(classify(http(400, "zu lang (12 statt 10)", { rows })), { limit: 10, requested: 12 })
    assert.strictEqual(classify(http(401, "zu lang (12 statt 10)", { rows }))._tag, "AuthenticationFailed")
  })

  it("cuts the excerpt, not inside a pair, and takes secrets out before it cuts", () => {
    const secret = "sk-planted"
    const { detail } = classify(
      http(400, chat(`${"x".repeat(494)}${secret}${"😀".repeat(300)}`), { secrets: [secret] })
    )
    assert.isAtMost(detail.length, 500)
    assert.notInclude(detail, "sk-")
    assert.notMatch(detail, /\p{Surrogate}/u)
    const pairs = classify(http(400, chat(`x${"😀".repeat(400)}`), {})).detail
    assert.isAtMost(pairs.length, 500)
    assert.notMatch(pairs, /\p{Surrogate}/u)
  })

  it("takes out a secret as JSON writes it, too", () => {
    const secret = 'id="a\\b"'
    for (const body of [secret, JSON.stringify({ headers: secret }), { message: JSON.stringify({ sent: secret }) }]) {
      assert.notInclude(classify(http(400, body, { secrets: [secret] })).detail, "a\\")
    }
  })

  it("takes out a secret in a code, whatever its case", () => {
    const secrets = ["sk-Planted.Key+7/x"]
    for (const field of ["code", "type"]) {
      const { detail } = classify(http(400, { error: { [field]: secrets[0] } }, { secrets }))
      assert.include(detail, "<redacted>")
      assert.notMatch(detail, /planted/i)
    }
  })

  it("takes out a secret of a few letters where it stands alone: servers that want no key get one", () => {
    const { detail } = classify(http(400, chat("not a key: k, but a token"), { secrets: ["k"] }))
    assert.strictEqual(detail, "not a key: <redacted>, but a token")
  })

  it("survives cycles, depth, getters that throw and absurd sizes", () => {
    const cyclic: Record<string, unknown> = { message: "a" }
    cyclic["cause"] = cyclic
    let deep: Record<string, unknown> = { message: "prompt is too long" }
    for (let i = 0; i < 1000; i++) deep = { error: deep }
    const throwing = Object.defineProperty({}, "message", {
      enumerable: true,
      get: () => {
        throw new Error("no")
      }
    })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    for (const body of [
      revoked.proxy,
      { error: revoked.proxy },
      Object.assign(new Error("x"), { message: 5 }),
      cyclic,
      deep,
      throwing,
      null,
      undefined,
      5,
      [],
      "{",
      "[".repeat(100_000),
      "request ".repeat(200_000)
    ]) {
      assert.strictEqual(classify(http(400, body))._tag, "InvalidRequest")
    }
  })
})

it("a figure that JSON reads as infinite is none", () => {
  const body =
    '{"error":{"code":"exceed_context_size_error","message":"too long","n_ctx":1e999,"n_prompt_tokens":1e999}}'
  const { limit, requested, tag } = judge(http(400, body))
  assert.deepStrictEqual([tag, limit, requested], ["ContextWindowExceeded", undefined, undefined])
})
