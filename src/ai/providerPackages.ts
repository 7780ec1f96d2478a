/**
 * What is known of Effect AI's provider packages: how one request's model, settings and output limit reach them, and where
 * they differ. None of them is imported: a package reads its settings from the context, under a key of its own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import { summarySettings } from "../layers/adapters/summarySettings.ts"
import type { ModelRequest } from "../services/ModelAdapter.ts"
import { isStrict } from "./strictSchema.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ProviderPackage {
  /** the key under which the package looks for settings */
  readonly key: string
  /** the settings of one request, in the package's words */
  readonly settings: (request: ModelRequest) => Readonly<Record<string, unknown>>
  /** `auto`: told that no tool may be called the package leaves them out, and its provider refuses calls without tools */
  readonly toolUseNone: "none" | "auto"
  /** `object`: the provider takes no result that is a text */
  readonly results: "any" | "object"
}

const outputLimit = (request: ModelRequest, name: string) =>
  request.envelope.maxOutputTokens === undefined ? {} : { [name]: request.envelope.maxOutputTokens }

/** The settings that the envelope has for this request: a summary takes those that fit it. */
const settingsOf = ({ envelope, toolUse }: ModelRequest): Readonly<Record<string, unknown>> => {
  const { maxOutputTokens, settings = {} } = envelope
  return toolUse === "none" ? summarySettings(settings, maxOutputTokens) : settings
}

/** The settings for packages that have them side by side. */
const flat =
  (model: string, limit: string) =>
  (request: ModelRequest): Readonly<Record<string, unknown>> => ({
    ...settingsOf(request),
    [model]: request.envelope.route.model,
    ...outputLimit(request, limit)
  })

/** The settings for packages that have the output limit among those of inference. */
const nested =
  (model: string, group: string, limit: string) =>
  (request: ModelRequest): Readonly<Record<string, unknown>> => {
    const { route } = request.envelope
    const settings = settingsOf(request)
    const given = settings[group]
    const inGroup = { ...(typeof given === "object" ? given : {}), ...outputLimit(request, limit) }
    return { ...settings, [model]: route.model, ...(Object.keys(inGroup).length === 0 ? {} : { [group]: inGroup }) }
  }

const openAiSettings = flat("model", "max_output_tokens")

const packages: Readonly<Record<string, ProviderPackage>> = {
  openai: {
    key: "@effect/ai-openai/OpenAiLanguageModel/Config",
    settings: (request) => ({
      // the package asks for strict schemas, and OpenAI refuses one that is not strict
      ...((request.envelope.tools ?? []).every(({ parameters }) => isStrict(parameters)) ? {} : { strict: false }),
      ...openAiSettings(request)
    }),
    toolUseNone: "none",
    results: "any"
  },
  anthropic: {
    key: "@effect/ai-anthropic/AnthropicLanguageModel/Config",
    settings: flat("model", "max_tokens"),
    toolUseNone: "auto",
    results: "any"
  },
  google: {
    key: "@effect/ai-google/GoogleLanguageModel/Config",
    settings: nested("model", "generationConfig", "maxOutputTokens"),
    toolUseNone: "none",
    results: "object"
  },
  "amazon-bedrock": {
    key: "@effect/ai-amazon-bedrock/AmazonBedrockLanguageModel/Config",
    settings: nested("modelId", "inferenceConfig", "maxTokens"),
    toolUseNone: "auto",
    results: "any"
  },
  openrouter: {
    key: "@effect/ai-openrouter/OpenRouterLanguageModel/Config",
    settings: flat("model", "max_tokens"),
    toolUseNone: "none",
    results: "any"
  }
}

/**
 * The row of a package, by the name that it gives itself.
 *
 * @since 0.1.0
 * @category getters
 */
export const packageOf = (name: string): ProviderPackage | undefined =>
  Object.hasOwn(packages, name) ? packages[name] : undefined

/**
 * The context that carries one request's settings to the package.
 *
 * @since 0.1.0
 * @category conversions
 */
export const settingsContext = (row: ProviderPackage, request: ModelRequest): Context.Context<never> =>
  Context.make(Context.GenericTag<never, unknown>(row.key), row.settings(request))
