/**
 * Talks to OpenAI's chat completions, and to the many servers that speak it.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { ModelAdapter } from "../../services/ModelAdapter.ts"
import * as HttpAdapter from "./httpAdapter.ts"
import * as HttpConnection from "./httpConnection.ts"
import * as KnownWindows from "./knownWindows.ts"
import { presetOf, type PresetName } from "./openAiChatPresets.ts"
import { defaultQuirks, encodeBody, type RequestQuirks, sendsOf } from "./openAiChatRequest.ts"
import * as Answer from "./openAiChatStream.ts"
import * as WindowDiscovery from "./windowDiscovery.ts"
import type { TransientRetry } from "./transientRetry.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { ModelAdapter } from "../../services/ModelAdapter.ts"

interface CommonOptions extends HttpConnection.ConnectionOptions {
  /** By model; goes before what the server says of itself, which goes before what the preset knows. */
  readonly windows?: KnownWindows.Windows
  /**
   * Whether a server whose preset knows how is asked for the window of a model that `windows` does not name, when it is
   * first needed; yes by default. A request waits three seconds for that at most.
   */
  readonly discovery?: boolean
  /** The preset of a server that routes know by another name. */
  readonly like?: PresetName
  /** Where the server differs from what the preset says. */
  readonly quirks?: Partial<RequestQuirks>
  /** For rate limits, unavailability and timeouts, before the first part; false: none. Two repetitions by default. */
  readonly retry?: Partial<TransientRetry> | false
}

/**
 * `provider` is the name that routes use. One with a preset needs no `baseUrl`; others name theirs, without
 * `/chat/completions`.
 *
 * @since 0.1.0
 * @category models
 */
export type Options = CommonOptions &
  (
    | { readonly provider: PresetName; readonly baseUrl?: string }
    | { readonly provider: string; readonly baseUrl: string }
  )

/**
 * The options with the key as a `Config`.
 *
 * @since 0.1.0
 * @category models
 */
export type ConfigOptions = Options extends infer Each
  ? Each extends Options
    ? Omit<Each, "apiKey"> & { readonly apiKey?: Config.Config<Redacted.Redacted> }
    : never
  : never

const urlOf = (baseUrl: string) => `${baseUrl.replace(/\/+$/, "")}/chat/completions`

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const preset = presetOf(options.like ?? options.provider)
  const baseUrl = options.baseUrl ?? preset?.baseUrl ?? ""
  const quirks: RequestQuirks = { ...defaultQuirks, ...preset?.quirks, ...options.quirks }
  const connection = yield* HttpConnection.make(options, (apiKey) => ({ authorization: `Bearer ${apiKey}` }))
  const discovered =
    preset?.lookups === undefined || options.discovery === false
      ? undefined
      : yield* WindowDiscovery.make(connection, baseUrl, preset.lookups)
  return yield* HttpAdapter.make(connection, {
    provider: options.provider,
    url: urlOf(baseUrl),
    encodeBody: (request) => encodeBody(request, quirks),
    decoder: (context) => Answer.make(context, quirks.encryptedReasoning),
    sends: sendsOf(quirks, options.provider),
    modelInfo: KnownWindows.modelInfo({
      windows: options.windows,
      discovered,
      preset: (model) => KnownWindows.preset(preset?.windows, model)
    }),
    retry: options.retry
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ModelAdapter, never, HttpClient.HttpClient> =>
  Layer.effect(ModelAdapter, make(options))

/**
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: ConfigOptions
): Layer.Layer<ModelAdapter, ConfigError.ConfigError, HttpClient.HttpClient> => {
  const { apiKey, ...rest } = options
  return Layer.effect(
    ModelAdapter,
    apiKey === undefined
      ? make(rest as Options)
      : Effect.flatMap(apiKey, (key) => make({ ...rest, apiKey: key } as Options))
  )
}
