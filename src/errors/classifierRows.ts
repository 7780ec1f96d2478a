/**
 * What providers answer, as rows of data. The first row that matches decides; the order of the groups is that of the
 * evidence: structured codes, then wording.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { statedFigures } from "./overflowRows.ts"

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
      "billing_not_active",
      "1308",
      "1309",
      "1310",
      "gousagelimiterror"
    ],
    tag: "QuotaExceeded"
  },
  { id: "code-overload", code: ["overloaded_error", "server_overloaded", "1305"], tag: "ProviderUnavailable" },
  {
    id: "code-rate-limit",
    code: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "rate_limit_reached_error",
      "token_quota_exceeded",
      "throttlingexception",
      "too_many_requests"
    ],
    veto: /extra usage is required/i,
    tag: "RateLimited",
    figures: [/limit:? (?<limit>\d[\d,]*)/i, /requested:? (?<requested>\d[\d,]*)/i]
  },
  {
    id: "code-content-filter",
    code: ["content_policy_violation", "content_filter", "responsibleaipolicyviolation"],
    tag: "ContentFiltered"
  },
  {
    id: "code-authentication",
    code: ["authentication_error", "permission_error", "invalid_api_key"],
    tag: "AuthenticationFailed"
  },
  {
    id: "llamacpp-code",
    code: ["exceed_context_size_error"],
    tag: "ContextWindowExceeded",
    figures: [/request \((?<input>\d[\d,]*) tokens\).{0,80}context size \((?<limit>\d[\d,]*) tokens\)/i],
    limitField: "n_ctx",
    inputField: "n_prompt_tokens",
    limitCounts: "input"
  },
  {
    id: "code-context-length",
    code: [
      "context_length_exceeded",
      "model_max_prompt_tokens_exceeded",
      "token_quantity_exceeded",
      "contextwindowexceedederror",
      "tokens_limit_reached"
    ],
    tag: "ContextWindowExceeded",
    figures: [
      ...statedFigures,
      /current length is (?<input>\d[\d,]*) while limit is (?<limit>\d[\d,]*)/i,
      /passed (?<input>\d[\d,]*) input tokens/i,
      /token count of (?<input>\d[\d,]*) exceeds the limit of (?<limit>\d[\d,]*)/i,
      /max size: (?<limit>\d[\d,]*) tokens/i
    ]
  },
  {
    id: "finish-context-window",
    delivery: ["finish-reason", "exit-200-body", "sse-error"],
    code: ["model_context_window_exceeded", "model_length", "context_window_exceeded"],
    tag: "ContextWindowExceeded"
  },
  {
    id: "finish-output-limit",
    delivery: ["finish-reason"],
    code: ["length", "max_tokens", "max_output_tokens", "maxpredictedtokensreached"],
    tag: "OutputLimitExceeded"
  },
  {
    id: "finish-broken-off",
    delivery: ["finish-reason"],
    code: ["insufficient_system_resource", "abort", "aborted", "cancelled", "canceled", "error"],
    tag: "ProviderUnavailable"
  },
  {
    id: "code-timeout",
    code: ["timeout", "request_timeout", "timeout_error", "deadline_exceeded"],
    tag: "ProviderTimeout"
  },
  { id: "code-server", code: ["server_error", "internal_server_error", "api_error"], tag: "ProviderUnavailable" }
]

/**
 * Wordings of everything but an overflow. They stand first: what they say is more specific than a mention of tokens.
 *
 * @since 0.1.0
 * @category constants
 */
export const otherWordingRows: ReadonlyArray<Row> = [
  {
    id: "words-quota",
    wording:
      /exceeded your current quota|quota exceeded|insufficient balance|requires more credits|usage limit (?:exceeded|reached)|limit exhausted|extra usage is required|credit balance is too low/i,
    tag: "QuotaExceeded"
  },
  {
    id: "words-rate-limit",
    wording:
      /rate limit|per[- ]min(?:ute)?\b|per[- ]day\b|\b(?:TPM|RPM|TPD)\b|request rate|in the last minute|throttl|too many requests|please wait before/i,
    tag: "RateLimited",
    figures: [/limit:? (?<limit>\d[\d,]*)/i, /requested:? (?<requested>\d[\d,]*)/i]
  },
  {
    id: "words-bytes",
    wording:
      /(?:payload|body|entity)[^.]{0,40}(?:too large|exceeds)[^.]{0,40}(?:\bbytes\b|\d ?[MK]i?B\b)|(?:payload|request|body|message)[^.]{0,60}(?:exceeds?|larger than)[^.]{0,60}(?:number of bytes|bytes|\d ?[MK]i?B\b)|request entity too large|too long in bytes|message larger than max/i,
    tag: "PayloadTooLarge"
  },
  {
    id: "words-output-limit",
    wording:
      /max_tokens: \d+ > (?<limit>\d+)|max(?:imum)? (?:output )?tokens (?:must be less|exceeded)|max_tokens[^.]{0,60}(?:must be less than or equal to (?<limit2>\d+)|is too large)|range of max_tokens|max_output_tokens exceeds|max_tokens\S*(?:参数|非法)/i,
    veto: /inputs?`? tokens|input length and/i,
    tag: "OutputLimitExceeded"
  },
  {
    id: "words-content-filter",
    wording: /content filter|safety system|usage policy|content moderation|input was flagged/i,
    tag: "ContentFiltered"
  },
  {
    id: "words-authentication",
    wording: /(?:incorrect|invalid|missing|wrong) api[- ]key|authentication (?:fails?|failed|error)|unauthori[sz]ed/i,
    tag: "AuthenticationFailed"
  }
]

/**
 * Wordings of a server's own trouble; an overflow inside a failed server is more telling, so these stand last.
 *
 * @since 0.1.0
 * @category constants
 */
export const lastWordingRows: ReadonlyArray<Row> = [
  { id: "words-timeout", wording: /timed out|time-?out|deadline exceeded/i, tag: "ProviderTimeout" },
  {
    id: "words-server",
    wording:
      /overloaded|at capacity|server had an error|service unavailable|temporarily unavailable|internal server error/i,
    tag: "ProviderUnavailable"
  }
]
