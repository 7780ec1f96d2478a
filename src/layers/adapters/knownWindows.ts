/**
 * The windows that an adapter knows: those of its options, then what the server says, then those of its preset.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ModelInfo } from "../../services/ModelAdapter.ts"

/**
 * Tokens, by model.
 *
 * @since 0.1.0
 * @category models
 */
export type Windows = Readonly<Record<string, { readonly window: number; readonly outputLimit?: number }>>

/**
 * A preset's row for one model.
 *
 * @since 0.1.0
 * @category models
 */
export interface PresetWindow {
  readonly window: number
  readonly outputLimit: number
  /** When it was looked up, and where. */
  readonly date: string
  readonly source: string
}

/**
 * The row of a model that a record has of its own.
 *
 * @since 0.1.0
 * @category getters
 */
export const rowOf = <Row>(rows: Readonly<Record<string, Row>> | undefined, model: string): Row | undefined =>
  rows !== undefined && Object.hasOwn(rows, model) ? rows[model] : undefined

/**
 * `windows` are the options'; `discovered` asks the server, where it can be asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly windows: Windows | undefined
  readonly discovered: ((model: string) => Effect.Effect<Option.Option<ModelInfo>>) | undefined
  readonly preset: (model: string) => PresetWindow | undefined
}

/**
 * @since 0.1.0
 * @category getters
 */
export const modelInfo =
  ({ discovered, preset, windows }: Sources) =>
  (model: string): Effect.Effect<Option.Option<ModelInfo>> => {
    const explicit = rowOf(windows, model)
    if (explicit !== undefined) return Effect.succeedSome<ModelInfo>({ ...explicit, source: "explicit" })
    const row = Option.map(Option.fromNullable(preset(model)), ({ outputLimit, window }): ModelInfo => ({
      window,
      outputLimit,
      source: "preset"
    }))
    return discovered === undefined
      ? Effect.succeed(row)
      : Effect.map(
          discovered(model),
          Option.orElse(() => row)
        )
  }
