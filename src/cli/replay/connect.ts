/**
 * The provider that a session talks to, and the adapter that talks to it.
 *
 * @since 0.1.0
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as OpenAiChat from "../../layers/adapters/OpenAiChat.ts"
import type { ModelAdapter } from "../../services/ModelAdapter.ts"
import type { RecordedRequest } from "../../testing/SimulatedProvider.ts"
import type { Player } from "./player.ts"
import type { Settings } from "./settings.ts"

/**
 * `requests` is the provider's own record of what it was asked, where it keeps one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Connected {
  readonly adapter: Layer.Layer<ModelAdapter>
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest> | undefined>
}

const adapterTo = (settings: Settings, options: { readonly baseUrl: string } & Partial<OpenAiChat.Options>) =>
  Layer.provide(
    OpenAiChat.layer({
      ...options,
      provider: settings.route.provider,
      windows: { [settings.route.model]: { window: settings.toldWindow } }
    }),
    FetchHttpClient.layer
  )

/** A server in this process, which nobody pays for until it is asked for: its vocabulary is large. */
const simulated = Effect.fnUntraced(function* (settings: Settings, player: Player) {
  const SimulatedProvider = yield* Effect.promise(() => import("../../testing/SimulatedProvider.ts"))
  const provider = yield* SimulatedProvider.make({
    window: settings.window,
    as: "deepseek",
    keepBodies: false,
    answers: () => {
      const message = player.nextAnswer()
      return message === undefined ? undefined : SimulatedProvider.message(message)
    }
  })
  return { adapter: adapterTo(settings, { baseUrl: provider.baseUrl }), requests: provider.requests }
})

/**
 * Connects to the provider of the settings. The simulated one lives as long as the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (settings: Settings, player: Player): Effect.Effect<Connected, never, Scope.Scope> => {
  const { provider } = settings
  return provider.name === "simulated"
    ? simulated(settings, player)
    : Effect.succeed({
        adapter: adapterTo(settings, {
          baseUrl: provider.baseUrl,
          ...(provider.apiKey === undefined ? {} : { apiKey: provider.apiKey })
        }),
        requests: Effect.succeed(undefined)
      })
}
