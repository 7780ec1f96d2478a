/**
 * The estimator in use. It has a default, so no layer is needed for it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import { runEstimator } from "../compaction/RunEstimator.ts"
import type * as Estimator from "../compaction/TokenEstimator.ts"

/**
 * @since 0.1.0
 * @category references
 */
export class TokenEstimator extends Context.Reference<TokenEstimator>()("effect-compaction/services/TokenEstimator", {
  defaultValue: (): Estimator.TokenEstimator => runEstimator
}) {}
