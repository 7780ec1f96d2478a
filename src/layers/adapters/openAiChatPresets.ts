/**
 * What we know of providers that speak OpenAI's chat completions. Only their current models, each row with its date and
 * source; a stale row costs one refusal, since what the provider's own errors state overrules it.
 *
 * @since 0.1.0
 */
import type { PresetWindow } from "./knownWindows.ts"
import type { RequestQuirks } from "./openAiChatRequest.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Preset {
  readonly baseUrl: string
  readonly quirks: Partial<RequestQuirks>
  readonly windows: Readonly<Record<string, PresetWindow>>
}

const deepSeekV4: PresetWindow = {
  window: 1_000_000,
  outputLimit: 384_000,
  date: "2026-05-22",
  source: "https://api-docs.deepseek.com/quick_start/pricing"
}

/** The input alone may have 272,000 tokens (the provider's refusal names the figure); the rest of the 400,000 is output. */
const gpt5: PresetWindow = {
  window: 272_000,
  outputLimit: 128_000,
  date: "2026-10-01",
  source: "https://platform.openai.com/docs/models/gpt-5"
}

/**
 * @since 0.1.0
 * @category constants
 */
export const presets = {
  deepseek: {
    baseUrl: "https://api.deepseek.com",
    // a message with tool calls that was made while thinking is refused without its reasoning
    // (https://api-docs.deepseek.com/guides/thinking_mode); the others' is ignored
    // thinking, on by default, is documented to refuse tool_choice
    // (https://api-docs.deepseek.com/quick_start/agent_integrations/oh_my_pi)
    quirks: { reasoning: "with-tool-calls", images: "placeholder", toolChoiceNone: "omit" },
    windows: {
      "deepseek-v4-flash": deepSeekV4,
      "deepseek-v4-pro": deepSeekV4,
      // names that stand for deepseek-v4-flash without and with thinking
      "deepseek-chat": deepSeekV4,
      "deepseek-reasoner": deepSeekV4
    }
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    quirks: { outputLimitField: "max_completion_tokens" },
    windows: { "gpt-5": gpt5, "gpt-5-mini": gpt5, "gpt-5-nano": gpt5, "gpt-5.1": gpt5 }
  }
} as const satisfies Readonly<Record<string, Preset>>

/**
 * @since 0.1.0
 * @category models
 */
export type PresetName = keyof typeof presets

/**
 * @since 0.1.0
 * @category getters
 */
export const presetOf = (provider: string): Preset | undefined =>
  Object.hasOwn(presets, provider) ? presets[provider as PresetName] : undefined
