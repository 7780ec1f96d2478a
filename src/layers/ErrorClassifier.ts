/**
 * Says which of our errors a provider's answer is, and lets an application add what it knows.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Row } from "../errors/classifierRow.ts"
import { ErrorClassifier } from "../services/ErrorClassifier.ts"

export { ErrorClassifier } from "../services/ErrorClassifier.ts"
export { classify, type Delivery, type Evidence, judge, type Row, type Verdict } from "../errors/classify.ts"
export { rows } from "../errors/classifierRows.ts"
export { words } from "../errors/figurePattern.ts"

/**
 * Adds rows of one's own, for a gateway whose wording the table does not know: they are asked before the table, and before
 * rows that were added further out. Under an adapter (`Layer.provide`) they judge what it is answered, around a session
 * what a client of one's own fails with. The statuses under which nothing is ever an overflow hold for them too.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRows = (added: ReadonlyArray<Row>): Layer.Layer<never> =>
  // a reference has a default, so that a layer of it provides nothing that has to be asked for
  Layer.effect(
    ErrorClassifier,
    Effect.map(ErrorClassifier, ({ rows }) => ({ rows: [...added, ...rows] }))
  ) as Layer.Layer<never>
