/**
 * What providers answer, as rows of data. The first row that matches decides; the order of the groups is that of the
 * evidence: structured codes, then wording.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { words } from "./figurePattern.ts"
import { generalRows } from "./generalRows.ts"
import { overflowRows } from "./overflowRows.ts"

/** Of a limit that counts tokens over a time. One that counts requests says nothing of a request's size. */
const tokenRate: ReadonlyArray<RegExp> = [
  words`\btokens? per (?:minute|min|hour|day|second)\b[^.\d]{0,20}\blimit:? <limit>`,
  words`\btokens? per (?:minute|min|hour|day|second)\b[^.]{0,60}\brequested:? <requested>`,
  words`\brate limit of <limit> (?:\w+ )?tokens per (?:minute|min|hour|day|second)\b`,
  words`\bTPM rate limit\b[^.]{0,60}\blimit:? <limit>`
]

const codes: ReadonlyArray<Row> = [
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
    code: ["content_policy_violation", "content_filter", "responsibleaipolicyviolation", "moderation_blocked"],
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
    id: "general-code",
    code: /context_?(?:window|length|size|limit)?_?(?:size_?)?(?:exceed|overflow|too_?long)|exceed(?:ed|s)?_?(?:model_?)?(?:max_?)?context|(?:prompt|input|conversation)_?(?:is_?)?(?:too_?long|length_?(?:error|exceeded))|(?:prompt|input)_?tokens_?(?:limit_?)?exceeded/,
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
    code: ["safety", "prohibited_content", "blocklist", "recitation", "spii", "refusal", "guardrail_intervened"],
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

/** Wordings of everything but an overflow. They stand first: what they say is more specific than a mention of tokens. */
const otherWordings: ReadonlyArray<Row> = [
  {
    id: "words-quota",
    wording:
      /exceeded your (?:current|monthly|daily) quota|quota exceeded|insufficient (?:balance|credits?|funds|quota)|requires more credits|out of credits|usage limit (?:exceeded|reached)|limit exhausted|extra usage is required|credit balance is too low|payment required|package has expired|余额不足|欠费/i,
    tag: "QuotaExceeded"
  },
  {
    id: "words-rate-limit",
    wording:
      /rate[- ]limit|\bper[- ](?:min(?:ute)?|day|hour|second)\b|\b[TR]P[MD]\b|request rate|in the last minute|throttl|too many requests|please wait before|请求过于频繁|速率限制|每分钟/i,
    tag: "RateLimited",
    figures: tokenRate
  },
  {
    id: "words-bytes",
    wording:
      /(?:payload|body|entity)[^.]{0,40}(?:too large|exceeds)[^.]{0,40}(?:\bbytes\b|\d ?[MK]i?B\b)|(?:payload|request|body|message)[^.]{0,60}(?:exceeds?|larger than)[^.]{0,60}(?:number of bytes|bytes|\d ?[MK]i?B\b)|request entity too large|too long in bytes|message larger than max/i,
    tag: "PayloadTooLarge"
  },
  {
    id: "words-output-limit",
    wording: words`max_tokens: # > <limit>|\bmax(?:imum|_(?:new_|output_|completion_)?| (?:output |completion |new )?)(?: output )?tokens\b.{0,60}?(?:must be (?:less|at most|no more|<=)[^\d]{0,20}(?:<limit2>)?|is too (?:large|high)|(?:is|cannot be|may not be) (?:greater|larger|more) than|exceed(?:s|ed)?\b)|range of max_tokens|max_(?:output_)?tokens\S{0,10}(?:参数|非法)`,
    // an overflow says what the output had to be added to
    veto: /\binputs?\b|\bprompts?\b|\bmessages\b/i,
    tag: "OutputLimitExceeded"
  },
  {
    id: "words-content-filter",
    wording:
      /content[ _]filter|safety system|usage polic(?:y|ies)|content moderation|content management policy|(?:input|prompt|output|response|request) (?:was|has been) (?:flagged|blocked)/i,
    tag: "ContentFiltered"
  },
  {
    id: "words-authentication",
    wording:
      /(?:incorrect|invalid|missing|wrong|expired|no) (?:x-)?api[- ]?key|api key (?:is )?(?:not valid|invalid|missing|expired)|authentication (?:fails?|failed|error|required)|unauthori[sz]ed|no auth credentials|invalid (?:bearer|access|auth\w*) token/i,
    tag: "AuthenticationFailed"
  }
]

/** Wordings of a server's own trouble; an overflow inside a failed server is more telling, so these stand last. */
const lastWordings: ReadonlyArray<Row> = [
  {
    id: "words-timeout",
    wording: /timed out|time-?out|deadline exceeded/i,
    tag: "ProviderTimeout"
  },
  {
    id: "words-server",
    wording:
      /overloaded|at capacity|high demand|server had an error|service (?:is )?(?:currently |temporarily )?unavailable|temporarily unavailable|internal (?:server )?error|bad gateway|exceeded resource limits/i,
    tag: "ProviderUnavailable"
  },
  // said of anything that the provider does not like, an overflow among them
  {
    id: "code-resource-exhausted",
    code: ["resource_exhausted"],
    tag: "RateLimited"
  },
  {
    id: "code-invalid-request",
    code: [
      "invalid_request_error",
      "invalid_argument",
      "invalid-argument",
      "invalid_prompt",
      "invalid_value",
      "badrequesterror",
      "validationexception",
      "validation_error",
      "not_found_error",
      "model_not_found"
    ],
    tag: "InvalidRequest"
  },
  {
    id: "words-invalid-request",
    wording:
      /\bvalidation errors?\b|\binvalid (?:request|params?|parameters?|argument|value|input|schema)\b|\bfield required\b|\bnot permitted\b/i,
    tag: "InvalidRequest"
  }
]

/**
 * All rows, in the order in which they are asked.
 *
 * @since 0.1.0
 * @category constants
 */
export const rows: ReadonlyArray<Row> = [...codes, ...otherWordings, ...overflowRows, ...generalRows, ...lastWordings]
