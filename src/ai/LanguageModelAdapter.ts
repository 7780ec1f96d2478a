/**
 * Talks to any `LanguageModel` of Effect AI, so that sessions and `AgentLoop` run on each of its provider packages.
 *
 * @since 0.1.0
 */
import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Model from "@effect/ai/Model"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { asSent, type Sends } from "../compaction/sends.ts"
import * as Errors from "../errors/ModelError.ts"
import * as AnthropicPresets from "../layers/adapters/anthropicPresets.ts"
import * as KnownWindows from "../layers/adapters/knownWindows.ts"
import { presetInfo } from "../layers/adapters/presetInfo.ts"
import { defaults as retryDefaults, retryTransient, type TransientRetry } from "../layers/adapters/transientRetry.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"
import { ModelAdapter, type ModelRequest, type Part } from "../services/ModelAdapter.ts"
import type { ToolSchema } from "../session/Envelope.ts"
import { CurrentNotes, makeNotes } from "./HttpEvidence.ts"
import * as Answer from "./languageModelAnswer.ts"
import { modelErrorOf } from "./modelErrors.ts"
import * as PromptMessage from "./PromptMessage.ts"
import { labelled } from "./promptLabels.ts"
import { packageOf, type ProviderPackage, settingsContext } from "./providerPackages.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { ModelAdapter } from "../services/ModelAdapter.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The name that routes use. */
  readonly provider: string
  /**
   * Whose package the model is of, where that is not `provider`: `openai`, `anthropic`, `google`, `amazon-bedrock`,
   * `openrouter`. The model of the route, the output limit and the envelope's `settings` reach those packages by
   * themselves, and go before what the model's own layer says.
   */
  readonly package?: string
  /** Gives the package of another provider the settings of a request: what its `withConfigOverride` would provide. */
  readonly context?: (request: ModelRequest) => Context.Context<never>
  /** By model; goes before what is known of the provider's models. Tokens. */
  readonly windows?: KnownWindows.Windows
  /** For rate limits, unavailability and timeouts, before the first part; false: none. Two repetitions by default. */
  readonly retry?: Partial<TransientRetry> | false
}

/** Our schema as it is, and whatever the model wrote: it is the tool that judges its arguments. */
const toolOf = ({ description, name, parameters }: ToolSchema): Tool.Any =>
  Tool.make(name, description === undefined ? {} : { description }).setParameters(
    Schema.Unknown.annotations({ jsonSchema: parameters as object }) as unknown as Tool.AnyParametersSchema
  )

const toolkitOf = (tools: ReadonlyArray<ToolSchema>): Toolkit.WithHandler<Record<string, Tool.Any>> => ({
  tools: Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool)])),
  handle: () => Effect.dieMessage("a LanguageModelAdapter runs no tools")
})

/** What is sealed goes back, and images and files that a user shows; in results Effect AI carries text. */
const sends: Sends = { reasoning: "sealed", opaque: true, carries: (_block, role) => role === "user" }

/**
 * A model may bind its reasoning to all that stands before it, and refuse it behind anything else. Its package cannot say
 * that it may be left out, so it is, as soon as something was replaced, and in a summary's request.
 */
const sendsOf = ({ envelope, generation, toolUse }: ModelRequest): Sends =>
  (generation > 0 || toolUse === "none") && AnthropicPresets.bindsThinking(envelope.route.model)
    ? { ...sends, reasoning: "omit" }
    : sends

/** For a provider whose results are objects. */
const withObjects = (prompt: Prompt.Prompt): Prompt.Prompt =>
  Prompt.fromMessages(
    prompt.content.map((message) =>
      message.role !== "tool"
        ? message
        : Prompt.makeMessage("tool", {
            content: message.content.map((part) =>
              typeof part.result === "object" && part.result !== null && !Array.isArray(part.result)
                ? part
                : Prompt.makePart("tool-result", { ...part, result: { output: part.result } })
            ),
            options: message.options
          })
    )
  )

const promptOf = (request: ModelRequest, row: ProviderPackage | undefined): Prompt.Prompt => {
  const { envelope, messages } = request
  const { prefix = [], system } = envelope
  const rule = sendsOf(request)
  const prompt = PromptMessage.begunByUser(
    PromptMessage.encode({
      ...(system === undefined || system === "" ? {} : { system }),
      messages: [...prefix, ...messages].map((message) => asSent(message, rule))
    })
  )
  if (row === undefined) return prompt
  const taken = labelled(prompt, new Set((envelope.tools ?? []).map(({ name }) => name)))
  return row.results === "object" ? withObjects(taken) : taken
}

