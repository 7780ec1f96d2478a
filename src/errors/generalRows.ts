/**
 * How an overflow is told from words that nobody has seen yet: what was sent, a comparison, and a limit that is one of
 * tokens or of the context. They are asked when no wording of a known provider matched.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { words } from "./figurePattern.ts"

/** What is no conversation, or no window of tokens: too much of it, or too little, is another error. */
const otherThings =
  /\b(?:\d+|number of|too many|max(?:imum)?|in) (?:\w+ )?characters?\b|\b(?:bytes?|pixels?|batch size|string too long|array too long|indices sequence|cancell?ed|logit_bias)\b|\d ?[MKG]i?B\b|\b(?:access|auth\w*|bearer|jwt|csrf|id|refresh|session|api) tokens?\b|\b(?:tool|function|schema|parameter|header|url|metadata|stop sequence|dimension|vector|image|audio|video|page|file|attachment)s?\b(?! (?:and|or)\b)[^.]{0,30}\b(?:exceed|too (?:long|large|many)|longer|greater|limit|maximum)|\bmust be (?:a |an )?(?:positive|non-negative|integer|number|greater than (?:0|zero))|\btoo small\b|\bfail\w* (?:to|while) load/i

/** Talk of the output alone: a shorter input would not help. */
const outputAlone =
  /^(?!.*\b(?:inputs?|prompts?|messages|conversation|context)\b).*\b(?:output|completion|max_(?:new_|output_|completion_)?tokens)\b/i

const veto = new RegExp(`${otherThings.source}|${outputAlone.source}`, "i")

const sent = String.raw`\b(?:prompts?|inputs?|requests?|requested|messages?|conversation|chat|history|thread|query|text|tokens?)\b`
const window = String.raw`(?<![\w'"\x60-])(?:context[ _]?(?:window|length|size|limit|budget|capacity)s?|max(?:imum)? context)\b`
const exceeds = String.raw`\b(?:exceed(?:s|ed|ing)?|overflow(?:s|ed|ing)?|surpass(?:es|ed)?|(?:longer|larger|greater|bigger|higher|more) than|do(?:es)?(?: not|n't) fit|cannot fit|too (?:long|large|big|many tokens) for)\b`
const exceedsOrOver = String.raw`(?:${exceeds}|\b(?:over|above|beyond)\b|\b(?:cannot|can't|must not|should not|may not) exceed\b)`
const length = String.raw`(?:${window}|(?:model|prompt|input|sequence) length|(?:prompt|input) tokens|number of (?:input |prompt )?tokens)`

/** Where a text speaks of nothing that is counted in tokens, an exceeded limit may be one of anything. */
const ofTokens = /\btokens?\b|token_|\bcontext\b|\b(?:input|prompt|sequence) length\b/i

/**
 * Figures that any overflow may state, whatever row found it; the more telling ones first. A pair by which the request
 * would have fitted is passed over, so that a sentence may be read both ways round.
 *
 * @since 0.1.0
 * @category constants
 */
export const generalFigures: ReadonlyArray<RegExp> = [
  // 5 + 2 > 6
  words`(?<![\d.])<input>\)? \+ [^.\d]{0,20}<output>\)?[^.\d]{0,30}(?:>|\bexceed\w*)[^.\d]{0,40}<limit>`,
  // the sum must be <= 6, given: 5 of input and 2 of output
  words`(?:<=|at most|cannot exceed|must not exceed) <limit>\b[^\d]{0,20}\b(?:given|got|received):? <input>[^.\d]{0,30}\band <output>`,
  words`\brequested <output> output tokens\b[^.\d]{0,60}<input> input tokens\b[^\d]{0,40}\btotal of (?:at least )?<requested>`,
  words`<input> input tokens and requested <output> output tokens\b[^\d]{0,60}\bcontext length is (?:only )?<limit>`,
  // the prompt has 5 tokens, and that is more than 4
  words`\b(?:prompt|input|request(?:ed)?|messages?|token|conversation|length|size|long|count)\w*[^.\d]{0,30}<input>(?! ?output)[^.\d]{0,60}(?:\b(?:exceed(?!ed by)\w*|longer|larger|greater|higher|more than|over|above|but|while|too (?:long|large) for|fit|cannot|must|should not)\b|>)[^.\d]{0,80}<limit>`,
  words`<input>(?: tokens)?[,;(/ ]{1,3}(?:the )?(?:max(?:imum)?|limit)(?: is| of)?:? <limit>`,
  // the window is 4, and 5 were sent
  words`\b(?:context (?:length|window|size|limit)|max(?:imum)?|limit|supports?|allow(?:s|ed)|up to|at most|no more than|less than|exceed)\b[^.\d]{0,60}<limit>\b[^\d]{0,60}\b(?:requested|resulted in|received|given|got|contains?|has|have|count|passed|provided|sent|used|is|was)\b[^.\d]{0,25}<input>`,
  words`(?:\b(?:context (?:length|window|size|limit)(?: size)?|(?:model|token|configured) limit|max(?:imum)? (?:prompt|input|model|sequence|size|context)(?: length| tokens?| size)?|tokens allowed|limit for this model|supports? (?:up to|at most)|no more than|at most|limit of)\b|<=)(?: (?:is|of))?[: (]{0,3}(?:only )?<limit>(?! ?\+)`,
  words`\bmessages resulted in (?:over )?<requested> tokens`,
  words`\brequested (?:about |a total of )?<requested> tokens`,
  words`\b(?:input|prompt)(?: (?:length|tokens?|size))?[^.\d]{0,20}<input>[^.\d]{0,20}exceed`,
  words`\(<input> (?:in (?:the messages|your prompt)|of text input)`
]

