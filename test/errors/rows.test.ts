import { assert, describe, it } from "@effect/vitest"
import type { Row } from "../../src/errors/classifierRow.ts"
import { rows } from "../../src/errors/classifierRows.ts"
import { type Evidence, judge, type Verdict } from "../../src/errors/classify.ts"

type Given = Partial<Omit<Evidence, "route">> & { readonly provider?: string }
type Figures = Pick<Verdict, "limit" | "requested" | "input" | "limitCounts">

/** What a provider says, in an envelope and with figures of our own; as a text it is an error's message under 400. */
interface Fixture {
  readonly given: string | Given
  readonly figures?: Figures
}

const input = (limit: number, tokens: number): Figures => ({
  limit,
  requested: tokens,
  input: tokens,
  limitCounts: "input"
})
const both = (limit: number, requested: number, tokens = requested): Figures => ({
  limit,
  requested,
  input: tokens,
  limitCounts: "input-and-output"
})

const finish = (reason: string): Given => ({
  status: 200,
  delivery: "finish-reason",
  body: { choices: [{ index: 0, delta: {}, finish_reason: reason }] }
})
const coded = (code: string, status = 400, message = "no"): Given => ({ status, body: { error: { code, message } } })

const overflows: Readonly<Record<string, Fixture>> = {
  "openai-prompt-and-completion": {
    given:
      "This endpoint's maximum context length is 900 tokens. However, you requested about 1000 tokens (300 of text input, 50 of tool input, 650 in the output). Please reduce the length of either one.",
    figures: both(900, 1000, 350)
  },
  "openai-messages-resulted": {
    given: "Input tokens exceed the configured limit of 900 tokens. Your messages resulted in 950 tokens.",
    figures: input(900, 950)
  },
  "vllm-input-and-output": {
    given:
      "This model's maximum context length is 900 tokens.\nHowever, you requested 300 output tokens and your prompt contains\nat least 601 input tokens, for a total of at least 901 tokens.",
    figures: both(900, 901, 601)
  },
  "vllm-request-has": {
    given: "This model's maximum context length is 900 tokens. However, your request has 950 input tokens.",
    figures: input(900, 950)
  },
  "vllm-output-does-not-fit": {
    given:
      "'max_tokens' or 'max_completion_tokens' is too large: 400. This model's maximum context length is 900 tokens and your request has 600 input tokens (400 > 900 - 600).",
    figures: both(900, 600)
  },
  "vllm-passed": {
    given:
      "You passed 700 input tokens and requested 300 output tokens. However, the model's context length is only 900 tokens, resulting in a maximum input length of 600 tokens.",
    figures: both(900, 700)
  },
  "vllm-input-length": {
    given: "Input length (950) exceeds model's maximum context length (900).",
    figures: input(900, 950)
  },
  "vllm-decoder-prompt": {
    given: "The decoder prompt (length 950) is longer than the maximum model length of 900.",
    figures: input(900, 950)
  },
  "vllm-no-room-for-output": { given: "max_tokens must be at least 1, got -20." },
  "sglang-input-longer": {
    given: "The input (950 tokens) is longer than the model's context length (900 tokens).",
    figures: input(900, 950)
  },
  "sglang-requested-count": {
    given:
      "Requested token count exceeds the model's maximum context length of 900 tokens. You requested a total of 1000 tokens: 700 tokens from the input messages and 300 tokens for the completion.",
    figures: both(900, 1000, 700)
  },
  "llamacpp-request": {
    given: "request (950 tokens) exceeds the available context size (900 tokens), try increasing it",
    figures: input(900, 950)
  },
  "llamacpp-request-without-figures": {
    given: { status: 500, body: { error: "the request exceeds the available context size" } }
  },
  "llama-cpp-python": {
    given: "Requested tokens (950) exceed context window of 900",
    figures: both(900, 950)
  },
  "anthropic-prompt-too-long": {
    given: "prompt is too long: 950 tokens > 900 maximum",
    figures: input(900, 950)
  },
  "anthropic-input-and-output": {
    given: "input length and `max_tokens` exceed context limit: 700 + 300 > 900, decrease input length",
    figures: both(900, 700)
  },
  "bedrock-too-many-input-tokens": {
    given: {
      status: 400,
      body: { message: "Too many input tokens. Max input tokens: 900, request input token count: 950" }
    },
    figures: input(900, 950)
  },
  "bedrock-model-maximum": {
    given: "prompt tokens (950) exceed model maximum (900) for backend",
    figures: input(900, 950)
  },
  "bedrock-input-too-long": {
    given: {
      delivery: "thrown",
      body: { name: "ValidationException", message: "Input is too long for requested model." }
    }
  },
  "cerebras-current-length": {
    given: "Please reduce the length of the messages or completion. Current length is 950 while limit is 900",
    figures: { limit: 900, requested: 950, input: 950 }
  },
  "cerebras-no-body": { given: { provider: "cerebras", status: 413, body: "" } },
  "cloudflare-estimate": {
    given: {
      status: 413,
      body: {
        errors: [
          {
            code: 5021,
            message:
              "AiError: The estimated number of input and maximum output tokens (1000) exceeded this model context window limit (900)."
          }
        ]
      }
    },
    figures: both(900, 1000)
  },
  "cohere-total": {
    given: "too many tokens: total number of tokens (prompt and prediction) cannot exceed 900 - received 1000.",
    figures: both(900, 1000)
  },
  "cohere-size-limit": {
    given: "too many tokens: size limit exceeded by 50 tokens. The limit for this model is 900 tokens.",
    figures: { limit: 900 }
  },
  "copilot-token-count": { given: "prompt token count of 950 exceeds the limit of 900", figures: input(900, 950) },
  "dashscope-range": {
    given: {
      delivery: "thrown",
      body: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 900]"
    },
    figures: { limit: 900, limitCounts: "input" }
  },
  "gemini-token-count": {
    given: {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            status: "INVALID_ARGUMENT",
            message: "The input token count (950) exceeds the maximum number of tokens allowed (900)."
          }
        }
      ]
    },
    figures: input(900, 950)
  },
  "gemini-model-supports": {
    given:
      "Unable to submit request because the input token count is 950 but model only supports up to 900. Billable characters …",
    figures: input(900, 950)
  },
  "github-models-max-size": {
    given: {
      delivery: "thrown",
      status: 413,
      body: "413 Request body too large for some-1 model. Max size: 900 tokens."
    },
    figures: { limit: 900 }
  },
  "moonshot-model-token-limit": {
    given: "Your request exceeded model token limit: 900 (requested: 950)",
    figures: { limit: 900, requested: 950, input: 950 }
  },
  "lmdeploy-input-length": {
    given: {
      status: 200,
      delivery: "exit-200-body",
      body: {
        choices: [
          {
            finish_reason: "error",
            message: {
              role: "assistant",
              content: "internal error happened, status code ResponseType.INPUT_LENGTH_ERROR"
            }
          }
        ]
      }
    }
  },
  "lmstudio-trying-to-keep": {
    given:
      "Trying to keep the first 950 tokens when context the overflows. However, the model is loaded with context length of only 900 tokens, which is not enough.",
    figures: input(900, 950)
  },
  "lmstudio-cannot-truncate": {
    given: "Cannot truncate prompt with n_keep (950) >= n_ctx (900)",
    figures: input(900, 950)
  },
  "lmstudio-tokens-to-keep": {
    given: {
      status: 200,
      delivery: "sse-error",
      body: "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 950>= n_ctx: 900)."
    },
    figures: input(900, 950)
  },
  "minimax-context-window": { given: "invalid params, context window exceeds limit (2013)" },
  "mistral-too-large-for-model": {
    given: "Prompt contains 950 tokens and 0 draft tokens, too large for model with 900 maximum context length",
    figures: input(900, 950)
  },
  "ollama-prompt-too-long": {
    given: { status: 400, body: { error: "prompt too long; exceeded max context length by 50 tokens" } }
  },
  "tgi-inputs-and-new-tokens": {
    given: {
      status: 422,
      body: {
        error_type: "validation",
        error:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 900. Given: 700 `inputs` tokens and 300 `max_new_tokens`"
      }
    },
    figures: both(900, 700)
  },
  "tgi-inputs": {
    given: "Input validation error: `inputs` must have less than 900 tokens. Given: 950",
    figures: input(900, 950)
  },
  "trtllm-sum-of-lengths": {
    given: "The sum of prompt length (950.0), query length (0) should not exceed max_num_tokens (900)",
    figures: input(900, 950)
  },
  "xai-maximum-prompt-length": {
    given: {
      status: 400,
      body: {
        code: "Client specified an invalid argument",
        error: "This model's maximum prompt length is 900 but the request contains 950 tokens."
      }
    },
    figures: input(900, 950)
  },
  "zhipu-tokens-in-request": { given: "tokens in request more than max tokens allowed" },
  "llamacpp-code": {
    given: {
      status: 400,
      body: { error: { type: "exceed_context_size_error", message: "too large", n_prompt_tokens: 950, n_ctx: 900 } }
    },
    figures: input(900, 950)
  },
  "code-context-length": {
    given: coded("context_length_exceeded", 400, "Current length is 950 while limit is 900"),
    figures: { limit: 900, requested: 950, input: 950 }
  },
  "copilot-code": { given: coded("model_max_prompt_tokens_exceeded") },
  "watsonx-code": { given: { status: 400, body: { errors: [{ code: "token_quantity_exceeded", message: "no" }] } } },
  "github-models-code": {
    given: coded("tokens_limit_reached", 413, "Request body too large for some-1 model. Max size: 900 tokens."),
    figures: { limit: 900 }
  },
  "finish-context-window": { given: finish("model_context_window_exceeded") },
  "finish-model-length": { given: finish("model_length") },
  "finish-context-length": {
    given: { status: 200, delivery: "finish-reason", body: { stats: { stopReason: "contextLengthReached" } } }
  },
  "general-code": { given: coded("input_too_long") },
  "general-code-token-limit": { given: coded("token_limit_exceeded") },
  "general-sent-exceeds-context": { given: "the prompt does not fit into the model's context window" },
  "general-context-exceeded": { given: "context window overflow" },
  "general-code-in-words": { given: "litellm.ContextWindowExceededError: no" },
  "general-too-long": { given: "the conversation is too long" },
  "general-request-too-long": { given: "request too long, count its tokens" },
  "general-too-many-tokens": { given: "Prompt has too many tokens" },
  "general-sent-exceeds-limit": {
    given: "input length 950 exceeds model limit",
    figures: { requested: 950, input: 950 }
  },
  "general-figures-compared": {
    given: "Prompt has 9,500 tokens, but the configured size is 9,000 tokens",
    figures: { limit: 9000, requested: 9500, input: 9500 }
  },
  "general-sum": {
    given: "the prompt and the completion together must be at most 900 tokens",
    figures: { limit: 900 }
  },
  "general-range-of-input": { given: "input length should be between 1 and 900" },
  "general-limit-stated": { given: "This model's maximum context length is 900 tokens.", figures: { limit: 900 } },
  "general-advice-on-length": { given: "Please reduce the length of the messages or completion." },
  "general-advice": { given: "Use fewer tokens: try a shorter prompt" },
  "general-chinese": { given: "提问内容过长" }
}

