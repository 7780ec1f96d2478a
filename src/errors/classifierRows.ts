/**
 * What providers answer, as rows of data. The first row that matches decides; the order of the groups is that of the
 * evidence: structured codes, then wording.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { codeRows, tokenRate } from "./codeRows.ts"
import { words } from "./figurePattern.ts"
import { generalRows } from "./generalRows.ts"
import { overflowRows } from "./overflowRows.ts"

/** Wordings of everything but an overflow. They stand first: what they say is more specific than a mention of tokens. */
const otherWordings: ReadonlyArray<Row> = [
  {
    id: "words-quota",
    wording:
      /exceeded your (?:current|monthly|daily) quota|quota exceeded|insufficient (?:balance|credits?|funds|quota)|requires more credits|out of credits|usage limit (?:has been )?(?:exceeded|reached)|limit exhausted|extra usage is required|credit balance is too low|payment required|package has expired|余额不足|欠费/i,
    // a quota of a minute or a day that says when to come back is a rate
    veto: /\bretry (?:in|after) \d/i,
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
    wording: words`max_tokens: <requested> > <limit>|\bmax(?:imum)?[_ ](?:(?:new|output|completion)[_ ])?tokens\b.{0,60}?(?:must be (?:less|at most|no more|<=)[^\d]{0,20}(?:<limit2>)?|is too (?:large|high)(?:: <requested2>)?|(?:is|cannot be|may not be) (?:greater|larger|more) than|exceed(?:s|ed)?\b)|range of max_tokens|\bmax_tokens or model output limit was reached|\bmaxOutputTokens\b.{0,60}\brange\b|max_(?:output_)?tokens\S{0,10}(?:参数|非法)`,
    figures: [
      words`supports at most <limit> completion tokens`,
      words`model limit of <limit>`,
      words`range of max_tokens (?:is|should be) \[#, ?<limit>\]`
    ],
    // an overflow says what the output had to be added to
    veto: /\binputs?\b|\bprompts?\b|\bmessages\b/i,
    tag: "OutputLimitExceeded"
  },
  {
    id: "words-content-filter",
    wording:
      /content[ _]filter|safety system|usage polic(?:y|ies)|content moderation|content management policy|usage guidelines|content exists risk|inappropriate content|sensitive content|敏感内容|不安全内容|(?:input|prompt|output|response|request) (?:was|has been) (?:flagged|blocked)/i,
    tag: "ContentFiltered"
  },
  {
    id: "words-authentication",
    wording:
      /(?:incorrect|invalid|missing|wrong|expired|no) (?:x-)?api[- ]?key|api key (?:is )?(?:not valid|invalid|missing|expired)|authentication (?:fails?|failed|error|required)|unauthori[sz]ed|no auth credentials|provide an api key|invalid (?:bearer|access|auth\w*) token/i,
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
      /overloaded|at capacity|high demand|server had an error|service (?:is )?(?:currently |temporarily )?unavailable|temporarily unavailable|server is busy|internal (?:server )?error|bad gateway|exceeded resource limits/i,
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
export const rows: ReadonlyArray<Row> = [
  ...codeRows,
  ...otherWordings,
  ...overflowRows,
  ...generalRows,
  ...lastWordings
]
