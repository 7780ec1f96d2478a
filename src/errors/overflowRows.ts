/**
 * The wordings of an overflow.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"

/** A count of bytes, or of pieces of something else than the conversation, is not a window. */
const notTokens =
  /\bbytes?\b|\bMB\b|\bKB\b|tool schema|tool name|string too long|\bimage (?:dimension|size)|pdf pages|indices sequence|cancell?ed|internal error/i

const overflow = (row: Omit<Row, "tag">): Row => ({ tag: "ContextWindowExceeded", veto: notTokens, ...row })

/**
 * Figures that any overflow may state, whatever row found it.
 *
 * @since 0.1.0
 * @category constants
 */
export const statedFigures: ReadonlyArray<RegExp> = [
  /(?:context length|context window|model limit|configured limit|token limit)(?: (?:is|of))?:? (?:only )?(?<limit>\d[\d,]*)/i,
  /messages resulted in (?<requested>\d[\d,]*) tokens/i,
  /(?:you )?requested (?:about )?(?<requested>\d[\d,]*) tokens/i,
  /\((?<input>\d[\d,]*) in (?:the messages|your prompt)[,;] \d[\d,]* (?:in|for) the completion/i
]

/**
 * Wordings of an overflow, those that state figures first.
 *
 * @since 0.1.0
 * @category constants
 */
export const overflowWordingRows: ReadonlyArray<Row> = [
  overflow({
    id: "openai-prompt-and-completion",
    wording:
      /(?:maximum )?context length is (?<limit>\d[\d,]*) tokens[.,]\s*however,? you requested (?:about )?(?<requested>\d[\d,]*) tokens \((?<input>\d[\d,]*) (?:in the messages|in your prompt|of text input)/i,
    figures: [/(?<more>\d[\d,]*) of tool input/i],
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "openai-messages-resulted",
    wording:
      /(?:context length is|configured limit of) (?<limit>\d[\d,]*) tokens\.\s*(?:however, )?your messages resulted in (?<input>\d[\d,]*) tokens/i,
    limitCounts: "input"
  }),
  overflow({
    id: "vllm-input-and-output",
    wording:
      /context length is (?<limit>\d[\d,]*) tokens\.\s*however, you requested \d+ output tokens and your prompt contains\s*at least (?<input>\d[\d,]*) input tokens, for a total of at least (?<requested>\d[\d,]*)/i,
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "vllm-request-has",
    wording:
      /context length is (?<limit>\d[\d,]*) tokens\.\s*however, your request has (?<input>\d[\d,]*) input tokens/i,
    limitCounts: "input"
  }),
  overflow({
    id: "vllm-passed",
    wording:
      /passed (?<input>\d[\d,]*) input tokens and requested \d+ output tokens\.[^.]{0,40}context length is only (?<limit>\d[\d,]*)/i,
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "vllm-input-length",
    wording:
      /input length \(?(?<input>\d[\d,]*)\)? exceeds (?:the )?(?:model's )?maximum (?:allowed )?(?:context|input) length(?: of)? \(?(?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "vllm-decoder-prompt",
    wording: /prompt \(length (?<input>\d[\d,]*)\) is longer than the maximum model length of (?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "input-longer-than-context",
    wording: /input \((?<input>\d[\d,]*) tokens\) is longer than the model's context length \((?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "llamacpp-request",
    wording: /request \((?<input>\d[\d,]*) tokens\) exceeds the available context size \((?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "anthropic-prompt-too-long",
    wording:
      /prompt is too long:? (?<input>\d[\d,]*)(?: tokens)?(?: > |, model maximum context length: )(?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "anthropic-input-and-output",
    wording: /input length and `?max_tokens`? exceed context limit: (?<input>\d+) \+ \d+ > (?<limit>\d+)/i,
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "input-and-output-estimate",
    wording:
      /input and maximum output tokens \((?<requested>\d+)\) exceeded this model context window limit \((?<limit>\d+)/i,
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "inputs-and-new-tokens",
    wording: /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)\. given: (?<input>\d+)/i,
    limitCounts: "input-and-output"
  }),
  overflow({
    id: "exceeded-model-token-limit",
    wording: /exceeded model token limit: (?<limit>\d+)(?: \(requested: (?<input>\d+))?/i
  }),
  overflow({
    id: "prompt-has-tokens",
    wording:
      /prompt (?:has|contains) (?<input>\d[\d,]*) tokens[^.]{0,80}?(?:context size is|model with) (?<limit>\d[\d,]*)/i,
    limitCounts: "input"
  }),
  overflow({
    id: "maximum-prompt-length",
    wording: /maximum prompt length is (?<limit>\d+) but the request contains (?<input>\d+) tokens/i,
    limitCounts: "input"
  }),
  overflow({
    id: "tokens-of-n-exceed-n",
    wording:
      /^(?=[^]*(?:\btokens\b|\btoken count\b|\bcontext\b|(?:input|prompt) length))[^]*?(?:input|prompt|request(?:ed)?)[^.]{0,30}?\b(?<input>\d[\d,]*)\)?(?: tokens| input tokens)?[^.\d]{0,40}(?:exceeds?|over|but|more than)[^.\d]{0,60}?(?<limit>\d[\d,]*)/i,
    veto: new RegExp(`${notTokens.source}|max_tokens|temperature|maximum length|(?:completion|output) tokens`, "i")
  }),
  overflow({
    id: "too-long-without-figures",
    wording:
      /prompt (?:is )?too long\b|(?:input|request|prompt|message|messages|conversation)[^.]{0,40}(?:exceeds?|longer than|is too long for)[^.]{0,30}(?:context (?:window|size|length)|requested model|model's maximum|number of tokens allowed)|exceeds? the (?:available )?context (?:window|size|length)|context window exceeds|input tokens exceeded|context[ _]length[ _]exceeded|trying to keep the first (?<input>\d+) tokens when context|tokens to keep from the initial prompt is greater than the context/i,
    figures: [...statedFigures, /tokens allowed \(?(?<limit>\d+)/i, /context length of only (?<limit>\d+)/i]
  })
]
