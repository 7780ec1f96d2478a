/**
 * A route says which model serves a request: a provider and a model, both non-empty.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category models
 */
export const Route = Schema.Struct({ provider: Schema.NonEmptyString, model: Schema.NonEmptyString })

/**
 * @since 0.1.0
 * @category models
 */
export type Route = typeof Route.Type

/**
 * @since 0.1.0
 * @category predicates
 */
export const equals = (a: Route, b: Route): boolean => a.provider === b.provider && a.model === b.model

/**
 * One text for one route, for maps and messages. A provider name cannot hold a line feed in practice; with one, two
 * different routes still have different keys because the length of the provider stands first.
 *
 * @since 0.1.0
 * @category conversions
 */
export const key = (route: Route): string => `${route.provider.length}:${route.provider}/${route.model}`

/**
 * The route as people write it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const format = (route: Route): string => `${route.provider}/${route.model}`