const general = (row: Omit<Row, "tag">): Row => ({
  tag: "ContextWindowExceeded",
  veto,
  figures: generalFigures,
  ...row
})

/**
 * @since 0.1.0
 * @category constants
 */
export const generalRows: ReadonlyArray<Row> = [
  general({
    id: "general-sent-exceeds-context",
    wording: words`${sent}[^.;,:]{0,60}?${exceeds}[^.;,:]{0,40}?${window}`,
    underServerError: true
  }),
  general({
    id: "general-context-exceeded",
    wording: words`${window}[^.;,]{0,40}?\b(?:exceed(?:s|ed|ing)?|overflow(?:s|ed|ing)?|surpassed|full)\b|\breached\b[^.;,:]{0,20}${window}|${window}[^.;,:]{0,20}\breached\b|\bcontext (?:the )?overflow|(?:${exceeds}|\b(?:beyond|fit (?:in|into|within))\b)[^.;,:]{0,40}?${window}`
  }),
  general({
    id: "general-code-in-words",
    wording:
      /(?<![\w`'"-])\w{0,40}(?:context|prompt)_?(?:window|length|size|limit)?_?(?:is_)?(?:exceed|overflow|too_?long)\w{0,20}|(?<![\w`'"-])exceed(?:ed|s)?_?(?:model_)?context\w{0,20}/i
  }),
  general({
    id: "general-too-long",
    wording: words`\b(?:prompt|inputs?|messages?|conversation|chat|history|context|query)(?: (?:is|are|was|were|tokens?|length))? too (?:long|large|big)\b|\b(?:prompt|conversation|chat history)(?: (?:has|have))? (?:exceed(?:s|ed)?|is (?:longer|larger) than|is over) (?:the |its |our |max(?:imum)? |allowed |permitted ){0,3}(?:length|size|limit)\b`
  }),
  general({
    id: "general-request-too-long",
    wording: words`\b(?:request|body|payload|text)(?: \w+)? too (?:long|large|big)\b`,
    where: ofTokens
  }),
  general({
    id: "general-too-many-tokens",
    wording: words`\btoo many (?:\w+ )?tokens\b|\btoken count (?:is )?(?:too (?:high|large|big)|above|over)\b|\b(?:input|prompt|model|context) token limit (?:was |has been )?(?:reached|exceeded)\b`
  }),
  general({
    id: "general-sent-exceeds-limit",
    wording: words`${sent}[^.]{0,60}?${exceedsOrOver}[^.]{0,60}?(?:\btokens?\b|\b(?:model|token|length|size|input|prompt|context|configured)(?:'s)? (?:limit|max(?:imum)?)\b|\bmax(?:imum)? (?:allowed )?(?:input|prompt|model|sequence|context|number of (?:input |prompt )?tokens|tokens?)\b|\bmax_\w*tokens\b|\blimit of #|\bthe limit\b)`,
    where: ofTokens
  }),
  general({
    id: "general-figures-compared",
    wording: words`\b(?:prompt|inputs?|requests?|requested|messages?|conversation|tokens?)\b[^.]{0,40}?#[^.\d]{0,60}?(?:>|\b(?:exceed(?:s|ed)?|but|while|is over|is above|more than|larger than|longer than|too large for)\b)[^.\d]{0,60}?\b#`,
    where: ofTokens
  }),
  general({
    id: "general-sum",
    wording: words`\b(?:inputs?|prompt)\b[^.]{0,40}(?:\+|\bplus\b|\band\b)[^.]{0,50}\b(?:tokens|max_\w+|output|completion)\b[^.]{0,40}(?:exceed|must be (?:<=|less|at most)|<=|>)`
  }),
  general({
    id: "general-range-of-input",
    wording: words`\b(?:input|prompt)s?(?: token)? ?(?:length|size|count|tokens?)\b[^.\d]{0,30}\b(?:should|must|has to|have to|cannot)\b[^.\d]{0,40}\[?#`,
    figures: [words`\[#, ?<limit>\]`, ...generalFigures]
  }),
  general({
    // a refusal that states the window and nothing else means that the request is beyond it
    id: "general-limit-stated",
    wording: words`\b(?:max(?:imum|\.)?|model(?:'s)?|supported|allowed)(?: supported| allowed)? ${length}[^.\d]{0,20}?(?:\b(?:is|of)\b|[:=(]) ?(?:only )?(?:#|\d+k\b)`
  }),
  general({
    id: "general-advice-on-length",
    wording: words`\b(?:reduce|shorten) the length of (?:the |your )?(?:\w+ )?(?:inputs?|prompts?|messages|conversation)\b`
  }),
  general({
    id: "general-advice",
    wording: words`\b(?:reduce|shorten|decrease|trim|truncate|compress) (?:the |your )?(?:(?:length|size|number of tokens|amount) (?:of|in) )?(?:the |your |either )?(?:\w+ )?(?:inputs?|prompts?|messages|conversation|context|history)\b|\b(?:shorter|smaller) (?:inputs?|prompts?|messages|conversation)\b`,
    where: ofTokens
  }),
  general({
    id: "general-chinese",
    wording:
      /(?:上下文|输入|提示词|提问|会话|对话|消息|请求|prompt|tokens?)[^。，]{0,20}(?:超出|超过|超长|过长|太长|超限|大于)/i,
    veto: /字节|图片|图像|频率|速率|每分钟|并发|余额|额度|配额|max_tokens/i,
    figures: [words`(?:最大|上限|限制|超过|超出|大于)[^\d。]{0,20}<limit>`]
  })
]
