/**
 * What our presets say of a route: one place, whoever asks.
 *
 * @since 0.1.0
 */
import type { ModelInfo } from "../../services/ModelAdapter.ts"
import type { Route } from "../../session/Route.ts"
import * as AnthropicPresets from "./anthropicPresets.ts"
import * as KnownWindows from "./knownWindows.ts"
import { presetOf } from "./openAiChatPresets.ts"

/**
 * Undefined where no preset has a row for it. A provider is known by its own name only.
 *
 * @since 0.1.0
 * @category getters
 */
export const presetInfo = ({ model, provider }: Route): ModelInfo | undefined =>
  provider === "anthropic" ? AnthropicPresets.infoOf(model) : KnownWindows.preset(presetOf(provider)?.windows, model)
