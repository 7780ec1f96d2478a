/**
 * Which compaction a fiber works for.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Set around a compaction that the library starts, and inherited by every fiber of it: by this the surface tells a run's
 * own fibers from others. Undefined outside of one.
 *
 * @since 0.1.0
 * @category references
 */
export class CompactionRun extends Context.Reference<CompactionRun>()("effect-compaction/services/CompactionRun", {
  defaultValue: (): object | undefined => undefined
}) {}
