import * as Schema from "effect/Schema"

/**
 * A field that may be absent and, as its type says, is never `undefined`. An application that does not compile with
 * `exactOptionalPropertyTypes` may give `undefined` all the same: that is taken as absent, as JSON takes it.
 */
export const exactOptional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optional(schema) as unknown as Schema.optionalWith<Schema.Schema<A, I, R>, { exact: true }>
