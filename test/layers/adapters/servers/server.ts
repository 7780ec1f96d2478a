// A server on loopback that speaks chat completions in one provider's own shapes, and the adapter with that preset.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as OpenAiChat from "../../../../src/layers/adapters/OpenAiChat.ts"
import type { PresetName } from "../../../../src/layers/adapters/openAiChatPresets.ts"
import type { ModelRequest } from "../../../../src/services/ModelAdapter.ts"
import * as Message from "../../../../src/session/Message.ts"
import type { Envelope } from "../../../../src/session/Envelope.ts"
import { rawServer } from "../rawServer.ts"

/** What the server says to one request for an answer: an event stream as it comes over the wire, or a status with a body. */
export type Said =
  | { readonly stream: string }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Chunks in the frame that the server gives them, and its end. */
export const events = (frame: object, ...chunks: ReadonlyArray<object | string>): Said => ({
  stream: [
    ...chunks.map((chunk) =>
      typeof chunk === "string" ? chunk : `data: ${JSON.stringify({ ...frame, ...chunk })}\n\n`
    ),
    "data: [DONE]\n\n"
  ].join("")
})

export const tools = [{ name: "read", description: "Reads a file", parameters: { type: "object", properties: {} } }]

/** A conversation with all that a body may carry: an image, reasoning with and without calls, two results. */
export const conversation: ReadonlyArray<Message.Message> = [
  Message.user([
    Message.textBlock("What is in these?"),
    { type: "image", mediaType: "image/png", source: { type: "base64", base64: "aGk=" } }
  ]),
  Message.assistant([
    { type: "reasoning", text: "Two files." },
    Message.textBlock("I look."),
    Message.toolCall("call_1", "read", { path: "a" }),
    Message.toolCall("call_2", "read", { path: "b" })
  ]),
  Message.toolResult({ id: "call_1", name: "read", content: "A" }),
  Message.toolResult({ id: "call_2", name: "read", content: "B" }),
  Message.assistant([{ type: "reasoning", text: "All read." }, Message.textBlock("A and B.")]),
  Message.user("Go on")
]

/** A body, as far as tests look into it. */
interface Sent {
  readonly [field: string]: unknown
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content: unknown
    readonly reasoning?: string
    readonly reasoning_content?: string
    readonly reasoning_details?: ReadonlyArray<{ readonly id?: string }>
    readonly tool_call_id?: string
    readonly tool_calls?: ReadonlyArray<{ readonly id: string }>
  }>
}

export const makeServer = Effect.fnUntraced(function* (
  provider: PresetName,
  options: {
    /** where the API begins */
    readonly path?: string
    readonly model: string
    readonly says?: ReadonlyArray<Said>
    /** what it answers to other requests, by method and path; undefined: 404 */
    readonly tells?: (asked: string, body: string) => unknown
  }
) {
  const left = [...(options.says ?? [])]
  const server = yield* rawServer((response, number, request) => {
    const asked = `${request.method} ${request.url}`
    if (asked.endsWith("/chat/completions")) {
      const said = left.shift() ?? { status: 500, body: "nothing is left to say" }
      if ("stream" in said) response.writeHead(200, { "content-type": "text/event-stream" }).end(said.stream)
      else
        response
          .writeHead(said.status, { "content-type": "application/json", ...said.headers })
          .end(typeof said.body === "string" ? said.body : JSON.stringify(said.body))
      return
    }
    const told = options.tells?.(asked, server.requests[number]?.body ?? "")
    response
      .writeHead(told === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(told ?? {}))
  })
  const adapter = yield* OpenAiChat.make({
    provider,
    baseUrl: `${server.baseUrl}${options.path ?? "/v1"}`,
    apiKey: Redacted.make("key"),
    retry: false
  }).pipe(Effect.provide(FetchHttpClient.layer))
  const route = { provider, model: options.model }
  const request = (envelope: Partial<Envelope> = {}, more: Partial<ModelRequest> = {}): ModelRequest => ({
    id: "s/7",
    generation: 0,
    envelope: { route, ...envelope },
    messages: [Message.user("Hello")],
    ...more
  })
  const parts = (given = request()) => Effect.map(Stream.runCollect(adapter.stream(given)), Chunk.toReadonlyArray)
  return {
    request,
    parts,
    error: (given?: ModelRequest) => Effect.flip(parts(given)),
    info: Effect.map(adapter.modelInfo(route), Option.getOrUndefined),
    /** The body of the newest request for an answer. */
    body: Effect.sync((): Sent =>
      JSON.parse(server.requests.findLast(({ url }) => url.endsWith("/chat/completions"))?.body ?? "{}")
    ),
    asked: Effect.sync(() => server.requests.map(({ url }) => url))
  }
})
