/**
 * The structured codes and finish reasons that providers give.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { words } from "./figurePattern.ts"

/**
 * Figures of a limit that counts tokens over a time. One that counts requests says nothing of a request's size.
 *
 * @since 0.1.0
 * @category constants
 */
export const tokenRate: ReadonlyArray<RegExp> = [
  words`\btokens? per (?:minute|min|hour|day|second)\b[^.\d]{0,20}\blimit:? <limit>`,
  words`\btokens? per (?:minute|min|hour|day|second)\b[^.]{0,60}\brequested:? <requested>`,
  words`\brate limit of <limit> (?:\w+ )?tokens per (?:minute|min|hour|day|second)\b`,
  words`\bTPM rate limit\b[^.]{0,60}\blimit:? <limit>`
]

/**
 * @since 0.1.0
 * @category constants
 */
export const codeRows: ReadonlyArray<Row> = [
  {
    id: "code-quota",
    code: [
      "insufficient_quota",
      "insufficient_balance",
      "insufficient_credits",
      "insufficient_funds",
      "billing_not_active",
      "billing_hard_limit_reached",
      "payment_required",
      "gousagelimiterror"
    ],
    tag: "QuotaExceeded"
  },
  { id: "zai-quota", provider: ["z.ai", "zai", "zhipu"], code: ["1308", "1309", "1310"], tag: "QuotaExceeded" },
  { id: "zai-overload", provider: ["z.ai", "zai", "zhipu"], code: ["1305"], tag: "ProviderUnavailable" },
  {
    id: "code-overload",
    code: ["overloaded_error", "overloaded", "server_overloaded", "engine_overloaded_error", "model_overloaded"],
    tag: "ProviderUnavailable"
  },
  {
    id: "code-rate-limit",
    code: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "rate_limit_reached_error",
      "rate_limit",
      "token_quota_exceeded",
      "throttlingexception",
      "toomanyrequestsexception",
      "too_many_requests",
      "ratelimiterror"
    ],
    veto: /extra usage is required/i,
    tag: "RateLimited",
    figures: tokenRate
  },
  {
    id: "code-content-filter",
    code: [
      "content_policy_violation",
      "content_filter",
      "responsibleaipolicyviolation",
      "moderation_blocked",
      "data_inspection_failed"
    ],
    tag: "ContentFiltered"
  },
  {
    id: "code-authentication",
    code: [
      "authentication_error",
      "permission_error",
      "invalid_api_key",
      "invalid_authentication_error",
      "unauthenticated",
      "unauthorized",
      "permission_denied",
      "accessdeniedexception",
      "unrecognizedclientexception",
      "expiredtokenexception"
    ],
    tag: "AuthenticationFailed"
  },
  {
    id: "llamacpp-code",
    code: ["exceed_context_size_error"],
    tag: "ContextWindowExceeded",
    limitField: "n_ctx",
    inputField: "n_prompt_tokens",
    limitCounts: "input",
    seen: ["llama.cpp"]
  },
  {
    id: "code-context-length",
    code: ["context_length_exceeded"],
    tag: "ContextWindowExceeded",
    seen: ["openai", "azure-openai", "cerebras", "groq", "vllm"]
  },
  {
    id: "copilot-code",
    code: ["model_max_prompt_tokens_exceeded"],
    tag: "ContextWindowExceeded",
    seen: ["github-copilot"]
  },
  { id: "watsonx-code", code: ["token_quantity_exceeded"], tag: "ContextWindowExceeded", seen: ["ibm-watsonx"] },
  {
    id: "github-models-code",
    code: ["tokens_limit_reached"],
    tag: "ContextWindowExceeded",
    figures: [words`max size: <limit> tokens`],
    seen: ["github-models"]
  },
  {
    id: "finish-context-window",
    code: ["model_context_window_exceeded"],
    tag: "ContextWindowExceeded",
    seen: ["anthropic", "z.ai"]
  },
  {
    id: "finish-model-length",
    delivery: ["finish-reason", "exit-200-body", "sse-error"],
    code: ["model_length"],
    tag: "ContextWindowExceeded",
    seen: ["mistral"]
  },
  {
    id: "finish-context-length",
    delivery: ["finish-reason", "exit-200-body", "sse-error"],
    code: ["contextlengthreached", "error_limit"],
    tag: "ContextWindowExceeded",
    seen: ["lm-studio", "cohere"]
  },
  {
    id: "general-code",
    code: /context_?(?:window|length|size|limit)?_?(?:size_?)?(?:exceed|overflow|reached|too_?long)|exceed(?:ed|s)?_?(?:model_?)?(?:max_?)?context|(?:prompt|input|conversation)_?(?:is_?)?(?:too_?long|length_?(?:error|exceeded))|(?:prompt|input)_?tokens_?(?:limit_?)?exceeded/,
    tag: "ContextWindowExceeded"
  },
  {
    // under another status it may be a limit over a time
    id: "general-code-token-limit",
    status: [400, 413, 422],
    code: /(?<!output_?)tokens?_?limit_?(?:exceeded|reached)|too_?many_?(?:input|prompt)_?tokens/,
    tag: "ContextWindowExceeded"
  },
  {
    id: "finish-output-limit",
    delivery: ["finish-reason"],
    code: ["length", "max_tokens", "max_output_tokens", "maxpredictedtokensreached"],
    tag: "OutputLimitExceeded"
  },
  {
    id: "finish-content-filter",
    delivery: ["finish-reason"],
    code: [
      "safety",
      "prohibited_content",
      "blocklist",
      "recitation",
      "spii",
      "refusal",
      "guardrail_intervened",
      "error_toxic"
    ],
    tag: "ContentFiltered"
  },
  {
    id: "finish-broken-off",
    delivery: ["finish-reason"],
    code: ["insufficient_system_resource", "abort", "aborted", "cancelled", "canceled", "error"],
    tag: "ProviderUnavailable"
  },
  {
    id: "code-payload",
    code: ["request_too_large", "payload_too_large", "entity.too.large", "request_entity_too_large"],
    veto: /\btokens?\b|\bcontext\b/i,
    tag: "PayloadTooLarge"
  },
  {
    id: "code-timeout",
    code: ["timeout", "request_timeout", "timeout_error", "timeouterror", "deadline_exceeded", "etimedout"],
    tag: "ProviderTimeout"
  },
  {
    id: "code-server",
    code: [
      "server_error",
      "internal_server_error",
      "internal_error",
      "internalservererror",
      "internalserverexception",
      "api_error",
      "service_unavailable",
      "serviceunavailableexception",
      "modelnotreadyexception",
      "bad_gateway"
    ],
    // servers give it to what they do not understand themselves
    veto: /context (?:length|window|size)|\btokens?\b/i,
    tag: "ProviderUnavailable"
  }
]
