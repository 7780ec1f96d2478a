/**
 * The policy in use.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Policy from "../compaction/Policy.ts"
import type { Options } from "../compaction/PolicyOptions.ts"
import type { PolicyInvalid } from "../errors/CompactionError.ts"
import { CompactionPolicy } from "../services/CompactionPolicy.ts"

export { CompactionPolicy } from "../services/CompactionPolicy.ts"
export {
  type Budgets,
  budgets,
  decode,
  defaults,
  forRoute,
  type Policy,
  type RoutePolicy
} from "../compaction/Policy.ts"
export { type Options } from "../compaction/PolicyOptions.ts"

/**
 * The defaults with these fields changed. Fails when the layer is built, with the path of the field, on a key that nobody
 * knows, a value out of range, and values that contradict each other.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<CompactionPolicy, PolicyInvalid> =>
  Layer.effect(
    CompactionPolicy,
    Effect.suspend(() => Policy.decode(options))
  )
