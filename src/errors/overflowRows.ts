/**
 * The wordings of an overflow that providers are known for.
 *
 * @since 0.1.0
 */
import type { Row } from "./classifierRow.ts"
import { words } from "./figurePattern.ts"

const overflow = (row: Omit<Row, "tag">): Row => ({ tag: "ContextWindowExceeded", ...row })

/**
 * Those that state figures stand before those that state fewer.
 *
 * @since 0.1.0
 * @category constants
 */
export const overflowRows: ReadonlyArray<Row> = [
  overflow({
    id: "openai-prompt-and-completion",
    wording: words`context length is <limit> tokens[.,] ?however,? you requested (?:about )?<requested> tokens \(<input> (?:in the messages|in your prompt|of text input)`,
    figures: [words`<more> of tool input`],
    limitCounts: "input-and-output",
    seen: ["openai", "azure-openai", "deepseek", "vllm", "openrouter"]
  }),
  overflow({
    id: "openai-messages-resulted",
    wording: words`(?:context length is|configured limit of) <limit> tokens\. ?(?:however, )?your messages resulted in (?:over |about )?<input> tokens`,
    limitCounts: "input",
    seen: ["openai", "azure-openai"]
  }),
  overflow({
    id: "vllm-input-and-output",
    wording: words`context length is <limit> tokens\. ?however, you requested <output> output tokens and your prompt contains at least <input> input tokens, for a total of at least <requested> tokens`,
    limitCounts: "input-and-output",
    seen: ["vllm", "cloudflare-workers-ai"]
  }),
  overflow({
    id: "vllm-request-has",
    wording: words`context length is <limit> tokens\. ?however, your request has <input> input tokens`,
    limitCounts: "input",
    seen: ["vllm", "nvidia-inference-api"]
  }),
  overflow({
    id: "vllm-output-does-not-fit",
    wording: words`is too large: <output>\. ?this model's maximum context length is <limit> tokens and your request has <input> input tokens`,
    limitCounts: "input-and-output",
    seen: ["vllm"]
  }),
  overflow({
    id: "vllm-passed",
    wording: words`passed <input> input tokens and requested <output> output tokens\.[^.]{0,40}context length is only <limit> tokens`,
    limitCounts: "input-and-output",
    seen: ["vllm"]
  }),
  overflow({
    id: "vllm-input-length",
    wording: words`input length \(?<input>\)? exceeds (?:the )?(?:model's )?maximum (?:allowed )?(?:context|input) length(?: of)? \(?<limit>`,
    limitCounts: "input",
    seen: ["vllm", "deepinfra", "poolside", "openrouter", "tensorrt-llm"]
  }),
  overflow({
    id: "vllm-decoder-prompt",
    wording: words`prompt \(length <input>\) is longer than the maximum model length of <limit>`,
    limitCounts: "input",
    seen: ["vllm", "xinference"]
  }),
  overflow({
    // the server subtracts the prompt from its window and finds no room for an answer; -1 is what people send for "no limit"
    id: "vllm-no-room-for-output",
    wording: /\bmax_(?:completion_)?tokens must be at least 1, got -(?!1\b)\d/i,
    seen: ["vllm"]
  }),
  overflow({
    id: "sglang-input-longer",
    wording: words`input \(<input> tokens\) is longer than the model's context length \(<limit>`,
    limitCounts: "input",
    seen: ["sglang", "together"]
  }),
  overflow({
    id: "sglang-requested-count",
    wording: words`maximum context length of <limit> tokens\. ?you requested a total of <requested> tokens: <input> tokens from the input`,
    limitCounts: "input-and-output",
    seen: ["sglang"]
  }),
  overflow({
    id: "llamacpp-request",
    wording: words`request \(<input> tokens\) exceeds the available context size \(<limit>`,
    limitCounts: "input",
    seen: ["llama.cpp"]
  }),
  overflow({
    id: "llamacpp-request-without-figures",
    wording: /request exceeds the available context size/i,
    underServerError: true,
    seen: ["llama.cpp", "ollama"]
  }),
  overflow({
    id: "llama-cpp-python",
    wording: words`requested tokens \(<requested>\) exceed context window of <limit>`,
    limitCounts: "input-and-output",
    seen: ["llama-cpp-python"]
  }),
  overflow({
    id: "anthropic-prompt-too-long",
    wording: words`prompt is too long:? <input>(?: tokens)?(?: > |, model maximum context length: )<limit>`,
    limitCounts: "input",
    seen: ["anthropic", "aws-bedrock", "google-vertex", "openrouter", "devin", "fireworks"]
  }),
  overflow({
    id: "anthropic-input-and-output",
    wording: words`input length and .?max_tokens.? exceed context limit: <input> \+ <output> > <limit>`,
    limitCounts: "input-and-output",
    seen: ["anthropic"]
  }),
  overflow({
    id: "bedrock-too-many-input-tokens",
    wording: words`too many input tokens\. max input tokens: <limit>, request input token count: <input>`,
    limitCounts: "input",
    seen: ["aws-bedrock"]
  }),
  overflow({
    id: "bedrock-model-maximum",
    wording: words`prompt tokens \(<input>\) exceed model maximum \(<limit>\)`,
    limitCounts: "input",
    seen: ["aws-bedrock-mantle"]
  }),
  overflow({
    id: "bedrock-input-too-long",
    wording:
      /input is too long for requested model|input tokens exceeded: number of input tokens exceeds maximum length/i,
    seen: ["aws-bedrock"]
  }),
  overflow({
    id: "cerebras-current-length",
    wording: words`current length is <input> while limit is <limit>`,
    seen: ["cerebras", "groq"]
  }),
  overflow({
    // it answers an overflow without any words
    id: "cerebras-no-body",
    provider: ["cerebras"],
    status: [413],
    wording: /^(?:(?:413 )?(?:status code )?\(no body\))?$/i,
    seen: ["cerebras"]
  }),
  overflow({
    id: "cloudflare-estimate",
    wording: words`input and maximum output tokens \(<requested>\) exceeded this model context window limit \(<limit>`,
    limitCounts: "input-and-output",
    seen: ["cloudflare-workers-ai"]
  }),
  overflow({
    id: "cohere-total",
    wording: words`total number of tokens[^.]{0,40}cannot exceed <limit> - received <requested>`,
    limitCounts: "input-and-output",
    seen: ["cohere"]
  }),
  overflow({
    id: "cohere-size-limit",
    wording: words`too many tokens: size limit exceeded by # tokens`,
    figures: [words`the limit for this model is <limit> tokens`],
    seen: ["cohere"]
  }),
  overflow({
    id: "copilot-token-count",
    wording: words`prompt token count of <input> exceeds the limit of <limit>`,
    limitCounts: "input",
    seen: ["github-copilot"]
  }),
  overflow({
    id: "dashscope-range",
    wording: words`range of input length should be \[#, ?<limit>\]`,
    limitCounts: "input",
    seen: ["alibaba-dashscope"]
  }),
  overflow({
    id: "gemini-token-count",
    wording: words`input token count (?:\(<input>\) )?exceeds the maximum number of tokens allowed \(?<limit>`,
    limitCounts: "input",
    seen: ["google-gemini", "google-vertex", "litellm-proxy"]
  }),
  overflow({
    id: "gemini-model-supports",
    wording: words`input token count is <input> but (?:the )?model only supports up to <limit>`,
    limitCounts: "input",
    seen: ["google-gemini", "google-vertex"]
  }),
  overflow({
    id: "github-models-max-size",
    wording: words`too large for \S+ model\. max size: <limit> tokens`,
    seen: ["github-models"]
  }),
  overflow({
    id: "moonshot-model-token-limit",
    wording: words`exceeded model token limit: <limit>(?: \(requested: <input>)?`,
    seen: ["moonshot", "kimi-for-coding"]
  }),
  overflow({
    id: "lmdeploy-input-length",
    answer: /^internal error happened, status code ResponseType\.INPUT_LENGTH_ERROR$/,
    seen: ["lmdeploy"]
  }),
  overflow({
    id: "lmstudio-trying-to-keep",
    wording: words`trying to keep the first <input> tokens when context`,
    figures: [words`loaded with context length of only <limit> tokens`],
    limitCounts: "input",
    seen: ["lm-studio"]
  }),
  overflow({
    id: "lmstudio-cannot-truncate",
    wording: words`cannot truncate prompt with n_keep \(<input>\) >= n_ctx \(<limit>`,
    limitCounts: "input",
    seen: ["lm-studio"]
  }),
  overflow({
    id: "lmstudio-tokens-to-keep",
    wording: /tokens to keep from the initial prompt is greater than the context length/i,
    figures: [words`\(n_keep: <input> ?>= n_ctx: <limit>`],
    limitCounts: "input",
    seen: ["lm-studio"]
  }),
  overflow({
    id: "minimax-context-window",
    wording: /context window exceeds limit/i,
    seen: ["minimax"]
  }),
  overflow({
    id: "mistral-too-large-for-model",
    wording: words`prompt contains <input> tokens[^.]{0,30}too large for model with <limit> maximum context length`,
    limitCounts: "input",
    seen: ["mistral"]
  }),
  overflow({
    id: "ollama-prompt-too-long",
    wording: words`prompt too long; exceeded max context length by # tokens|prompt is longer than the context length currently available`,
    seen: ["ollama", "ollama-cloud"]
  }),
  overflow({
    id: "tgi-inputs-and-new-tokens",
    wording: words`\Winputs\W tokens \+ \Wmax_new_tokens\W must be <= <limit>\. given: <input> \Winputs\W tokens and <output>`,
    limitCounts: "input-and-output",
    seen: ["huggingface-tgi", "together"]
  }),
  overflow({
    id: "tgi-inputs",
    wording: words`\Winputs\W must have less than <limit> tokens\. given: <input>`,
    limitCounts: "input",
    seen: ["huggingface-tgi"]
  }),
  overflow({
    id: "trtllm-sum-of-lengths",
    wording: words`sum of prompt length \(<input>\), query length \(#(?:\.0)?\) should not exceed max_num_tokens \(<limit>`,
    limitCounts: "input",
    seen: ["tensorrt-llm"]
  }),
  overflow({
    id: "xai-maximum-prompt-length",
    wording: words`maximum prompt length is <limit> but the request contains <input> tokens`,
    limitCounts: "input",
    seen: ["xai"]
  }),
  overflow({
    id: "zhipu-tokens-in-request",
    wording: /tokens in request more than max tokens allowed/i,
    seen: ["zhipu"]
  })
]
