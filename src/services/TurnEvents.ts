/**
 * Where turns tell what happens in them, beside their own stream.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { TurnEvent } from "./AgentLoop.ts"

/**
 * Told every event of every turn; must not block. By default nobody listens.
 *
 * @since 0.1.0
 * @category references
 */
export class TurnEvents extends Context.Reference<TurnEvents>()("effect-compaction/services/TurnEvents", {
  defaultValue: (): ((session: string, event: TurnEvent) => void) => () => {}
}) {}
