import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../src/errors/classify.ts"
import { rows } from "../../src/errors/classifierRows.ts"

/** What is left when no provider's own wording or code is known. */
const general = rows.filter((row) => row.tag !== "ContextWindowExceeded" || row.id.startsWith("general-"))

const route = { provider: "nobody-knows", model: "m" }
const judged = (message: string, status: number | undefined) =>
  judge(
    {
      route,
      ...(status === undefined ? {} : { status }),
      delivery: status === undefined ? "thrown" : "http",
      body: status === undefined ? message : { error: { message, type: "invalid_request_error" } }
    },
    general
  )

describe("an overflow in words that no row was written for", () => {
  const wordings: ReadonlyArray<
    readonly [message: string, limit?: number | undefined, requested?: number | undefined]
  > = [
    ["The input exceeds the model's maximum context limit of 7000 tokens.", 7000],
    ["Your prompt is longer than the model's context length of 2040.", 2040],
    ["Model context window is 128k tokens, you requested 256k tokens"],
    ["Context window exceeded: requested 12000 tokens", undefined, 12000],
    ["Prompt too large for this model"],
    ["The context window is full"],
    ["Input exceeds token limit"],
    [
      "Prompt tokens exceed context window size: number of prompt tokens: 5000; context window size: 4000",
      4000,
      undefined
    ],
    ["Reached context length of 4000 tokens with model (arch: x) that does not support overflow", 4000],
    ["Context size has been exceeded."],
    ["Input is too long: 9000 tokens, max 8000", 8000, 9000],
    ["the number of input tokens 5000 cannot exceed the total tokens limit 4000 for this model", 4000, 5000],
    ["number of input tokens must be no more than 8000, got 9000", 8000, 9000],
    ["Total tokens of image and text exceed max message tokens"],
    ["输入长度超过模型最大上下文限制 8000", 8000],
    ["Prompt 超长"],
    ["The conversation is too long. Start a new one."],
    ["Context length of 4000 was exceeded during generation.", 4000],
    ["Prompt length exceeds maximum input length of 4000", 4000],
    ["This request's input of 1,200,000 tokens is over the 1,000,000 token limit of the model", 1_000_000, 1_200_000],
    ["This model's maximum context length is 8000 tokens. Please reduce the length of the prompt", 8000],
    ["This model's maximum context length is 8000 tokens.", 8000],
    ["prompt of 9000 tokens does not fit into the context window of 8000 tokens", 8000, 9000],
    ["The request's input tokens (1200000) exceeds limit (1040000)", 1_040_000, 1_200_000],
    ["The total number of tokens 10000 of the input exceeds the limit 8000", 8000, 10_000],
    ["Your input has 9000 tokens, while the model supports at most 8000", 8000, 9000],
    ["input (5000) + max output (4000) exceeds the context window (8000)", 8000, 5000],
    ["Token limit exceeded: the prompt has 9_000 tokens but the limit is 8_000", 8000, 9000],
    ["prompt_too_long: shorten it"],
    ["prompt exceeds the maximum length"],
    ["Input token limit reached"],
    ["chat history exceeds the context window, 9001 > 9000 tokens"]
  ]
  it.each(wordings.map(([message, limit, requested]) => ({ message, limit, requested })))("$message", (given) => {
    const { limit, message, requested } = given
    for (const status of [400, 413, 422, undefined]) {
      const verdict = judged(message, status)
      assert.strictEqual(verdict.tag, "ContextWindowExceeded", `status ${status}`)
      if (verdict.limit !== undefined || limit !== undefined) assert.strictEqual(verdict.limit, limit)
      if (verdict.requested !== undefined || requested !== undefined) assert.strictEqual(verdict.requested, requested)
    }
    // whatever the words, these statuses say something else
    for (const status of [401, 402, 403, 404, 408, 429]) {
      assert.notStrictEqual(judged(message, status).tag, "ContextWindowExceeded", `status ${status}`)
    }
  })

  it.each([
    "context_window_overflow",
    "PromptTooLong",
    "input_too_long",
    "exceeded_context_window",
    "InputTokensLimitExceeded",
    "max_context_length_exceeded"
  ])("the code %s", (code) => {
    const verdict = judge({ route, status: 400, delivery: "http", body: { error: { code } } }, general)
    assert.strictEqual(verdict.tag, "ContextWindowExceeded")
  })
})

describe("what sounds like an overflow and is none [P1 CLASSIFY-1]", () => {
  it.each([
    "max_tokens (9000) exceeds the model's context window (8000)",
    "max_tokens: Input should be greater than or equal to 1",
    "max_tokens must be greater than thinking.budget_tokens",
    "context window must be positive",
    "maximum context length must be a positive integer",
    "Model context window too small (minimum is 1000 tokens)",
    "Context window too small: minimum is 1000 tokens",
    "Unknown parameter: context_length: 4096 is not supported",
    "The request exceeds the maximum number of tools: 200 > 128",
    "Your request has too many messages: 2000, the limit is 1000",
    "input vector length exceeds the maximum of 1024",
    "request body length exceeds the limit",
    "input exceeds maximum allowed value",
    "temperature exceeds maximum allowed value 2",
    "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2049 instead.",
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got 2000 instead.",
    "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
    "The access token exceeds the limit of its lifetime",
    "tool description has too many tokens",
    "context deadline exceeded",
    "See the message above for context.",
    "The long context beta is not available for this key.",
    "failed to load the model: requested context length 200000 exceeds the model's maximum of 100000",
    "input is too large to process. increase the physical batch size (current batch size: 512)",
    "Extra inputs are not permitted",
    "The model `context-window-exceeded-1` does not exist",
    "logit_bias: too many tokens"
  ])("%s", (message) => {
    for (const status of [400, 413, 422, 500, undefined]) {
      const { row, tag } = judge({
        route,
        ...(status === undefined ? {} : { status }),
        delivery: status === undefined ? "thrown" : "http",
        body: { error: { message } }
      })
      assert.notStrictEqual(tag, "ContextWindowExceeded", `status ${status}, row ${row}`)
    }
  })

  it("a server that failed and names the window", () => {
    for (const message of [
      "internal error computing maximum context length",
      "too many tokens",
      "This model's maximum context length is 8000 tokens",
      "request exceeded the deadline; context length 4096",
      "the maximum context length is not available"
    ]) {
      assert.strictEqual(judged(message, 500).tag, "ProviderUnavailable", message)
    }
    assert.strictEqual(
      judged("the prompt of 9000 tokens exceeds the limit of 8000 tokens", 500).tag,
      "ContextWindowExceeded"
    )
  })
})
