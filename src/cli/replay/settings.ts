/**
 * What a replay is asked to do, checked.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"
import type { Policy } from "../../compaction/Policy.ts"
import type { Route } from "../../session/Route.ts"

/**
 * @since 0.1.0
 * @category models
 */
export type ProviderSettings =
  | { readonly name: "simulated" }
  | { readonly name: "openai-compatible"; readonly baseUrl: string; readonly apiKey?: Redacted.Redacted }

/**
 * `window` is what the provider enforces, `toldWindow` what the adapter is told; tokens.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly window: number
  readonly toldWindow: number
  readonly policy: Policy
  readonly provider: ProviderSettings
  readonly route: Route
  readonly directory: string
  readonly resume: boolean
}
