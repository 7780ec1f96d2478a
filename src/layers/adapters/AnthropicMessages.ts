/**
 * Talks to Anthropic's messages, and to the servers that speak it.
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
import type { CacheOptions } from "./anthropicCache.ts"
import * as AnthropicPresets from "./anthropicPresets.ts"
import { betasOf, encodeBody } from "./anthropicRequest.ts"
import * as Answer from "./anthropicStream.ts"
import { sendsOf } from "./anthropicTurns.ts"
import * as HttpAdapter from "./httpAdapter.ts"
import * as HttpConnection from "./httpConnection.ts"
import * as KnownWindows from "./knownWindows.ts"
import type { TransientRetry } from "./transientRetry.ts"
import * as WindowDiscovery from "./windowDiscovery.ts"
import * as WindowLookups from "./windowLookups.ts"

/**
 * @since 0.1.0
 * @category re-exports
 */
export { ModelAdapter } from "../../services/ModelAdapter.ts"

/**
 * `headers` is the place of `anthropic-beta` and, for another version than 2023-06-01, of `anthropic-version`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends HttpConnection.ConnectionOptions {
  /** The name that routes use; `anthropic` by default. */
  readonly provider?: string
  /** Without `/v1/messages`; `https://api.anthropic.com` by default. */
  readonly baseUrl?: string
  /** By model; goes before what the server says, which goes before what is known of Anthropic's own. */
  readonly windows?: KnownWindows.Windows
  /**
   * Whether the server is asked for the window of a model that `windows` does not name, when it is first needed; yes by
   * default. A request waits three seconds for that at most.
   */
  readonly discovery?: boolean
  /** For rate limits, unavailability and timeouts, before the first part; false: none. Two repetitions by default. */
  readonly retry?: Partial<TransientRetry> | false
  /** The provider's prompt cache: five minutes by default, or an hour, which costs more; false: no breakpoints. */
  readonly cache?: CacheOptions | false
  /**
   * Whether the API is told to leave out reasoning that a compaction has made void, instead of refusing the request. By
   * default for the models that are known to bind their reasoning to what stands before it.
   */
  readonly dropsStaleThinking?: boolean
}

/**
 * The options with the key as a `Config`.
 *
 * @since 0.1.0
 * @category models
 */
export type ConfigOptions = Omit<Options, "apiKey"> & { readonly apiKey?: Config.Config<Redacted.Redacted> }

/** With the version, whether it was given or not. */
const versioned = (baseUrl: string) => `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { baseUrl = "https://api.anthropic.com", cache = { ttl: "5m" }, provider = "anthropic", windows } = options
  const connection = yield* HttpConnection.make(
    { ...options, headers: { "anthropic-version": "2023-06-01", ...options.headers } },
    (apiKey) => ({ "x-api-key": apiKey })
  )
  const discovered =
    options.discovery === false
      ? undefined
      : yield* WindowDiscovery.make(connection, versioned(baseUrl), WindowLookups.anthropic)
  return yield* HttpAdapter.make(connection, {
    provider,
    url: `${versioned(baseUrl)}/messages`,
    encodeBody: (request, info) =>
      encodeBody(request, {
        cache,
        outputLimit: info?.outputLimit,
        dropsStaleThinking: options.dropsStaleThinking ?? AnthropicPresets.bindsThinking(request.envelope.route.model)
      }),
    headersOf: (body) => {
      const betas = [connection.headers["anthropic-beta"], ...betasOf(body)].filter((beta) => beta !== undefined)
      return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }
    },
    decoder: Answer.make,
    sends: sendsOf(provider),
    modelInfo: KnownWindows.modelInfo({ windows, discovered, preset: AnthropicPresets.infoOf }),
    retry: options.retry
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<ModelAdapter, never, HttpClient.HttpClient> =>
  Layer.effect(ModelAdapter, make(options))

/**
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = ({
  apiKey,
  ...rest
}: ConfigOptions): Layer.Layer<ModelAdapter, ConfigError.ConfigError, HttpClient.HttpClient> =>
  Layer.effect(
    ModelAdapter,
    apiKey === undefined ? make(rest) : Effect.flatMap(apiKey, (key) => make({ ...rest, apiKey: key }))
  )
