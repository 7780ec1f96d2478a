/**
 * What the application knows of its providers' errors beside the library's own table. It has a default, so no layer is
 * needed for it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Row } from "../errors/classifierRow.ts"

/**
 * `rows` are asked before the library's own, the first one first.
 *
 * @since 0.1.0
 * @category references
 */
export class ErrorClassifier extends Context.Reference<ErrorClassifier>()(
  "effect-compaction/services/ErrorClassifier",
  {
    defaultValue: (): { readonly rows: ReadonlyArray<Row> } => ({ rows: [] })
  }
) {}
