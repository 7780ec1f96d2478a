/**
 * What we know of providers that speak OpenAI's chat completions. Only their current models, each row with its date and
 * source; a stale row costs one refusal, since what the provider's own errors state overrules it, and so does what it
 * answers. Servers that people run themselves have the window that they were started with: they are asked.
 *
 * docs/providers.md shows the rows.
 *
 * @since 0.1.0
 */
import type { PresetWindow } from "./knownWindows.ts"
import type { RequestQuirks } from "./openAiChatRequest.ts"
import { lookups, type WindowLookup } from "./windowLookups.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Preset {
  readonly baseUrl: string
  readonly quirks: Partial<RequestQuirks>
  readonly windows: Readonly<Record<string, PresetWindow>>
  /** How the server is asked for a window; absent: it does not tell. */
  readonly lookups?: ReadonlyArray<WindowLookup>
}

const deepSeekV4: PresetWindow = {
  window: 1_000_000,
  outputLimit: 384_000,
  date: "2026-12-01",
  source: "https://api-docs.deepseek.com/zh-cn/quick_start/pricing"
}

/** The input alone may have 272,000 tokens (the provider's refusal names the figure); the rest of the 400,000 is output. */
const gpt5: PresetWindow = {
  window: 272_000,
  outputLimit: 128_000,
  date: "2026-10-01",
  source: "https://platform.openai.com/docs/models/gpt-5"
}

/** Of 1,050,000 tokens the output has 128,000. */
const gpt54: PresetWindow = {
  window: 922_000,
  outputLimit: 128_000,
  date: "2026-12-01",
  source: "https://docs.oxen.ai/inference-api/reference/models/gpt-5-5-2026-04-23"
}

const grok = (source: string): PresetWindow => ({
  window: 500_000,
  outputLimit: 200_000,
  date: "2026-12-01",
  source
})

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
    // of the models only deepseek-flash sees images
    quirks: { reasoning: "with-tool-calls", images: "placeholder", toolChoiceNone: "omit", callNames: "plain" },
    windows: {
      "deepseek-flash": deepSeekV4,
      "deepseek-v4-pro": deepSeekV4,
      // served by deepseek-flash
      "deepseek-v4-flash": deepSeekV4
    }
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    quirks: { outputLimitField: "max_completion_tokens", callIds: "short", callNames: "plain" },
    windows: {
      "gpt-5": gpt5,
      "gpt-5-mini": gpt5,
      "gpt-5-nano": gpt5,
      "gpt-5.1": gpt5,
      "gpt-5.4": gpt54,
      "gpt-5.5": gpt54
    }
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api/v1",
    // https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
    // and it hands calls on to OpenAI's models among others
    quirks: {
      reasoning: "with-tool-calls",
      reasoningField: "reasoning",
      encryptedReasoning: "send",
      callIds: "short",
      callNames: "plain"
    },
    windows: {},
    lookups: lookups.openrouter
  },
  groq: {
    baseUrl: "https://api.groq.com/openai/v1",
    quirks: { outputLimitField: "max_completion_tokens", callNames: "plain" },
    windows: {},
    lookups: lookups.groq
  },
  mistral: {
    baseUrl: "https://api.mistral.ai/v1",
    // refuses fields that it does not know, stream_options and reasoning_content among them, and sends usage in any case
    // (https://github.com/openai/openai-agents-python/issues/442, https://github.com/charmbracelet/crush/issues/1590)
    // ids of calls that are not like its own (https://github.com/anomalyco/opencode/issues/1680)
    // and what a user says right behind results, as an instruction to summarise does
    // (https://github.com/avante-corp/avante.nvim/issues/2562)
    quirks: { streamOptions: "omit", roles: "alternate", callIds: "nine", callNames: "plain" },
    windows: {},
    lookups: lookups.mistral
  },
  xai: {
    baseUrl: "https://api.x.ai/v1",
    quirks: { callNames: "plain" },
    // its list of models has no windows
    windows: {
      "grok-4.6": grok("https://docs.venice.ai/fr/models/grok-4-6.md"),
      "grok-4.7": grok("https://docs.venice.ai/es/models/grok-4-7.md")
    }
  },
  vllm: {
    baseUrl: "http://localhost:8000/v1",
    // https://docs.vllm.ai/en/v0.11.2/features/reasoning_outputs/: chat templates of models that want it find it there
    quirks: { reasoning: "with-tool-calls", reasoningField: "reasoning" },
    windows: {},
    lookups: lookups.vllm
  },
  "llama.cpp": {
    baseUrl: "http://localhost:8080/v1",
    // https://github.com/ggml-org/llama.cpp/pull/16934
    quirks: { reasoning: "with-tool-calls" },
    windows: {},
    lookups: lookups["llama.cpp"]
  },
  ollama: {
    baseUrl: "http://localhost:11434/v1",
    // https://docs.ollama.com/api/openai-compatibility: tool_choice is not among the fields that it takes
    quirks: { toolChoiceNone: "omit" },
    windows: {},
    lookups: lookups.ollama
  },
  "lm-studio": {
    baseUrl: "http://localhost:1234/v1",
    quirks: {},
    windows: {},
    lookups: lookups["lm-studio"]
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
