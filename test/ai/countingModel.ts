import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** What has no JSON is a word: some packages take it. */
const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return "none"
  }
}

/** What a model of the tests counts of a prompt: five characters are a token, a message costs four more. */
export const tokensOf = (prompt: Prompt.Prompt, extra = ""): number =>
  prompt.content.reduce(
    (sum, message) => {
      const text =
        message.role === "system"
          ? message.content
          : message.content
              .map((part) =>
                part.type === "text" || part.type === "reasoning"
                  ? part.text
                  : part.type === "tool-call"
                    ? part.name + json(part.params)
                    : part.type === "tool-result"
                      ? typeof part.result === "string"
                        ? part.result
                        : json(part.result)
                      : ""
              )
              .join("")
      return sum + 4 + Math.ceil(text.length / 5)
    },
    Math.ceil(extra.length / 5)
  )

export interface Asked {
  readonly prompt: Prompt.Prompt
  readonly tokens: number
  readonly kind: "conversation" | "summary"
  readonly refused: boolean
  readonly options: LanguageModel.ProviderOptions
}

export type Part = Response.PartEncoded

const usage = (input: number, output = 5) => ({ inputTokens: input, outputTokens: output, totalTokens: input + output })

export const text = (said: string): ReadonlyArray<Part> => [{ type: "text", text: said }]
export const call = (id: string, name: string, params: unknown): ReadonlyArray<Part> => [
  { type: "tool-call", id, name, params }
]

const lastText = ({ content }: Prompt.Prompt): string => {
  const last = content.at(-1)
  return last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : ""
}

const headings = (instruction: string) => instruction.match(/^#+ .+$/gm) ?? []

/** A summary with the headings that it was asked for. */
export const summaryFor = (instruction: string) =>
  [...headings(instruction).map((heading) => `${heading}\n- kept`), "- all of it"].join("\n")

export const isSummary = (prompt: Prompt.Prompt) => headings(lastText(prompt)).length > 2

export const refusal = (input: number, window: number | undefined): AiError.AiError =>
  new AiError.HttpResponseError(
    {
      module: "OpenAiClient",
      method: "createResponse",
      reason: "StatusCode",
      request: { method: "POST", url: "http://model.test", urlParams: [], hash: undefined as never, headers: {} },
      response: { status: 400, headers: {} },
      body: JSON.stringify({
        error: {
          code: "context_length_exceeded",
          message:
            window === undefined
              ? "Your input exceeds the context window of this model."
              : `This model's maximum context length is ${window} tokens. However, your messages resulted in ${input} tokens.`
        }
      })
    },
    { disableValidation: true }
  )

/**
 * A `LanguageModel` that counts, enforces a window, states it or not (`truncates`: drops what is too much, and counts what is
 * left), and answers what it is told: the first of `answers` that has not been given, else "ok". `summary` says what it answers when it is asked for one.
 */
export const make = (given: {
  readonly window: number
  readonly states?: boolean
  readonly truncates?: boolean
  readonly answers?: (asked: Asked, number: number) => ReadonlyArray<Part>
  readonly summary?: (instruction: string) => Effect.Effect<ReadonlyArray<Part>, AiError.AiError>
  /** held until this is over, each request of the conversation */
  readonly hold?: (asked: Asked, number: number) => Effect.Effect<void>
}) => {
  const asked: Array<Asked> = []
  let answered = 0
  const answer = (options: LanguageModel.ProviderOptions): Effect.Effect<Array<Part>, AiError.AiError> =>
    Effect.gen(function* () {
      const { prompt, responseFormat, tools } = options
      const schemas = tools.map((tool) => JSON.stringify(Tool.getJsonSchema(tool as never))).join("")
      const schema =
        responseFormat.type === "json" ? JSON.stringify(Tool.getJsonSchemaFromSchemaAst(responseFormat.schema.ast)) : ""
      const tokens = tokensOf(prompt, schemas + schema)
      const kind = isSummary(prompt) ? "summary" : "conversation"
      const one: Asked = { prompt, tokens, kind, refused: given.truncates !== true && tokens > given.window, options }
      asked.push(one)
      if (kind === "conversation") yield* given.hold?.(one, answered) ?? Effect.void
      if (one.refused) return yield* Effect.fail(refusal(tokens, given.states === false ? undefined : given.window))
      const parts =
        kind === "summary"
          ? yield* given.summary?.(lastText(prompt)) ?? Effect.succeed(text(summaryFor(lastText(prompt))))
          : (given.answers?.(one, answered++) ?? text("ok"))
      return [...parts, { type: "finish", reason: "stop", usage: usage(Math.min(tokens, given.window)) }] as Array<Part>
    })
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: answer,
      streamText: (options) =>
        Stream.concat(
          Stream.make({ type: "response-metadata", id: "r", modelId: "m", timestamp: undefined } as never),
          Stream.fromIterableEffect(answer(options)).pipe(
            Stream.mapConcat((part): Array<Response.StreamPartEncoded> =>
              part.type === "text"
                ? [
                    { type: "text-start", id: "0" },
                    { type: "text-delta", id: "0", delta: part.text },
                    { type: "text-end", id: "0" }
                  ]
                : [part as Response.StreamPartEncoded]
            )
          )
        )
    })
  )
  const of = (kind: Asked["kind"]) => asked.filter((one) => one.kind === kind)
  return {
    layer,
    asked,
    conversation: () => of("conversation"),
    summaries: () => of("summary").length,
    refusals: () => asked.filter(({ refused }) => refused).length
  }
}

/** As many tokens of text. */
export const words = (tokens: number, of = "word") => `${of} `.repeat(Math.ceil((tokens * 5) / (of.length + 1)))
