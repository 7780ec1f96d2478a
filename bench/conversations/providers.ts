// Eight providers that count with the eight tokenizers, and what each puts around the text.
import type { Route } from "../../src/session/Route.ts"

export interface Provider {
  readonly tokenizer: string
  readonly route: Route
  /** tokens that it counts for one of the tokenizer's */
  readonly factor: number
  /** tokens of each request, of each message, and of framing that nobody sees: as the authors of ai-tokenizer measured them, with twelve tools */
  readonly framing: { readonly request: number; readonly message: number; readonly hidden: number }
  /** whether its usage says how much of the output was reasoning */
  readonly statesReasoning: boolean
}

const provider = (
  tokenizer: string,
  route: string,
  [request, message, hidden]: readonly [number, number, number],
  more: Partial<Provider> = {}
): Provider => {
  const [name = "", model = ""] = route.split("/")
  return {
    tokenizer,
    route: { provider: name, model },
    factor: 1,
    framing: { request, message, hidden },
    statesReasoning: true,
    ...more
  }
}

export const providers: ReadonlyArray<Provider> = [
  provider("o200k", "openai/gpt-5", [5, 4, 504]),
  provider("cl100k", "openai/gpt-4", [5, 3, 827]),
  // newer Claudes count about a tenth more than the vocabulary that was published
  provider("claude2", "anthropic/claude-sonnet-4-5", [6, 2, 1689], { factor: 1.1, statesReasoning: false }),
  provider("deepseek_v3", "deepseek/deepseek-chat", [5, 1, 1469]),
  provider("gemma3", "google/gemini-2.5-pro", [-1, -1, 0]),
  provider("qwen3", "alibaba/qwen3-max", [7, 4, 1445]),
  provider("llama3", "meta/llama-3.3-70b", [34, 4, 1133], { statesReasoning: false }),
  provider("tekken", "mistral/mistral-large-latest", [2, 1, 1140], { statesReasoning: false })
]

/** A route that no row knows. */
export const unknownRoute: Route = { provider: "unknown", model: "unknown" }