/** The generics of `streamText` follow from the options, which are not known before they run. */
const streamOf = (
  model: LanguageModel.Service,
  request: ModelRequest,
  row: ProviderPackage | undefined
): Stream.Stream<Response.AnyPart, AiError.AiError> => {
  const { tools = [] } = request.envelope
  const noneMayBeCalled = request.toolUse === "none" && (row?.toolUseNone ?? "none") === "none"
  return model.streamText({
    prompt: promptOf(request, row),
    ...(tools.length === 0
      ? {}
      : {
          toolkit: toolkitOf(tools),
          toolChoice: noneMayBeCalled ? "none" : "auto",
          disableToolCallResolution: true
        })
  } as LanguageModel.GenerateTextOptions<Record<string, Tool.Any>>) as Stream.Stream<Response.AnyPart, AiError.AiError>
}

/**
 * A `ModelAdapter` over the `LanguageModel` that it is built with. Transient failures before the first part are sent again
 * (`retry`); an overflow is not, since that is the session's to rescue. An answer of a tool that the request did not offer
 * is one that Effect AI cannot read: `MalformedResponse`.
 *
 * Provide `HttpEvidence.layer` to the provider's client: a package may hide the status or the body of a refusal.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const model = yield* LanguageModel.LanguageModel
  const { rows } = yield* ErrorClassifier
  const row = packageOf(options.package ?? options.provider)
  const retry = options.retry === false ? undefined : { ...retryDefaults, ...options.retry }

  const isAnthropic = (options.package ?? options.provider) === "anthropic"
  const infoOf = KnownWindows.modelInfo({
    windows: options.windows,
    discovered: undefined,
    preset: (model) =>
      presetInfo({ provider: options.provider, model }) ?? (isAnthropic ? AnthropicPresets.infoOf(model) : undefined)
  })

  const send = (request: ModelRequest): Stream.Stream<Part, Errors.ModelError> =>
    Stream.suspend(() => {
      const { maxOutputTokens, route } = request.envelope
      if (route.provider !== options.provider) {
        return Stream.fail(new Errors.InvalidRequest({ route, detail: `this adapter serves ${options.provider}` }))
      }
      const notes = makeNotes()
      const known = { route, rows, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) }
      const answer = Answer.make(known, notes)
      const settings =
        options.context?.(request) ?? (row === undefined ? Context.empty() : settingsContext(row, request))
      const parts = streamOf(model, request, row).pipe(
        Stream.catchAll((error) =>
          Stream.fromEffect(
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.fail(modelErrorOf(error, { ...known, noted: notes.newest, now }))
            )
          )
        ),
        Stream.mapEffect((part) => {
          const { failure, parts } = answer.part(part)
          return failure === undefined ? Effect.succeed(parts) : Effect.fail(failure)
        }),
        Stream.mapConcat((parts) => parts)
      )
      const end = Stream.suspend(() => {
        const failure = answer.end()
        return failure === undefined ? Stream.empty : Stream.fail(failure)
      })
      return Stream.concat(parts, end).pipe(
        Stream.provideSomeContext(Context.add(settings, CurrentNotes, notes) as Context.Context<never>)
      )
    })

  return ModelAdapter.of({
    stream: (request) => (retry === undefined ? send(request) : retryTransient(send(request), retry)),
    modelInfo: (route) => (route.provider === options.provider ? infoOf(route.model) : Effect.succeedNone),
    sends: (route) => (route.provider === options.provider ? sends : undefined)
  })
})

/**
 * The adapter over a `LanguageModel`. Without `provider` it is the name that a model of Effect AI has
 * (`OpenAiLanguageModel.model("gpt-5")`: `openai`).
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: {
  (options: Options): Layer.Layer<ModelAdapter, never, LanguageModel.LanguageModel>
  (
    options?: Omit<Options, "provider">
  ): Layer.Layer<ModelAdapter, never, LanguageModel.LanguageModel | Model.ProviderName>
} = (
  options: Omit<Options, "provider"> & { readonly provider?: string } = {}
): Layer.Layer<ModelAdapter, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    ModelAdapter,
    Effect.flatMap(
      options.provider === undefined
        ? (Model.ProviderName as unknown as Effect.Effect<string>)
        : Effect.succeed(options.provider),
      (provider) => make({ ...options, provider })
    )
  )
