/**
 * The estimator in use.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import type * as Estimator from "../compaction/TokenEstimator.ts"
import { TokenEstimator } from "../services/TokenEstimator.ts"

export { TokenEstimator } from "../services/TokenEstimator.ts"
export { runEstimator } from "../compaction/RunEstimator.ts"

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (estimator: Estimator.TokenEstimator): Layer.Layer<never> =>
  Layer.succeed(TokenEstimator, estimator) as Layer.Layer<never>
