/**
 * The estimator in use.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FamilyPreset } from "../compaction/estimator/families.ts"
import * as RunEstimator from "../compaction/RunEstimator.ts"
import { estimatorOf } from "../compaction/sends.ts"
import type * as Estimator from "../compaction/TokenEstimator.ts"
import { ModelAdapter } from "../services/ModelAdapter.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"
import { gptTokenizer, type Options as GptTokenizerOptions } from "./tokenizers/gptTokenizer.ts"

export { TokenEstimator } from "../services/TokenEstimator.ts"
export { families, type Family, type FamilyPreset, familyPresets, presetOf } from "../compaction/estimator/families.ts"
export { countText, type Options, runEstimator } from "../compaction/RunEstimator.ts"
export { type CountTokens, make as fromTokenizer } from "../compaction/exactTokenizer.ts"
export { type Options as GptTokenizerOptions } from "./tokenizers/gptTokenizer.ts"

/** A reference has a default, so that no layer needs to be asked for one: its type says so, and a layer of it provides nothing. */
const provided = <R>(made: Effect.Effect<Estimator.TokenEstimator, never, R>): Layer.Layer<never, never, R> =>
  Layer.effect(TokenEstimator, made) as Layer.Layer<never, never, R>

/**
 * An estimator of one's own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (estimator: Estimator.TokenEstimator): Layer.Layer<never> =>
  Layer.succeed(TokenEstimator, estimator) as Layer.Layer<never>

/**
 * The default estimator with rows of one's own in front: which tokenizer family serves a model that no row of ours knows.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPresets = (presets: ReadonlyArray<FamilyPreset>): Layer.Layer<never> =>
  layer(RunEstimator.make({ presets }))

/**
 * The default estimator, but for models of OpenAI with the exact counts of the package gpt-tokenizer, an optional peer
 * that is loaded when the layer is built. Texts of more than 20,000 units are counted in windows and scaled.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerGptTokenizer = (options?: GptTokenizerOptions): Layer.Layer<never> => provided(gptTokenizer(options))

/**
 * The estimator in use, for what the adapter says that a route's requests carry. A session has it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerAsSent: Layer.Layer<never, never, ModelAdapter> = provided(
  Effect.zipWith(TokenEstimator, ModelAdapter, (estimator, { sends }) =>
    sends === undefined ? estimator : estimatorOf(estimator, sends)
  )
)
