/**
 * The adapter that the chat talks to its model through.
 *
 * @since 0.1.0
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AnthropicMessages from "../../layers/adapters/AnthropicMessages.ts"
import * as OpenAiChat from "../../layers/adapters/OpenAiChat.ts"
import type { ModelAdapter } from "../../services/ModelAdapter.ts"
import { answer } from "./model.ts"
import type { Settings } from "./settings.ts"

/** A server in this process, which nobody pays for until it is asked for: its vocabulary is large. */
const simulated = (window: number, route: Settings["route"]) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const SimulatedProvider = yield* Effect.promise(() => import("../../testing/SimulatedProvider.ts"))
      const provider = yield* SimulatedProvider.make({
        window,
        as: "deepseek",
        keepBodies: false,
        answers: answer
      })
      return OpenAiChat.layer({
        provider: route.provider,
        like: "deepseek",
        baseUrl: provider.baseUrl,
        windows: { [route.model]: { window } }
      })
    })
  )

const windowsOf = ({ route, window }: Settings) =>
  window === undefined ? {} : { windows: { [route.model]: { window } } }

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (settings: Settings): Layer.Layer<ModelAdapter> => {
  const { provider, route, window } = settings
  if (provider.kind === "simulated") {
    return Layer.provide(simulated(window ?? 0, route), FetchHttpClient.layer)
  }
  const common = {
    ...windowsOf(settings),
    ...(provider.apiKey === undefined ? {} : { apiKey: provider.apiKey })
  }
  const elsewhere = provider.baseUrl === undefined ? {} : { baseUrl: provider.baseUrl }
  const adapter =
    provider.kind === "anthropic"
      ? AnthropicMessages.layer({ ...common, ...elsewhere, provider: route.provider })
      : provider.preset === undefined
        ? OpenAiChat.layer({ ...common, provider: route.provider, baseUrl: provider.baseUrl ?? "" })
        : OpenAiChat.layer({ ...common, ...elsewhere, provider: provider.preset })
  return Layer.provide(adapter, FetchHttpClient.layer)
}
