import * as Effect from "effect/Effect"
import * as SimulatedProvider from "../../src/testing/SimulatedProvider.ts"

/** JSON, of which the test knows the shape. */
export type Fields = ReturnType<typeof JSON.parse>

export interface Posted {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, where it is. */
  readonly body: Fields
  /** The data of a stream's events. */
  readonly events: ReadonlyArray<Fields>
}

const parsed = (text: string): Fields => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const eventsOf = (text: string): ReadonlyArray<Fields> =>
  text
    .split("\n")
    .filter((line) => /^data: \{.*\}$/.test(line))
    .map((line) => JSON.parse(line.slice("data: ".length)))

/** What came until the connection broke. */
const received = async (response: Response) => {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ""
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true })
    }
  } catch {
    // what came is what counts
  }
  return text
}

const paths = {
  "chat-completions": "/v1/chat/completions",
  "anthropic-messages": "/v1/messages",
  "openai-responses": "/v1/responses"
} as const

/** A provider, and a way to ask it in a protocol. */
export const posting = Effect.fnUntraced(function* (
  protocol: SimulatedProvider.ProtocolName,
  options: Partial<SimulatedProvider.Options> = {}
) {
  const provider = yield* SimulatedProvider.make({ window: 20_000, as: "deepseek", ...options })
  const post = (body: unknown, headers: Record<string, string> = { "anthropic-version": "2023-06-01" }) =>
    Effect.promise(async (signal): Promise<Posted> => {
      const response = await fetch(`${provider.baseUrl}${paths[protocol]}`, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers,
        signal
      })
      const text = await received(response)
      return { status: response.status, headers: response.headers, text, body: parsed(text), events: eventsOf(text) }
    })
  return { ...provider, post }
})

/** A request of one user message, in any protocol. */
export const asking = (
  protocol: SimulatedProvider.ProtocolName,
  text: string,
  more: Fields & { readonly maxTokens?: number } = {}
): Fields => {
  const { maxTokens, ...rest } = more
  switch (protocol) {
    case "chat-completions":
      return {
        model: "m",
        messages: [{ role: "user", content: text }],
        ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
        ...(rest["stream"] === true ? { stream_options: { include_usage: true } } : {}),
        ...rest
      }
    case "anthropic-messages":
      return { model: "m", max_tokens: maxTokens ?? 100, messages: [{ role: "user", content: text }], ...rest }
    case "openai-responses":
      return { model: "m", input: text, ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }), ...rest }
  }
}

export const protocols = ["chat-completions", "anthropic-messages", "openai-responses"] as const
