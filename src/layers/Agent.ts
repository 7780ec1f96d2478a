/**
 * Who speaks.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "../services/Agent.ts"
import type { Envelope } from "../session/Envelope.ts"
import type { Message } from "../session/Message.ts"

export { Agent } from "../services/Agent.ts"

/**
 * One route and one system prompt for good. `settings` go into the provider's request as they are.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: {
  readonly provider: string
  readonly model: string
  readonly system?: string
  readonly maxOutputTokens?: number
  readonly settings?: { readonly [key: string]: unknown }
  readonly prefix?: ReadonlyArray<Message>
}): Layer.Layer<Agent> => {
  const { model, provider, ...rest } = options
  return layerWith(Effect.succeed({ route: { provider, model }, ...rest }))
}

/**
 * Asks `envelope` before every step.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = <R>(
  envelope: Effect.Effect<Omit<Envelope, "tools">, never, R>
): Layer.Layer<Agent, never, R> =>
  Layer.effect(
    Agent,
    Effect.map(Effect.context<R>(), (context) => ({ envelope: Effect.provide(envelope, context) }))
  )