const others: Readonly<Record<string, Fixture>> = {
  "code-quota": { given: coded("insufficient_quota", 429) },
  "zai-quota": { given: { provider: "z.ai", ...coded("1310", 429) } },
  "zai-overload": { given: { provider: "z.ai", ...coded("1305", 429) } },
  "code-overload": { given: coded("overloaded_error", 529) },
  "code-rate-limit": {
    given: coded("rate_limit_exceeded", 413, "on tokens per minute (TPM): Limit 900, Requested 950"),
    figures: { limit: 900, requested: 950 }
  },
  "code-content-filter": { given: coded("content_filter") },
  "code-authentication": { given: coded("invalid_api_key", 401) },
  "finish-output-limit": { given: finish("length") },
  "finish-content-filter": { given: finish("SAFETY") },
  "finish-broken-off": { given: finish("aborted") },
  "code-payload": { given: coded("request_too_large", 413) },
  "code-timeout": { given: coded("deadline_exceeded", 504) },
  "code-server": { given: coded("server_error", 500) },
  "words-quota": { given: { status: 402, body: "This request requires more credits, or fewer max_tokens." } },
  "words-rate-limit": {
    given: {
      status: 429,
      body: "This request would exceed your organization's rate limit of 900 input tokens per minute."
    },
    figures: { limit: 900 }
  },
  "words-bytes": { given: "request body exceeds maximum size of 9 MB" },
  "words-output-limit": {
    given: "max_tokens: 9000 > 4000, which is the maximum allowed number of output tokens",
    figures: { limit: 4000, requested: 9000 }
  },
  "words-content-filter": { given: "Output blocked by content filtering policy" },
  "words-authentication": { given: "Incorrect API key provided." },
  "words-timeout": { given: { delivery: "thrown", body: "the provider timed out" } },
  "words-server": { given: { delivery: "thrown", body: "The model is currently at capacity due to high demand." } },
  "code-resource-exhausted": { given: { delivery: "thrown", body: { code: "RESOURCE_EXHAUSTED" } } },
  "code-invalid-request": { given: coded("invalid_value", 400) },
  "words-invalid-request": { given: { delivery: "thrown", body: "3 validation errors" } }
}

