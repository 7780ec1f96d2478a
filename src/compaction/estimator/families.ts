/**
 * Tokenizer families, and which of them serves a route.
 *
 * @since 0.1.0
 */
import type { Route } from "../../session/Route.ts"

/**
 * Families whose vocabularies are public, and `generic` for all others. Generic weights follow the family that counts most for
 * a text, since an underestimate is what overflows a window, but by no more than a bound above the one that counts least: 6 %
 * in English and code, where families agree, 38 % in a text that has no ASCII, where they count up to six times one another.
 *
 * `claude` is the vocabulary of Claude 2, the last that was published, times 1.10: by that much newer models count more
 * (third-party measurements of Claude 3 to 4.6). `gemma3` stands for Gemini, whose own vocabulary is not published.
 *
 * @since 0.1.0
 * @category constants
 */
export const families = [
  "o200k",
  "cl100k",
  "claude",
  "deepseek_v3",
  "gemma3",
  "qwen3",
  "llama3",
  "tekken",
  "generic"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Family = (typeof families)[number]

/**
 * One row of the presets: the first whose patterns match decides. `factor`: the model counts that much more than the
 * family's weights say.
 *
 * @since 0.1.0
 * @category models
 */
export interface FamilyPreset {
  readonly provider?: RegExp
  readonly model?: RegExp
  readonly family: Family
  readonly factor?: number
  readonly source: string
}

const published = "the model's published tokenizer"
const tiktoken = "tiktoken's table of models and encodings"

/**
 * Which family a model belongs to, by its name wherever the name tells it, else by its provider. Routers put the maker's
 * name before the model's (`anthropic/claude-sonnet-4.5`), so the patterns look inside of it.
 *
 * @since 0.1.0
 * @category constants
 */
export const familyPresets: ReadonlyArray<FamilyPreset> = [
  // distilled models keep the tokenizer of the model that was trained on
  { model: /distill.*qwen/i, family: "qwen3", source: published },
  { model: /distill.*llama/i, family: "llama3", source: published },
  { model: /gpt-3\.5|gpt-35|gpt-4(?!o|\.|\d)/i, family: "cl100k", source: tiktoken },
  { model: /gpt-(4o|4\.|[5-9]|oss)|chatgpt|codex|\bo[134](-|$)/i, family: "o200k", source: tiktoken },
  {
    // version 4.7 or later, whichever of number and name stands first
    model: /claude-([a-z]+-)?(4[-.]([7-9]|\d\d)|[5-9]|\d\d)(?!\d)/i,
    family: "claude",
    factor: 1.3,
    source: "its maker states 1.0 to 1.35 times the tokens of Claude 4.6, third parties up to 1.46 on English"
  },
  {
    model: /claude/i,
    family: "claude",
    source: "Claude 2's published tokenizer; the 1.10 of 3 to 4.6 is a third party's (ai-tokenizer)"
  },
  { model: /gemini|gemma/i, family: "gemma3", source: "Gemma's published tokenizer; Gemini's is taken to be alike" },
  { model: /deepseek/i, family: "deepseek_v3", source: published },
  { model: /qwen|qwq|qvq/i, family: "qwen3", source: published },
  { model: /llama-?3/i, family: "llama3", source: published },
  {
    model: /mistral-(nemo|small|medium|large)|ministral|codestral|devstral|magistral|pixtral/i,
    family: "tekken",
    source: published
  },
  { provider: /^openai|azure/i, family: "o200k", source: tiktoken },
  { provider: /^anthropic/i, family: "claude", source: "as for its models" },
  { provider: /^google|gemini/i, family: "gemma3", source: "as for its models" },
  { provider: /^deepseek/i, family: "deepseek_v3", source: "as for its models" },
  { provider: /^(qwen|alibaba|dashscope)/i, family: "qwen3", source: "as for its models" },
  { provider: /^mistral/i, family: "tekken", source: "as for its models" }
]

const unknown: FamilyPreset = { family: "generic", source: "no row matches" }

/**
 * The row that decides for a route.
 *
 * @since 0.1.0
 * @category getters
 */
export const presetOf = (route: Route, presets: ReadonlyArray<FamilyPreset> = familyPresets): FamilyPreset =>
  presets.find(
    ({ model, provider }) =>
      (model !== undefined || provider !== undefined) &&
      (model?.test(route.model) ?? true) &&
      (provider?.test(route.provider) ?? true)
  ) ?? unknown
