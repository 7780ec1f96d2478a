/**
 * What provider packages tell with the parts of an answer, and what of it goes back to them.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"

type Metadata = Response.ProviderMetadata

/** What came of one block's metadata with its parts, each provider's fields put together. */
export const mergedMetadata = (before: Metadata | undefined, more: Metadata): Metadata => {
  if (before === undefined) return more
  const merged: Record<string, Record<string, unknown> | undefined> = { ...before }
  for (const [provider, fields] of Object.entries(more)) {
    if (fields !== undefined) merged[provider] = { ...merged[provider], ...withoutUndefined(fields) }
  }
  return merged
}

const withoutUndefined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The metadata of a part of an answer as the options of a part of a prompt: what is undefined is left out. */
export const optionsFrom = (metadata: Metadata): Prompt.ProviderOptions =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([provider, fields]) => {
      const known = withoutUndefined(fields ?? {})
      return Object.keys(known).length === 0 ? [] : [[provider, known]]
    })
  )

const openAi = (options: Prompt.ProviderOptions) =>
  options["openai"] as { readonly itemId?: unknown; readonly encryptedContent?: unknown } | undefined

/** Reasoning that OpenAI keeps, and names by its id only: thirty days later, or where nothing is stored, it is refused. */
export const isStoredElsewhere = (options: Prompt.ProviderOptions): boolean =>
  openAi(options)?.itemId !== undefined && typeof openAi(options)?.encryptedContent !== "string"

/** Without the ids of items that OpenAI keeps: each is taken back only beside the reasoning that came before it. */
export const withoutItemId = (options: Prompt.ProviderOptions): Prompt.ProviderOptions => {
  const { openai, ...others } = options
  if (openai === undefined) return options
  const { encryptedContent: _encrypted, itemId: _itemId, ...rest } = openai as Readonly<Record<string, unknown>>
  return Object.keys(rest).length === 0 ? others : { ...others, openai: rest }
}