const evidenceOf = (given: string | Given): Evidence => {
  const { provider = "some-gateway", ...more } =
    typeof given === "string" ? { status: 400, body: { error: { message: given } } } : given
  return { route: { provider, model: "m" }, body: "", delivery: "http", ...more }
}

describe("each row has an error that it places", () => {
  const fixtures = { ...overflows, ...others }
  const byId = new Map<string, Row>(rows.map((row) => [row.id, row]))

  it("and no two rows have one name", () => {
    assert.strictEqual(byId.size, rows.length)
    assert.sameMembers(Object.keys(fixtures), [...byId.keys()])
  })

  for (const [id, { figures = {}, given }] of Object.entries(fixtures)) {
    it(`${id} [P1 CLASSIFY-1]`, () => {
      const { row, tag, why, ...read } = judge(evidenceOf(given))
      assert.deepStrictEqual({ row, tag }, { row: id, tag: byId.get(id)?.tag })
      assert.isNotEmpty(why)
      const { input: tokens, requested } = figures
      assert.deepStrictEqual(read, {
        ...figures,
        ...(tokens === undefined && requested !== undefined ? { input: requested } : {})
      })
    })
  }
})

describe("what else providers say", () => {
  it.each<readonly [Verdict["tag"], number | undefined, string]>([
    [
      "OutputLimitExceeded",
      400,
      "The maximum tokens you requested exceeds the model limit of 4000. Try a lower value."
    ],
    ["OutputLimitExceeded", 400, "it has a maxOutputTokens value of 99999 but the supported range is from 1 to 8193."],
    ["OutputLimitExceeded", 400, "max_tokens is too large: 9000. This model supports at most 4000 completion tokens."],
    ["OutputLimitExceeded", undefined, "Invalid max_tokens value, the valid range of max_tokens is [1, 4000]"],
    [
      "OutputLimitExceeded",
      400,
      "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens."
    ],
    ["InvalidRequest", 400, "max_tokens: Input should be greater than or equal to 1"],
    ["InvalidRequest", 400, "max_tokens must be at least 1, got -1."],
    ["QuotaExceeded", 429, "You exceeded your current quota, please check your plan and billing details."],
    [
      "RateLimited",
      429,
      "You exceeded your current quota. Quota exceeded for metric: requests. Please retry in 26.5s."
    ],
    ["QuotaExceeded", undefined, "Insufficient Balance"],
    ["QuotaExceeded", 429, "The usage limit has been reached"],
    ["ContentFiltered", 400, "Content Exists Risk"],
    ["ContentFiltered", 400, "Input data may contain inappropriate content."],
    ["AuthenticationFailed", undefined, "You didn't provide an API key."],
    ["ProviderUnavailable", undefined, "The server is busy. Please try again later."],
    ["ProviderUnavailable", 500, "model requires more system memory (9.5 GiB) than is available (7.7 GiB)"],
    ["PayloadTooLarge", undefined, "PayloadTooLargeError: request entity too large"],
    ["PayloadTooLarge", 413, "context"],
    ["ProviderTimeout", undefined, "Request timed out."],
    ["ProviderTimeout", 524, "<title>524: A timeout occurred</title>"],
    ["RateLimited", undefined, "429 status code (no body)"],
    ["RateLimited", undefined, "Request failed with status code 429: context length exceeded"]
  ])("%s under %s: %s", (tag, status, message) => {
    const body = status === undefined ? message : { error: { message } }
    const { row, ...verdict } = judge(
      evidenceOf({ body, ...(status === undefined ? { delivery: "thrown" } : { status }) })
    )
    assert.strictEqual(verdict.tag, tag, `${row}`)
  })

  it("the status that a gateway lost is in the body, and has its veto", () => {
    const message = "prompt is too long: 950 tokens > 900 maximum"
    for (const [code, tag] of [
      [401, "AuthenticationFailed"],
      [429, "RateLimited"],
      ["429", "RateLimited"]
    ] as const) {
      for (const status of [400, 502]) {
        const verdict = judge(evidenceOf({ status, body: { error: { message, code } } }))
        assert.strictEqual(verdict.tag, tag, `${code} under ${status}`)
      }
    }
    assert.strictEqual(judge(evidenceOf({ status: 502, body: { error: { message, code: 400 } } })).limit, 900)
  })
})

describe("a request above a limit of tokens over a time", () => {
  const limited = (text: string, status = 429) => judge(evidenceOf({ status, body: { error: { message: text } } }))

  it("has both figures, whatever the status", () => {
    const text =
      "Request too large for some-model on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced."
    for (const status of [400, 413, 429]) {
      assert.deepInclude(limited(text, status), { tag: "RateLimited", limit: 30_000, requested: 41_000 })
    }
  })

  it("a limit of requests has no figures: they say nothing of this request's size", () => {
    const { limit, requested, tag } = limited(
      "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1"
    )
    assert.deepStrictEqual({ limit, requested, tag }, { limit: undefined, requested: undefined, tag: "RateLimited" })
  })

  it("what an account used up is not what the request asks for", () => {
    const { limit, requested } = limited("reached organization TPM rate limit, current: 950, limit: 900")
    assert.deepStrictEqual({ limit, requested }, { limit: 900, requested: undefined })
  })
})
