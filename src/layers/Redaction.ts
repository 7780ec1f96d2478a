/**
 * Another redaction of tool results, or none.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import { type Redact, Redaction } from "../services/Redaction.ts"

export { type Redact, redactKeys, Redaction } from "../services/Redaction.ts"

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (redact: Redact): Layer.Layer<never> => Layer.succeed(Redaction, redact)

/**
 * Results are kept as the tools gave them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerNone: Layer.Layer<never> = layer((content) => content)
