/**
 * What we know of Anthropic's models. Only those that are offered now, each row with its date and source; a stale row costs
 * one refusal, since what the provider's own errors state overrules it.
 *
 * @since 0.1.0
 */
import type { ModelInfo } from "../../services/ModelAdapter.ts"
import { ofRow, type PresetWindow } from "./knownWindows.ts"

interface ModelRow extends PresetWindow {
  readonly bindsThinking?: true
}

const date = "2026-12-01"

const current = (page: string): ModelRow => ({
  window: 1_000_000,
  outputLimit: 128_000,
  bindsThinking: true,
  date,
  source: `https://platform.claude.com/docs/en/models/${page}/overview`
})

const earlier = (page: string): ModelRow => ({
  window: 1_000_000,
  outputLimit: 128_000,
  date,
  source: `https://platform.claude.com/docs/en/models/${page}/overview`
})

/** The window that all requests have; more takes a beta header, and then an explicit figure. */
const small: ModelRow = {
  window: 200_000,
  outputLimit: 64_000,
  date,
  source: "https://platform.claude.com/docs/en/build-with-claude/context-windows"
}

const models: Readonly<Record<string, ModelRow>> = {
  "claude-fable-5-2": current("fable-5-2"),
  "claude-fable-5-1": current("fable-5-1"),
  "claude-opus-5-5": current("opus-5-5"),
  "claude-sonnet-5-5": current("sonnet-5-5"),
  "claude-haiku-5-5": current("haiku-5-5"),
  "claude-fable-5": earlier("fable-5"),
  "claude-opus-5": earlier("opus-5"),
  "claude-sonnet-5": earlier("sonnet-5"),
  "claude-opus-4-8": earlier("opus-4-8"),
  "claude-opus-4-7": earlier("opus-4-7"),
  "claude-opus-4-6": earlier("opus-4-6"),
  "claude-sonnet-4-6": earlier("sonnet-4-6"),
  "claude-opus-4-5": small,
  "claude-sonnet-4-5": small,
  "claude-haiku-4-5": small
}

/** A model by its name, with or without the date of its snapshot. */
const rowOf = (model: string): ModelRow | undefined => {
  const name = model.replace(/-\d{8}$/, "")
  return Object.hasOwn(models, name) ? models[name] : undefined
}

/**
 * The window and output limit of a model, with or without the date of its snapshot in its name; undefined: not known.
 *
 * @since 0.1.0
 * @category getters
 */
export const infoOf = (model: string): ModelInfo | undefined => {
  const row = rowOf(model)
  return row === undefined ? undefined : ofRow(row)
}

/**
 * Whether a block of the model's reasoning holds only behind the very messages that it was made behind, so that it is void
 * after a compaction (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking).
 *
 * @since 0.1.0
 * @category predicates
 */
export const bindsThinking = (model: string): boolean => rowOf(model)?.bindsThinking === true
