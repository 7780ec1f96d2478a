import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ServerResponse } from "node:http"
import * as HttpEvidence from "../../src/ai/HttpEvidence.ts"
import { rawServer } from "../layers/adapters/rawServer.ts"

/** An answer as it goes over the wire. */
export interface Wire {
  readonly status: number
  readonly type: string
  readonly body: string
}

const json = (status: number, body: unknown): Wire => ({ status, type: "application/json", body: JSON.stringify(body) })

const events = (...list: ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>): Wire => ({
  status: 200,
  type: "text/event-stream",
  body: list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
})

const response = (fields: object) => ({
  id: "resp_1",
  object: "response",
  created_at: 1_764_000_000,
  error: null,
  incomplete_details: null,
  instructions: null,
  model: "gpt-5",
  output: [],
  parallel_tool_calls: true,
  metadata: {},
  tool_choice: "auto",
  tools: [],
  temperature: 1,
  top_p: 1,
  ...fields
})

const openAiUsage = (input: number) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + 5
})

const openAiText = (text: string, input: number) =>
  response({
    status: "completed",
    output: [
      {
        type: "message",
        id: "m1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }]
      }
    ],
    usage: openAiUsage(input)
  })

const message = (fields: object) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  container: null,
  context_management: null,
  usage: {
    input_tokens: 12,
    output_tokens: 5,
    cache_read_input_tokens: 700,
    cache_creation_input_tokens: 30,
    cache_creation: null,
    server_tool_use: null,
    service_tier: "standard"
  },
  ...fields
})

const anthropicStream = (text: string | undefined, stopReason: string): Wire =>
  events(
    { type: "message_start", message: message({}) },
    ...(text === undefined
      ? []
      : [
          {
            type: "content_block_start",
            index: 0,
            content_block: { type: "text", text: "", citations: null }
          },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
          { type: "content_block_stop", index: 0 }
        ]),
    {
      type: "message_delta",
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 5 }
    },
    { type: "message_stop" }
  )

const created = { type: "response.created", sequence_number: 0, response: response({ status: "in_progress" }) }

const failed = (code: string, text: string): Wire =>
  events(created, {
    type: "response.failed",
    sequence_number: 1,
    response: response({ status: "failed", error: { code, message: text } })
  })

const tooLong = "The input is longer than the context window of this model."

/** The ways in which the two providers' packages come to fail, as the providers send them. */
export const shapes = {
  openAi400: json(400, {
    error: { message: tooLong, type: "invalid_request_error", param: "input", code: "context_length_exceeded" }
  }),
  openAi400Figures: json(400, {
    error: {
      message: "This model's maximum context length is 9000 tokens. However, your messages resulted in 9411 tokens.",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded"
    }
  }),
  openAi429: json(429, {
    error: {
      message: "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 41000.",
      type: "tokens",
      param: null,
      code: "rate_limit_exceeded"
    }
  }),
  openAi413Html: { status: 413, type: "text/html", body: "<html><title>413 Request Entity Too Large</title></html>" },
  openAiSseError: events({
    type: "error",
    sequence_number: 1,
    code: "context_length_exceeded",
    message: tooLong,
    param: "input"
  }),
  openAiSseFailed: failed("context_length_exceeded", tooLong),
  openAiSseFailedServer: failed("server_error", "The model had an error."),
  openAiFailedWhole: json(
    200,
    response({ status: "failed", error: { code: "server_error", message: "It had an error." } })
  ),
  openAiFailedWholeTooLong: json(
    200,
    response({ status: "failed", error: { code: "context_length_exceeded", message: tooLong } })
  ),
  openAiCut: events(created),
  anthropic400: json(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 9411 tokens > 9000 maximum" },
    request_id: "req_1"
  }),
  anthropic400Output: json(400, {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "input length and `max_tokens` exceed context limit: 7411 + 4096 > 9000, decrease one of them"
    },
    request_id: "req_2"
  }),
  anthropic413: json(413, {
    type: "error",
    error: { type: "request_too_large", message: "Request exceeds the maximum size" },
    request_id: "req_3"
  }),
  anthropic529: json(529, {
    type: "error",
    error: { type: "overloaded_error", message: "Overloaded" },
    request_id: "req_4"
  }),
  anthropicSseError: events({
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 9411 tokens > 9000 maximum" }
  }),
  anthropicWindow: json(
    200,
    message({
      content: [{ type: "text", text: "half", citations: null }],
      stop_reason: "model_context_window_exceeded"
    })
  ),
  anthropicSseWindow: anthropicStream(undefined, "model_context_window_exceeded"),
  anthropicSseWindowAfterText: anthropicStream("half", "model_context_window_exceeded")
} as const satisfies Record<string, Wire>

/** An answer as it should be, whole or streamed, of as many input tokens. */
export const ok = {
  openAi: (text: string, streamed: boolean, input = 800): Wire =>
    streamed
      ? events(
          created,
          {
            type: "response.output_item.added",
            sequence_number: 1,
            output_index: 0,
            item: { type: "message", id: "m1", role: "assistant", status: "in_progress", content: [] }
          },
          {
            type: "response.output_text.delta",
            sequence_number: 2,
            item_id: "m1",
            output_index: 0,
            content_index: 0,
            delta: text,
            logprobs: []
          },
          {
            type: "response.output_item.done",
            sequence_number: 3,
            output_index: 0,
            item: openAiText(text, input).output[0]
          },
          { type: "response.completed", sequence_number: 4, response: openAiText(text, input) }
        )
      : json(200, openAiText(text, input)),
  anthropic: (text: string, streamed: boolean): Wire =>
    streamed
      ? anthropicStream(text, "end_turn")
      : json(200, message({ content: [{ type: "text", text, citations: null }], stop_reason: "end_turn" })),
  /** what a structured answer of Anthropic is: a call of a tool that has the object's name */
  anthropicObject: (name: string, input: object): Wire =>
    json(200, message({ content: [{ type: "tool_use", id: "toolu_1", name, input }], stop_reason: "tool_use" }))
}

const send = (out: ServerResponse, wire: Wire) => {
  out.writeHead(wire.status, { "content-type": wire.type, "x-request-id": "req_abc" })
  out.end(wire.body)
}

/** A key that must not turn up anywhere. */
export const plantedKey = "sk-planted-0123456789"

export type Provider = "openai" | "anthropic"

/** The provider's own package, against a server that answers what it is told, the last one again and again. */
export const wired = Effect.fnUntraced(function* (
  provider: Provider,
  answers: ReadonlyArray<Wire>,
  {
    client = FetchHttpClient.layer,
    evidence = true
  }: { readonly client?: Layer.Layer<HttpClient.HttpClient>; readonly evidence?: boolean } = {}
) {
  const server = yield* rawServer((out, number) => send(out, answers[Math.min(number, answers.length - 1)]!))
  const apiKey = Redacted.make(plantedKey)
  const model: Layer.Layer<LanguageModel.LanguageModel> =
    provider === "openai"
      ? OpenAiLanguageModel.layer({ model: "gpt-5" }).pipe(
          Layer.provide(
            OpenAiClient.layer({
              apiKey,
              apiUrl: server.baseUrl,
              ...(evidence ? { transformClient: HttpEvidence.transform } : {})
            })
          ),
          Layer.provide(client)
        )
      : AnthropicLanguageModel.layer({ model: "claude-sonnet-4-5" }).pipe(
          Layer.provide(AnthropicClient.layer({ apiKey, apiUrl: server.baseUrl })),
          Layer.provide(evidence ? Layer.provide(HttpEvidence.layer, client) : client)
        )
  return { model, requests: server.requests }
})
