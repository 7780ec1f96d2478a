/**
 * The envelope: what a request carries beside the surface.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { exactOptional } from "./exactOptional.ts"
import * as CanonicalJson from "./CanonicalJson.ts"
import { Message } from "./Message.ts"
import { Route } from "./Route.ts"

/**
 * A tool as the model is told of it; `parameters` is a JSON Schema.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolSchema = Schema.Struct({
  name: Schema.NonEmptyString,
  description: exactOptional(Schema.String),
  parameters: Schema.Unknown
})

/**
 * @since 0.1.0
 * @category models
 */
export type ToolSchema = typeof ToolSchema.Type

/**
 * `maxOutputTokens` is the request's own output limit. `settings` are call settings (temperature, …) that the adapter
 * puts into the request as they are. `prefix` are messages that go before the surface in each request and are not part
 * of the session.
 *
 * @since 0.1.0
 * @category models
 */
export const Envelope = Schema.Struct({
  route: Route,
  system: exactOptional(Schema.String),
  tools: exactOptional(Schema.Array(ToolSchema)),
  maxOutputTokens: exactOptional(Schema.Int.pipe(Schema.positive())),
  settings: exactOptional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  prefix: exactOptional(Schema.Array(Message))
})

/**
 * @since 0.1.0
 * @category models
 */
export type Envelope = typeof Envelope.Type

/**
 * The same text for equal envelopes and another for different ones.
 *
 * @since 0.1.0
 * @category conversions
 */
export const key = (envelope: Envelope): string => CanonicalJson.encode(envelope)

/**
 * @since 0.1.0
 * @category predicates
 */
export const equals = (a: Envelope, b: Envelope): boolean => a === b || key(a) === key(b)
