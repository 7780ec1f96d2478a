/**
 * The provider that the options name, checked.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { BadInput } from "./exitCode.ts"
import type { ProviderSettings } from "./replay/settings.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface ConnectionOptions {
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly apiKeyEnv: string | undefined
}

/**
 * A server that speaks chat completions, and the model to ask it for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectionOf = Effect.fnUntraced(function* ({
  apiKeyEnv,
  baseUrl,
  model
}: ConnectionOptions): Effect.fn.Return<
  Extract<ProviderSettings, { readonly name: "openai-compatible" }> & { readonly model: string },
  BadInput
> {
  if (baseUrl === undefined || model === undefined) {
    return yield* new BadInput({ message: "--provider openai-compatible needs --base-url and --model" })
  }
  if (!URL.canParse(baseUrl)) return yield* new BadInput({ message: `--base-url "${baseUrl}" is not a URL` })
  const settings = { name: "openai-compatible" as const, baseUrl, model }
  if (apiKeyEnv === undefined) return settings
  const apiKey = yield* Effect.mapError(
    Config.redacted(apiKeyEnv),
    () => new BadInput({ message: `the environment variable ${apiKeyEnv}, which --api-key-env names, is not set` })
  )
  return { ...settings, apiKey }
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const providerOf = Effect.fnUntraced(function* (
  given: ConnectionOptions & { readonly provider: "simulated" | "openai-compatible" }
): Effect.fn.Return<ProviderSettings, BadInput> {
  const { apiKeyEnv, baseUrl, provider } = given
  if (provider === "openai-compatible") return yield* connectionOf(given)
  const unused = [
    ["--base-url", baseUrl],
    ["--api-key-env", apiKeyEnv]
  ].find(([, value]) => value !== undefined)
  return unused === undefined
    ? { name: provider }
    : yield* new BadInput({ message: `${unused[0]} needs --provider openai-compatible` })
})
