/**
 * The policy in use. The defaults are a complete policy, so no layer is needed for it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Policy from "../compaction/Policy.ts"

/**
 * @since 0.1.0
 * @category references
 */
export class CompactionPolicy extends Context.Reference<CompactionPolicy>()(
  "effect-compaction/services/CompactionPolicy",
  { defaultValue: (): Policy.Policy => Policy.defaults }
) {}
