import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** What the model says to one request; a stream says the parts that come before it fails. */
export type Line =
  | ReadonlyArray<Response.StreamPartEncoded>
  | AiError.AiError
  | ((options: LanguageModel.ProviderOptions) => Stream.Stream<Response.StreamPartEncoded, AiError.AiError>)

/** A request as a provider's package gets it, and the context that it runs in. */
export interface Asked extends LanguageModel.ProviderOptions {
  readonly context: Context.Context<never>
}

export class ScriptedModel extends Context.Tag("test/ai/ScriptedModel")<
  ScriptedModel,
  {
    readonly next: (...lines: ReadonlyArray<Line>) => Effect.Effect<void>
    readonly asked: Effect.Effect<ReadonlyArray<Asked>>
  }
>() {}

export const finish = (
  usage: { readonly input?: number; readonly output?: number } = {},
  reason: Response.FinishReason = "stop",
  metadata: Response.ProviderMetadata = {}
): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: usage.input, outputTokens: usage.output, totalTokens: undefined },
  // a package types what it says; a test says less
  metadata: metadata as NonNullable<Response.FinishPartEncoded["metadata"]>
})

export const text = (...deltas: ReadonlyArray<string>): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "t" },
  ...deltas.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
  { type: "text-end", id: "t" }
]

export const say = (
  words: string,
  usage: { readonly input?: number; readonly output?: number } = {}
): ReadonlyArray<Response.StreamPartEncoded> => [...text(words), finish(usage)]

export const call = (
  ...calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly params?: unknown }>
): ReadonlyArray<Response.StreamPartEncoded> => [
  ...calls.map(({ id, name, params = {} }) => ({ type: "tool-call" as const, id, name, params })),
  finish({}, "tool-calls")
]

/** Text that came in pieces, whole: what `generateText` has where `streamText` has deltas. */
const whole = (parts: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const out: Array<Response.PartEncoded> = []
  for (const part of parts) {
    if (part.type === "text-delta") out.push({ type: "text", text: part.delta })
    else if (part.type === "reasoning-delta") {
      out.push({
        type: "reasoning",
        text: part.delta,
        ...(part.metadata === undefined ? {} : { metadata: part.metadata })
      })
    } else if (!/-(?:start|end)$|^tool-params|^error$/.test(part.type)) out.push(part as Response.PartEncoded)
  }
  return out
}

/** A `LanguageModel` that says what the test wrote down, through Effect AI's own `LanguageModel.make`. */
export const layer: Layer.Layer<LanguageModel.LanguageModel | ScriptedModel> = Layer.effectContext(
  Effect.gen(function* () {
    const lines: Array<Line> = []
    const asked: Array<Asked> = []
    const answer = (options: LanguageModel.ProviderOptions) =>
      Stream.unwrap(
        Effect.contextWith((context: Context.Context<never>) => {
          asked.push({ ...options, context })
          const line = lines.shift()
          if (line === undefined) return Stream.dieMessage(`the script has no line for request ${asked.length}`)
          if (typeof line === "function") return line(options)
          return "_tag" in line ? Stream.fail(line) : Stream.fromIterable(line)
        })
      )
    const model = yield* LanguageModel.make({
      generateText: (options) => Effect.map(Stream.runCollect(answer(options)), (parts) => whole([...parts])),
      streamText: answer
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(
      Context.add(ScriptedModel, {
        next: (...more) => Effect.sync(() => void lines.push(...more)),
        asked: Effect.sync(() => [...asked])
      })
    )
  })
)
