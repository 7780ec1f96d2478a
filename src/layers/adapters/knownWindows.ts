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

const rowOf = <Row>(rows: Readonly<Record<string, Row>> | undefined, model: string): Row | undefined =>
  rows !== undefined && Object.hasOwn(rows, model) ? rows[model] : undefined

/**
 * @since 0.1.0
 * @category conversions
 */
export const ofRow = ({ outputLimit, window }: PresetWindow): ModelInfo => ({ window, outputLimit, source: "preset" })

const explicit = (windows: Windows | undefined, model: string): ModelInfo | undefined => {
  const row = rowOf(windows, model)
  return row === undefined ? undefined : { ...row, source: "explicit" }
}

/**
 * @since 0.1.0
 * @category getters
 */
export const preset = (
  windows: Readonly<Record<string, PresetWindow>> | undefined,
  model: string
): ModelInfo | undefined => {
  const row = rowOf(windows, model)
  return row === undefined ? undefined : ofRow(row)
}

/**
 * `windows` are the options'; `discovered` asks the server, where it can be asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly windows: Windows | undefined
  readonly discovered: ((model: string) => Effect.Effect<Option.Option<ModelInfo>>) | undefined
  readonly preset: (model: string) => ModelInfo | undefined
}

/**
 * @since 0.1.0
 * @category getters
 */
export const modelInfo =
  ({ discovered, preset: rowFor, windows }: Sources) =>
  (model: string): Effect.Effect<Option.Option<ModelInfo>> => {
    const own = explicit(windows, model)
    if (own !== undefined) return Effect.succeedSome(own)
    const row = Option.fromNullable(rowFor(model))
    return discovered === undefined
      ? Effect.succeed(row)
      : Effect.map(
          discovered(model),
          Option.orElse(() => row)
        )
  }
